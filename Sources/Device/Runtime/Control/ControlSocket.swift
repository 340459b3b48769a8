internal import CProcess
internal import Glibc
package import Support

/// The running program's control socket, which its owner may use; members of the service's group may read. One line of JSON asks,
/// one line answers.
package enum ControlSocket {
    package static var path: String { Places.state + "/control.sock" }

    static let limit = 1 << 20

    static func address(_ path: String) throws(Fault) -> LocalAddress {
        guard let address = LocalAddress(path) else { throw Fault(.configuration, "\(path) is too long for a socket") }
        return address
    }

    /// Where a program may answer: this user's own, then the service.
    static var paths: [String] {
        let service = Places.service + "/control.sock"
        return Places.isGiven || path == service ? [path] : [path, service]
    }

    static func isAnswered(_ path: String) -> Bool {
        guard let place = LocalAddress(path) else { return false }
        let file = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(file) }
        return place.connects(file)
    }

    /// A socket whose other end is the running program.
    ///
    /// - Parameter path: the first of ``paths`` that answers when nil.
    /// - Throws: `.noInput` when none runs, `.permission`.
    static func connect(_ path: String? = nil) throws(Fault) -> CInt {
        var forbidden: String?
        for path in path.map({ [$0] }) ?? paths {
            let place = try address(path), file = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            if place.connects(file) {
                var patience = timeval(tv_sec: 10, tv_usec: 0)
                unsafe setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
                return file
            }
            if errno == EACCES { forbidden = path }
            close(file)
        }
        if let forbidden {
            throw Fault(
                .permission, "\(forbidden) is another user's",
                remedy: "Try it with sudo, or join the service's group: sudo usermod -aG gaitway $(id -un)")
        }
        throw Fault(.noInput, "no gaitway runs here", remedy: "Start it: gaitway run, or systemctl start gaitway.")
    }

    /// Asks the running program.
    ///
    /// - Throws: `.noInput` when none runs, `.permission`, `.temporary` when it does not answer within ten seconds.
    package static func ask(_ question: String, at path: String? = nil) throws(Fault) -> String {
        let file = try connect(path)
        defer { close(file) }
        guard write(question, to: file), let answer = line(from: file) else { throw Fault(.temporary, "gaitway does not answer") }
        return answer
    }

    /// For who asks again and again: nil where no other program runs, or where it does not answer within a quarter of a second.
    static func answerAtOnce(_ question: String, at path: String) -> String? {
        guard let place = LocalAddress(path) else { return nil }
        let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue, file = socket(AF_UNIX, CInt(type), 0)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var patience = timeval(tv_sec: 0, tv_usec: 250_000)
        // A full queue of a program that hangs must not hold this one up; what is sent fits the socket.
        guard place.connects(file), !isOwn(file), write(question, to: file), fcntl(file, F_SETFL, 0) == 0,
            unsafe setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size)) == 0
        else { return nil }
        return line(from: file)
    }

    /// The user whose program is at the other end.
    static func user(of file: CInt) -> uid_t? { peer(of: file)?.user }

    /// Whether this program itself is at the other end.
    static func isOwn(_ file: CInt) -> Bool { peer(of: file)?.process == getpid() }

    private static func peer(of file: CInt) -> (process: Int32, user: UInt32)? {
        var process: Int32 = 0, user: UInt32 = 0
        return unsafe gw_peer(file, &process, &user) ? (process, user) : nil
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
