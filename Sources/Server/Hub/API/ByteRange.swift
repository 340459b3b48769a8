/// One range of a Range header. Several at once are not served: the whole file is, as RFC 9110 allows.
enum ByteRange: Equatable {
    /// From there to there or the end; so many at the end.
    case from(Int, Int?), last(Int)

    /// nil for what is no such header.
    init?(_ text: String) {
        guard text.hasPrefix("bytes=") else { return nil }
        let parts = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }) else { return nil }
        switch (Int(parts[0]), Int(parts[1])) {
        case (let first?, let last):
            guard parts[1].isEmpty || (last.map { $0 >= first } ?? false) else { return nil }
            self = .from(first, last)
        case (nil, let count?) where parts[0].isEmpty: self = .last(count)
        default: return nil
        }
    }

    /// nil when a file of `count` bytes has none of it.
    func bounds(of count: Int) -> Range<Int>? {
        switch self {
        case .from(let first, let last): first < count ? first..<Swift.min(count, last.map { $0 < Int.max ? $0 + 1 : $0 } ?? count) : nil
        case .last(let wanted): wanted > 0 && count > 0 ? Swift.max(0, count - wanted)..<count : nil
        }
    }
}
