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
}
