internal import HubProtocol
internal import JSONReading
internal import Support

/// What a board says of an image that it was told to install.
struct Feedback {
    let state: ModelState
    let reason: String

    private static let mostDetails = 20, longestReason = 500

    /// - Parameter body: hawkBit's: `status` with `execution`, `result.finished` and `details`.
    /// - Throws: 422.
    init(_ body: JSONValue) throws(APIError) {
        guard let status = body["status"], case .string(let execution)? = status["execution"] else {
            throw .invalid("status.execution is missing")
        }
        let result = status["result"] ?? .null, finished = result["finished"]?.text ?? "none"
        if result != .null { guard case .object = result else { throw .invalid("status.result is no object") } }
        guard ["success", "failure", "none"].contains(finished) else { throw .invalid("result.finished is success, failure or none") }
        state =
            switch execution {
            case "closed": finished == "failure" ? .refused : .committed
            case "canceled": .refused
            case "proceeding", "scheduled", "resumed", "rejected", "download", "downloaded": .probation
            default:
                throw .invalid("execution is closed, canceled, proceeding, scheduled, resumed, rejected, download or downloaded")
            }
        guard state == .refused, case .array(let details)? = status["details"] else {
            reason = state == .refused ? execution : ""
            return
        }
        let told = details.suffix(Self.mostDetails).compactMap(\.text).joined(separator: "; ").unicodeScalars.filter { $0.value >= 32 }
        reason = told.isEmpty ? execution : String(String.UnicodeScalarView(told.prefix(Self.longestReason)))
    }
}
