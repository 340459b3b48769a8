internal import Glibc
internal import Support

/// A reader's end of the local stream.
@safe final class StreamConnection {
    private let file: CInt
    private var bytes: [UInt8] = []

    /// Subscribes with the running program.
    ///
    /// - Throws: `.noInput` when none runs, `.permission`, what it answers as an error.
    init(_ events: [StreamEvent], at path: String?) throws(Fault) {
        file = try Self.subscribe(events, at: path)
    }

    /// A socket from which the stream's lines come.
    static func subscribe(_ events: [StreamEvent], at path: String?) throws(Fault) -> CInt {
        let file = try ControlSocket.connect(path)
        let question = JSONValue.members([
            ("command", .string("subscribe")), ("events", .array(events.map { .string($0.rawValue) })),
        ])
        guard ControlSocket.write(String(decoding: question.bytes, as: UTF8.self), to: file) else {
            close(file)
            throw Fault(.temporary, "gaitway does not answer")
        }
        return file
    }

    deinit { close(file) }

    /// Whether this program would read its own stream.
    var isOwn: Bool { ControlSocket.isOwn(file) }

    enum Line {
        /// With the text that it was read from.
        case event(JSONValue, String)
        /// Nothing came in that time.
        case none
        case cancelled
        /// The program has ended.
        case end
    }

    /// The next line.
    ///
    /// - Parameters:
    ///   - milliseconds: to wait at most.
    ///   - cancellation: ends the wait.
    /// - Throws: what the other side answers as an error; `.badData` for what is no line of JSON.
    func next(within milliseconds: Int, unless cancellation: Stop) throws(Fault) -> Line {
        let due = SystemTime.monotonic + Int64(milliseconds) * 1_000_000
        while true {
            if let end = bytes.firstIndex(of: 10) {
                let line = Array(bytes[..<end])
                bytes.removeFirst(end + 1)
                guard let value = JSONValue(parsing: line) else { throw Fault(.badData, "the stream's line is no JSON") }
                if let error = ControlClient.fault(in: value) { throw error }
                return .event(value, String(decoding: line, as: UTF8.self))
            }
            guard bytes.count <= ControlSocket.limit else { throw Fault(.badData, "the stream's line has no end") }
            let left = Int((due - SystemTime.monotonic) / 1_000_000)
            var files = [
                pollfd(fd: file, events: Int16(POLLIN), revents: 0),
                pollfd(fd: cancellation.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let ready = unsafe poll(&files, 2, CInt(clamping: max(0, left)))
            if files[1].revents != 0 { return .cancelled }
            if ready == 0 { return .none }
            if ready > 0, !receive() { return .end }
        }
    }

    private func receive() -> Bool {
        var piece = [UInt8](repeating: 0, count: 4096)
        let count = unsafe recv(file, &piece, piece.count, CInt(MSG_DONTWAIT))
        if count < 0 { return errno == EAGAIN || errno == EINTR }
        bytes += piece.prefix(count)
        return count > 0
    }
}
