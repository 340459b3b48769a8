internal import Support
internal import Upload

/// The table of metadata: a row for each userID and eventDate, with texts m0 ... m9 and those of one's own.
///
/// Callers say "_userID", "_eventDate", "_m0" ... (``RowKey``); on the wire the names have no underscore.
struct DynamoTable {
    let name: String
    let call: JSONCall
    private var what: String { "the table \(name)" }

    // The largest row that DynamoDB takes: names and values in UTF-8.
    private static let rowLimit = 409_600, hashLimit = 2048, rangeLimit = 1024

    private struct Text: Codable { var S: String }
    private struct Nothing: Decodable {}

    /// Writes a row as a whole: texts that it does not have are removed from the one that was there.
    ///
    /// - Throws: `.refused` with `.usage` or `.badData`, saying what is missing, unknown or too large; those of the request.
    func write(_ metadata: [String: String], _ cancellation: Stop) throws(RemoteFailure) {
        struct Change: Encodable { var Action: String, Value: Text? }
        struct Wish: Encodable { var TableName: String, Key: [String: Text], AttributeUpdates: [String: Change] }
        do throws(Fault) { try Self.check(metadata) } catch { throw RemoteFailure(.refused, error) }
        var changes: [String: Change] = [:]
        for field in RowKey.fields + metadata.keys.filter({ !RowKey.all.contains($0) }) {
            changes[Self.wire(field)] =
                metadata[field].map { Change(Action: "PUT", Value: Text(S: $0)) } ?? Change(Action: "DELETE", Value: nil)
        }
        let key = [RowKey.user, RowKey.date].reduce(into: [:]) { key, name in key[Self.wire(name)] = Text(S: metadata[name] ?? "") }
        let _: Nothing = try call.send("UpdateItem", Wish(TableName: name, Key: key, AttributeUpdates: changes), what: what, cancellation)
    }

    private static func wire(_ key: String) -> String { String(key.dropFirst()) }

    static func check(_ metadata: [String: String]) throws(Fault) {
        guard !metadata.isEmpty else { throw Fault(.usage, "there is no metadata to write") }
        for key in [RowKey.user, RowKey.date] where metadata[key]?.isEmpty ?? true {
            throw Fault(.usage, "the metadata has no value for \(key)")
        }
        if let unknown = metadata.keys.sorted().first(where: { !RowKey.isName($0) }) {
            throw Fault(
                .usage, "the metadata has a field \(unknown)",
                remedy: "Names begin with \"_\", as those of Keys do: letters and digits, at most \(RowKey.longestName) of them.")
        }
        for (key, limit) in [(RowKey.user, hashLimit), (RowKey.date, rangeLimit)] {
            let count = metadata[key]?.utf8.count ?? 0
            guard count <= limit else { throw Fault(.badData, "\(key) has \(count) bytes; DynamoDB takes \(limit)") }
        }
        let size = metadata.reduce(0) { $0 + wire($1.key).utf8.count + $1.value.utf8.count }
        if size > rowLimit, let largest = metadata.max(by: { $0.value.utf8.count < $1.value.utf8.count }) {
            throw Fault(
                .badData,
                "the metadata has \(size) bytes, \(largest.value.utf8.count) of them in \(largest.key); a row of DynamoDB takes \(rowLimit)"
            )
        }
    }

    /// A user's rows between two event dates, both included, on all pages. Without dates all of them.
    func rows(
        user: String, dates: (from: String, to: String)?, keysOnly: Bool = false, _ cancellation: Stop
    ) throws(RemoteFailure) -> [[String: String]] {
        struct Wish: Encodable {
            var TableName: String, KeyConditionExpression: String
            var ExpressionAttributeNames: [String: String], ExpressionAttributeValues: [String: Text]
            var ProjectionExpression: String?, ExclusiveStartKey: [String: Text]?
        }
        struct Answer: Decodable { var Items: [[String: Attribute]], LastEvaluatedKey: [String: Text]? }
        var wish = Wish(
            TableName: name, KeyConditionExpression: "#userID = :userID", ExpressionAttributeNames: ["#userID": "userID"],
            ExpressionAttributeValues: [":userID": Text(S: user)])
        if let dates {
            wish.KeyConditionExpression += " AND #eventDate BETWEEN :fromDate AND :toDate"
            wish.ExpressionAttributeValues[":fromDate"] = Text(S: dates.from)
            wish.ExpressionAttributeValues[":toDate"] = Text(S: dates.to)
        }
        if dates != nil || keysOnly { wish.ExpressionAttributeNames["#eventDate"] = "eventDate" }
        if keysOnly { wish.ProjectionExpression = "#userID, #eventDate" }
        var rows: [[String: String]] = []
        repeat {
            let answer: Answer = try call.send("Query", wish, what: what, cancellation)
            for item in answer.Items {
                // Rows of 1.1.1 say "nil" where there is nothing.
                var row: [String: String] = [:]
                for (name, value) in item { if let text = value.text, text != "nil" { row["_" + name] = text } }
                rows.append(row)
            }
            wish.ExclusiveStartKey = answer.LastEvaluatedKey
        } while wish.ExclusiveStartKey != nil
        return rows
    }

    // What other programs wrote may have any type.
    private struct Attribute: Decodable {
        var text: String?
        enum Kind: String, CodingKey { case S, N }
        init(from decoder: any Decoder) throws {
            let value = try decoder.container(keyedBy: Kind.self)
            text = try value.decodeIfPresent(String.self, forKey: .S) ?? value.decodeIfPresent(String.self, forKey: .N)
        }
    }

    func delete(_ row: [String: String], _ cancellation: Stop) throws(RemoteFailure) {
        struct Wish: Encodable { var TableName: String, Key: [String: Text] }
        let key = [RowKey.user, RowKey.date].reduce(into: [:]) { key, name in key[Self.wire(name)] = Text(S: row[name] ?? "") }
        let _: Nothing = try call.send("DeleteItem", Wish(TableName: name, Key: key), what: what, cancellation)
    }
}
