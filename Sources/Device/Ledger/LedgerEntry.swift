/// A way on which data of the wearer leaves the board.
package enum Departure: String, Codable, Sendable, CaseIterable {
    /// Files of recorded windows; an item is a window.
    case uploads
    /// An item is a heartbeat that names an activity.
    case heartbeats
    /// Batches; an item is a change of activity, or a fall's state.
    case events
    /// Messages to an MQTT broker; an item is one that names an activity, or a fall's state.
    case broker
}

/// What left the board on one way to one place.
package struct LedgerEntry: Codable, Sendable, Equatable {
    package let kind: Departure
    /// A bucket, a hub's address, a broker.
    package let destination: String
    /// What was sent, and how many of those things said something of the wearer.
    package internal(set) var messages: Int64, items: Int64
    /// Of files; 0 where nobody counts them.
    package internal(set) var bytes: Int64
    /// When the first and the last left, seconds since 1970.
    package internal(set) var first: Int64, last: Int64
    /// When all that had left was erased there, seconds since 1970; nil where it was not.
    package internal(set) var erased: Int64?

    private static let most: Int64 = 1 << 53
    /// The last second of the year 9999.
    static let latest: Int64 = 253_402_300_799

    /// A file that somebody edited has no number that could overflow.
    var isBounded: Bool {
        [messages, items, bytes].allSatisfy { (0...Self.most).contains($0) }
            && [first, last, erased ?? 0].allSatisfy { (0...Self.latest).contains($0) } && destination.utf8.count <= 1000
    }

    mutating func add(_ other: LedgerEntry) {
        messages = min(messages + other.messages, Self.most)
        items = min(items + other.items, Self.most)
        bytes = min(bytes + other.bytes, Self.most)
        (first, last) = (min(first, other.first), max(last, other.last))
    }
}
