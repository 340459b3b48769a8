/// How often decisions are right, by how confident the network was of them.
package struct Reliability: Sendable, Equatable {
    /// Decisions whose confidence lies in one tenth of 0 ... 1.
    package struct Bin: Sendable, Equatable {
        package var windows = 0, right = 0
        /// Sum of the confidences, Q0.15.
        fileprivate var sum: Int64 = 0

        /// Means over the bin, 0 ... 1; 0 of an empty one.
        package var confidence: Double { windows == 0 ? 0 : Double(sum) / 32768 / Double(windows) }
        package var accuracy: Double { windows == 0 ? 0 : Double(right) / Double(windows) }
    }

    package private(set) var bins = [Bin](repeating: Bin(), count: 10)

    package init() {}

    /// - Parameter confidence: probability of the class that was decided, Q0.15.
    package mutating func take(_ confidence: Int16, isRight: Bool) {
        let index = max(0, min(bins.count - 1, (Int(confidence) * bins.count) >> 15))
        bins[index].windows += 1
        bins[index].right += isRight ? 1 : 0
        bins[index].sum += Int64(confidence)
    }

    package var windows: Int { bins.reduce(0) { $0 + $1.windows } }

    /// Expected calibration error, 0 ... 1: the mean distance between confidence and accuracy, each bin weighing as many windows as it has.
    package var expectedError: Double {
        bins.reduce(0) { $0 + Double($1.windows) * ($1.confidence - $1.accuracy).magnitude } / Double(max(windows, 1))
    }
}
