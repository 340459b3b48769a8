/// Numbers as people say them.
package enum Units {
    /// "1 file", "2 files".
    package static func several(_ count: some BinaryInteger, _ what: String) -> String { "\(count) \(what)\(count == 1 ? "" : "s")" }

    package static func files(_ count: Int) -> String { several(count, "file") }

    package static func megabytes(_ bytes: Int64) -> String { Decimals.text(bytes, over: 1_000_000, places: 1) + " MB" }

    /// "90 s", "3 min", "5 h", "4 days".
    package static func duration(_ seconds: Int64) -> String {
        switch seconds {
        case ..<120: "\(max(0, seconds)) s"
        case ..<7200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3600) h"
        default: "\(seconds / 86_400) days"
        }
    }

    /// "95.8 %" of a share of one.
    package static func percent(_ share: Double) -> String { Decimals.text(share * 100, places: 1) + " %" }
}
