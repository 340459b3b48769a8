package import Support

/// Weights as federated clients send them: named arrays of numbers, in one of two formats.
package struct WeightFile: Sendable, Equatable {
    package enum Format: String, Sendable, CaseIterable {
        /// The container of EdgeML's mobile SDKs; iOS writes its numbers little-endian.
        case littleEndianContainer = "ptth"
        /// The same by Android: its numbers are big-endian.
        case bigEndianContainer = "ptth-be"
        /// NumPy's array file; one array without a name.
        case numpy = "npy"
    }

    package struct Array: Sendable, Equatable {
        package var name: String
        /// Of no dimension: one number.
        package var shape: [Int]
        /// Row-major.
        package var values: [Float]

        package init(name: String, shape: [Int], values: [Float]) { (self.name, self.shape, self.values) = (name, shape, values) }
    }

    package var format: Format
    package var arrays: [Array]

    /// Numbers in all, at the most.
    package static let mostValues = 1 << 20

    package init(format: Format, arrays: [Array]) { (self.format, self.arrays) = (format, arrays) }

    /// Reads either format, which its first bytes tell.
    ///
    /// - Throws: `.badData` for what is neither, is cut off, has more than ``mostValues`` numbers, or one that is not finite.
    package init(_ bytes: [UInt8]) throws(Fault) {
        if NumPyFile.isOne(bytes) {
            self = try NumPyFile.read(bytes)
        } else if WeightContainer.isOne(bytes) {
            self = try WeightContainer.read(bytes)
        } else {
            throw Fault(.badData, "the weights are neither a PTTH container nor a NumPy file")
        }
        guard arrays.contains(where: { !$0.values.isEmpty }) else { throw Fault(.badData, "the weights have no numbers") }
        guard arrays.allSatisfy({ $0.values.allSatisfy(\.isFinite) }) else { throw Fault(.badData, "a weight is not a finite number") }
    }

    package var bytes: [UInt8] { format == .numpy ? NumPyFile.bytes(self) : WeightContainer.bytes(self) }

    /// All numbers, one array after the other.
    package var values: [Float] { arrays.flatMap(\.values) }

    /// The same names and shapes with other numbers; nil for another count.
    package func with(_ values: [Float]) -> WeightFile? {
        guard values.count == arrays.reduce(0, { $0 + $1.values.count }) else { return nil }
        var result = self, start = 0
        for index in arrays.indices {
            let end = start + arrays[index].values.count
            result.arrays[index].values = Swift.Array(values[start..<end])
            start = end
        }
        return result
    }

    /// Whether both have the same names and shapes, so that their numbers belong together.
    package func fits(_ other: WeightFile) -> Bool {
        arrays.count == other.arrays.count && zip(arrays, other.arrays).allSatisfy { $0.name == $1.name && $0.shape == $1.shape }
    }

    /// How many numbers a shape has; nil when that is more than ``mostValues``.
    static func count(_ shape: [Int]) -> Int? {
        var count = 1
        for size in shape {
            guard size >= 0, size <= mostValues else { return nil }
            count *= size
            guard count <= mostValues else { return nil }
        }
        return count
    }
}
