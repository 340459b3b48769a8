internal import CrowdLearning
import Support

/// A user's node: what this device sent last, and whether the server is done with it. Names and types of all generations.
struct UserNode: Equatable, Sendable {
    /// "gradientProcessed", or "readByServer" of the first generation, where that is what is there.
    var flag = "gradientProcessed"
    /// nil where there is none yet.
    var isProcessed: Bool?
    var number: Int?
    var weightIteration: Int?
    /// Whether the server said that it was too late; Gaitway's does.
    var isStale = false

    init() {}

    init(_ value: JSONValue) {
        if value["gradientProcessed"] == nil, value["readByServer"] != nil { flag = "readByServer" }
        if case .bool(let found)? = value[flag] { isProcessed = found }
        number = Self.whole(value["gradIter"])
        weightIteration = Self.whole(value["weightIter"])
        isStale = value["stale"] == true
    }

    static func whole(_ value: JSONValue?) -> Int? { value?.looseNumber.flatMap { Int(exactly: $0) } }
}

/// What is sent, as one PATCH with the flag last.
struct CheckIn: Equatable, Sendable {
    var vector: [Double]
    var number: Int
    var weightIteration: Int
    var parameterIteration: Int

    func json(_ flag: String) -> [UInt8] {
        var bytes = Array("{\"gradients\":[".utf8)
        for (index, value) in vector.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes += value.description.utf8
        }
        return bytes + "],\"gradIter\":\(number),\"weightIter\":\(weightIteration),\"paramIter\":\(parameterIteration),\"\(flag)\":false}".utf8
    }
}
