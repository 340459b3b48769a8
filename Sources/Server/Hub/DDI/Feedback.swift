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
        guard let status = body["status"], let execution = status["execution"]?.text else { throw .invalid("status.execution is missing") }
        let finished = status["result"]?["finished"]?.text
        state =
            switch (execution, finished) {
            case ("closed", "failure"), ("rejected", _), ("canceled", _): .refused
            case ("closed", _): .committed
            default: .probation
            }
        guard state == .refused, case .array(let details)? = status["details"] else {
            reason = state == .refused ? execution : ""
            return
        }
        let told = details.suffix(Self.mostDetails).compactMap(\.text).joined(separator: "; ").unicodeScalars.filter { $0.value >= 32 }
        reason = told.isEmpty ? execution : String(String.UnicodeScalarView(told.prefix(Self.longestReason)))
    }
}
