internal import FoundationEssentials
internal import Support
internal import WeightFiles

/// Weights as EdgeML's clients send them: base64 of a file, and what the client measured.
struct ReceivedWeights {
    /// Of a request with them, bytes.
    static let limit = 6 << 20
    private static let metricsLimit = 1 << 14

    let file: WeightFile
    /// A JSON object.
    let metrics: String

    /// - Throws: 422.
    init(_ body: JSONValue) throws(APIError) {
        guard let text = body["weights_data"]?.text, let bytes = Data(base64Encoded: text) else {
            throw .invalid("weights_data is no base64")
        }
        do throws(Fault) { file = try WeightFile([UInt8](bytes)) } catch { throw .invalid(error.message) }
        guard case .object(let measured)? = body["metrics"] else {
            metrics = "{}"
            return
        }
        metrics = String(decoding: JSONValue.object(measured).bytes, as: UTF8.self)
        guard metrics.utf8.count <= Self.metricsLimit else { throw .invalid("there are too many metrics") }
    }
}
