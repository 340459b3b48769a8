/// Decides after how many epochs training is enough, from the loss on people who were not trained on.
///
/// The loss is smoothed over epochs, and of those within 2 % of the lowest the last counts: with a falling learning rate,
/// later epochs are the better ones unless the loss clearly rises.
struct EarlyStop {
    private var smoothed: [Double] = []

    mutating func take(loss: Double) {
        smoothed.append(smoothed.last.map { 0.7 * $0 + 0.3 * loss } ?? loss)
    }

    /// 1 when nothing was taken.
    var epoch: Int {
        let lowest = smoothed.reduce(.infinity, min)
        return (smoothed.lastIndex { $0 <= 1.02 * lowest } ?? 0) + 1
    }
}
