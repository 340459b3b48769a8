/// What a device of a crowd sends: a gradient or weights, and what they were made with.
package struct CheckIn: Equatable, Sendable {
    /// A user's node in the database: how its members are called.
    package enum Name {
        package static let vector = "gradients", number = "gradIter", weightIteration = "weightIter", parameterIteration = "paramIter",
            stale = "stale"
        /// Whether the server is done with it: as it is called, and as the first generation called it.
        package static let processed = "gradientProcessed", readByServer = "readByServer"
        package static let flags = [processed, readByServer]
    }

    /// nil where what came is no vector.
    package var vector: [Double]?
    /// From 1; 0 is a device's first word.
    package var number: Int?
    package var weightIteration: Int?
    package var parameterIteration: Int?

    package init(vector: [Double]?, number: Int?, weightIteration: Int?, parameterIteration: Int?) {
        (self.vector, self.number, self.weightIteration, self.parameterIteration) = (vector, number, weightIteration, parameterIteration)
    }

    /// Tells one check-in from the next.
    package var mark: String { "\(number ?? -1) \(weightIteration ?? -1) \(parameterIteration ?? -1)" }

    /// As one PATCH with the flag last.
    package func json(_ flag: String) -> [UInt8] {
        var bytes = Array("{\"\(Name.vector)\":[".utf8)
        for (index, value) in (vector ?? []).enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes += value.description.utf8
        }
        return bytes + "],\(counts),\"\(flag)\":false}".utf8
    }

    /// As clients of 2016 begin: without a vector, and nothing that the server should take.
    package func greeting(_ flag: String) -> [UInt8] { Array("{\(counts),\"\(flag)\":true}".utf8) }

    private var counts: String {
        [(Name.number, number), (Name.weightIteration, weightIteration), (Name.parameterIteration, parameterIteration)]
            .map { "\"\($0)\":\($1 ?? 0)" }.joined(separator: ",")
    }
}
