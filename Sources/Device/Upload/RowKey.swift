/// The names of a row of metadata: whose file it is, when it began, and up to ten texts about it.
package enum RowKey {
    /// The user's ID.
    package static let user = "_userID"
    /// When it was: 14 digits, yyyyMMddHHmmss.
    package static let date = "_eventDate"
    package static let fields = (0...9).map { field($0) }
    package static let all = [user, date] + fields

    /// - Parameter number: 0 to 9.
    package static func field(_ number: Int) -> String { "_m\(number)" }

    /// Of a field of one's own: SwiftyForesight's first pages have `_customAttr`.
    package static let longestName = 60

    /// Whether a field can be called that.
    package static func isName(_ text: String) -> Bool {
        text.utf8.count <= longestName && text.hasPrefix("_") && text.count > 1
            && text.dropFirst().unicodeScalars.allSatisfy { $0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "_" }
    }
}
