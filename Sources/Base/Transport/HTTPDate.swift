internal import CCurl

package enum HTTPDate {
    /// "Sat, 21 Nov 2026 16:00:00 GMT" in seconds since 1970; nil for what is no date.
    package static func seconds(_ text: String) -> Int64? {
        let seconds = unsafe gw_http_date(text)
        return seconds > 0 ? seconds : nil
    }
}
