internal import NeuralNetwork
internal import Support

extension NetworkInput {
    // Of fewer than so many numbers a short extent is signals, not samples that somebody put together.
    private static let mostSignals = 12

    /// Refuses windows of other signals than x, y and z, which would be read as longer windows of those.
    ///
    /// - Parameter shape: of the network's input, as its file has it.
    /// - Throws: `.usage`.
    func requireThreeSignals(_ shape: [Int], path: String) throws(Fault) {
        let extents = shape.filter { $0 > 1 }
        guard self == .raw || self == .shifted, extents.count > 1, !extents.contains(3), let signals = extents.min(),
            signals < Self.mostSignals || signals % 3 != 0
        else { return }
        throw Fault(
            .usage, "\(path) takes windows of the shape \(shape); gaitway has three signals: x, y and z of the acceleration",
            remedy: "Train it on those alone, or import it with --input features: it can predict then.")
    }
}
