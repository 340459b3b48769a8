internal import Glibc
internal import Support

/// One reader of the local stream. Its lines wait in the socket; what has no room there is lost to it, and it is told how much.
final class StreamReader {
    let events: Set<StreamEvent>
    private let file: CInt
    // The rest of a line of which the socket took a part.
    private var rest: ArraySlice<UInt8> = []
    private var lost = 0

    /// - Parameter file: a socket, which is closed at the end.
    init(_ file: CInt, events: Set<StreamEvent>) { (self.file, self.events) = (file, events) }

    deinit { close(file) }

    /// Sends what is due without waiting.
    ///
    /// - Parameter line: with its line feed.
    /// - Returns: false when nobody reads any more.
    func take(_ line: [UInt8]) -> Bool {
        guard flush() else { return false }
        if rest.isEmpty && lost > 0 {
            rest = ArraySlice(StreamLine.bytes([("event", .string("lost")), ("lines", .integer(lost))]))
            lost = 0
            guard flush() else { return false }
        }
        guard rest.isEmpty else {
            lost += 1
            return true
        }
        rest = ArraySlice(line)
        return flush()
    }

    /// Whether the other side has closed.
    var isGone: Bool {
        var byte: UInt8 = 0
        let count = unsafe recv(file, &byte, 1, CInt(MSG_PEEK | MSG_DONTWAIT))
        return count == 0 || count < 0 && errno != EAGAIN && errno != EINTR
    }

    private func flush() -> Bool {
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe send(file, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL | MSG_DONTWAIT)) }
            if count < 0 && errno == EINTR { continue }
            if count < 0 { return errno == EAGAIN || errno == ENOBUFS }
            rest = rest.dropFirst(count)
        }
        rest = []
        return true
    }
}

/// A line of JSON with its line feed.
enum StreamLine {
    static func bytes(_ members: [(String, JSON)]) -> [UInt8] { Array((JSON.object(members).text + "\n").utf8) }
}
