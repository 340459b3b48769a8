internal import CrowdLearning
internal import Support

/// A user's node: what this device sent last, and whether the server is done with it. Names and types of all generations.
struct UserNode: Equatable, Sendable {
    /// What the node has; that of the first generation where that is what is there.
    var flag = CheckIn.Name.processed
    /// nil where there is none yet.
    var isProcessed: Bool?
    var number: Int?
    var weightIteration: Int?
    /// Whether the server said that it was too late; Gaitway's does.
    var isStale = false

    init() {}

    init(_ value: JSONValue) {
        if value[CheckIn.Name.processed] == nil, value[CheckIn.Name.readByServer] != nil { flag = CheckIn.Name.readByServer }
        if case .bool(let found)? = value[flag] { isProcessed = found }
        number = Self.whole(value[CheckIn.Name.number])
        weightIteration = Self.whole(value[CheckIn.Name.weightIteration])
        isStale = value[CheckIn.Name.stale] == true
    }

    /// nil also for numbers that no crowd comes to: one more is to fit, on 32 bits too.
    static func whole(_ value: JSONValue?) -> Int? {
        value?.looseNumber.flatMap { Int(exactly: $0) }.flatMap { (-1...1 << 30).contains($0) ? $0 : nil }
    }
}
