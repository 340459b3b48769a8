internal import Hummingbird
internal import Support

/// What an address asks for behind its "?".
struct QueryParameters {
    let limit: Int
    let offset: Int
    private let parameters: Parameters

    /// - Throws: 422.
    init(_ request: Request, most: Int) throws(APIError) {
        parameters = request.uri.queryParameters
        func whole(_ name: String, _ range: ClosedRange<Int>) throws(APIError) -> Int? {
            guard let text = request.uri.queryParameters[Substring(name)] else { return nil }
            guard let number = Int(text), range.contains(number) else {
                throw .invalid("\(name) is not within \(range.lowerBound) ... \(range.upperBound)")
            }
            return number
        }
        limit = try whole("limit", 1...most) ?? min(most, 100)
        offset = try whole("offset", 0...1_000_000_000) ?? 0
    }

    func text(_ name: String) throws(APIError) -> String? {
        guard let found = parameters[Substring(name)] else { return nil }
        // It is decoded already.
        let text = String(found)
        guard text.utf8.count <= 200 else {
            throw .invalid("\(name) is no text of at most 200 bytes")
        }
        return text
    }

    func number(_ name: String) throws(APIError) -> Double? {
        guard let found = parameters[Substring(name)] else { return nil }
        guard let number = Double(found), number.isFinite else { throw .invalid("\(name) is no number") }
        return number
    }
}
