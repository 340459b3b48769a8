internal import Glibc
package import Support

/// The running program's control socket, which its owner alone may use. One line of JSON asks, one line answers.
package enum ControlSocket {
    package static var path: String { Places.state + "/control.sock" }

    static let limit = 1 << 20

    static func address(_ path: String) throws(Fault) -> LocalAddress {
        guard let address = LocalAddress(path) else { throw Fault(.configuration, "\(path) is too long for a socket") }
        return address
    }

    /// Asks the running program.
    ///
    /// - Throws: `.noInput` when none runs, `.permission`, `.temporary` when it does not answer within ten seconds.
    package static func ask(_ question: String, at path: String = path) throws(Fault) -> String {
        let file = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0), place = try address(path)
        defer { close(file) }
        guard place.connects(file) else {
            if errno == EACCES { throw Fault(.permission, "\(path) is another user's", remedy: "Try it with sudo.") }
            throw Fault(.noInput, "no gaitway runs here", remedy: "Start it: gaitway run, or systemctl start gaitway.")
        }
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        unsafe setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        guard write(question, to: file), let answer = line(from: file) else { throw Fault(.temporary, "gaitway does not answer") }
        return answer
    }

    static func write(_ text: String, to file: CInt) -> Bool {
        let bytes = Array((text + "\n").utf8)
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes[sent...].withUnsafeBytes { unsafe send(file, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            guard count > 0 else {
                if count < 0 && errno == EINTR { continue }
                return false
            }
            sent += count
        }
        return true
    }

    /// Up to the first line feed; nil when there is none, or too much before it.
    static func line(from file: CInt) -> String? {
        var bytes: [UInt8] = [], piece = [UInt8](repeating: 0, count: 4096)
        while bytes.count <= limit {
            let count = unsafe read(file, &piece, piece.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return nil }
            bytes += piece.prefix(count)
            if let end = bytes.firstIndex(of: 10) { return String(decoding: bytes[..<end], as: UTF8.self) }
        }
        return nil
    }
}
