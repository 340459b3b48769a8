package import Support

/// A server as bytes, to go on after a restart. Counts as 64-bit integers, then numbers as doubles, little-endian: weights, what the
/// descent remembers, the sums of the batches that are under way.
extension CrowdOptimiser {
    private static let header = 4

    package var state: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(8 * (Self.header + 4 * model.length))
        Words.append([iteration, taken, gradients.count, steps.count].map { UInt64($0) }, to: &bytes)
        for part in [weights, descent.memory, gradients.count > 0 ? gradients.sum : [], steps.count > 0 ? steps.sum : []] {
            Words.append(part, to: &bytes)
        }
        return bytes
    }

    /// Goes on where a server of the same parameters was.
    ///
    /// - Throws: `.badData` when the bytes are not such a server's.
    package mutating func restore(_ bytes: [UInt8]) throws(Fault) {
        let words = bytes.count / 8
        guard bytes.count % 8 == 0, words >= Self.header else { throw Fault(.badData, "the crowd's state is cut off") }
        let counts = (0..<Self.header).map { Words.at($0, of: bytes) }
        guard counts.allSatisfy({ $0 < 1 << 53 }) else { throw Fault(.badData, "the crowd's state is none") }
        let isGathering = counts[2] > 0, isStepping = counts[3] > 0
        let lengths = [model.length, descent.memory.count, isGathering ? model.length : 0, isStepping ? model.length : 0]
        guard words == Self.header + lengths.reduce(0, +) else { throw Fault(.badData, "the crowd's state is that of other weights") }
        var at = Self.header, parts: [[Double]] = []
        for length in lengths {
            parts.append((at..<at + length).map { Double(bitPattern: Words.at($0, of: bytes)) })
            at += length
        }
        guard parts.allSatisfy({ $0.allSatisfy(\.isFinite) }) else {
            throw Fault(.badData, "the crowd's state has numbers that are not finite")
        }
        (iteration, taken) = (max(1, Int(counts[0])), Int(counts[1]))
        (weights, descent.memory) = (parts[0], parts[1])
        gradients = Gathered(sum: parts[2], count: Int(counts[2]))
        steps = Gathered(sum: parts[3], count: Int(counts[3]))
    }
}
