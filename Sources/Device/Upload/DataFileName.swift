internal import Cryptography
internal import Support

/// USER_yyyyMMddHHmmss_data.csv: what a file of data is called, here and in the bucket, in local time.
package enum DataFileName {
    package static func name(of user: String, at seconds: Int64) -> String { "\(user)_\(date(seconds))_data.csv" }

    /// Whether it ends as a file of data does, sealed or not.
    static func isData(_ name: String) -> Bool { name.hasSuffix("_data.csv") || name.hasSuffix("_data.csv" + SealedFile.suffix) }

    /// Fourteen digits: the event date of metadata.
    package static func date(_ seconds: Int64) -> String { CalendarTime(local: seconds).digits }

    /// The event date in a name; nil when it has none.
    package static func date(in name: String) -> String? {
        name.split(separator: "_").last { isDate($0) }.map(String.init)
    }

    /// Whether a text is fourteen digits.
    package static func isDate(_ text: some StringProtocol) -> Bool {
        text.utf8.count == 14 && text.utf8.allSatisfy { (48...57).contains($0) }
    }

    /// The first name from a second on that is not used yet: a name is for one file, and so is an event date.
    package static func first(of user: String, from seconds: Int64, isUsed: (String) -> Bool) -> String {
        var seconds = seconds
        while isUsed(name(of: user, at: seconds)) { seconds += 1 }
        return name(of: user, at: seconds)
    }

    /// Whether a name was made of a user and a moment.
    package static func isMade(_ name: String, of user: String) -> Bool {
        date(in: name).map { name == "\(user)_\($0)_data.csv" } ?? false
    }
}
