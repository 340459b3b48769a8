internal import CProcess
internal import Glibc
package import Support

/// Answers at the control socket, one caller after the other, on a thread of its own.
package final class ControlServer: Sendable {
    /// Who asks.
    package struct Caller: Sendable {
        /// Its socket.
        package let file: CInt
        /// Whether it is this program's own user, or root: others may only read.
        package let isOwner: Bool
    }

    package enum Reply: Sendable {
        /// A line of JSON; the caller's socket is closed after it.
        case line(String)
        /// The socket is somebody else's now.
        case taken
    }

    private let file: CInt
    private let path: String
    private let ending = Stop()
    private let thread = ServiceThread()

    /// - Parameter answer: a reply to a line of JSON; called on the server's thread.
    /// - Throws: `.temporary` when another program listens there, `.permission` and others of making the socket.
    package init(at path: String = ControlSocket.path, _ answer: @escaping @Sendable (String, Caller) -> Reply) throws(Fault) {
        self.path = path
        if let slash = path.lastIndex(of: "/") { try Files.makeDirectory(String(path[..<slash])) }
        let address = try ControlSocket.address(path)
        file = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        if address.connects(file) {
            close(file)
            throw Fault(.temporary, "another gaitway runs already, and answers at \(path)")
        }
        // What a program that was killed left.
        unsafe unlink(path)
        // The socket's mode becomes the file's: no moment in which others could connect, and no umask, which all threads share.
        fchmod(file, Self.mode)
        guard address.binds(file), listen(file, 8) == 0 else {
            close(file)
            throw Fault(.failure, "\(path) cannot be made: \(unsafe String(cString: strerror(errno)))")
        }
        unsafe chmod(path, Self.mode) // what the umask took away
        thread.start { [file, ending] in Self.serve(file, ending, answer) }
    }

    /// The service's group may read what it does; other groups may be everybody's.
    private static var mode: mode_t {
        let name = unsafe getgrgid(getegid()).map { unsafe String(cString: $0.pointee.gr_name) }
        return name == "gaitway" ? 0o660 : 0o600
    }

    private static func serve(_ file: CInt, _ ending: Stop, _ answer: (String, Caller) -> Reply) {
        while true {
            var files = [
                pollfd(fd: file, events: Int16(POLLIN), revents: 0), pollfd(fd: ending.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            guard unsafe poll(&files, 2, -1) > 0 || errno == EINTR, files[1].revents == 0 else { return }
            guard files[0].revents != 0 else { continue }
            let socket = gw_accept(file)
            guard socket >= 0 else {
                // Without descriptors the caller stays in the queue, which poll would report again at once.
                if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno), ending.isRaised(within: 200) { return }
                continue
            }
            reply(to: socket, answer)
        }
    }

    private static func reply(to socket: CInt, _ answer: (String, Caller) -> Reply) {
        var patience = timeval(tv_sec: 2, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            unsafe setsockopt(socket, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
        guard let question = ControlSocket.line(from: socket) else {
            close(socket)
            return
        }
        let user = ControlSocket.user(of: socket)
        switch answer(question, Caller(file: socket, isOwner: user == 0 || user == geteuid())) {
        case .taken: break
        case .line(let text):
            _ = ControlSocket.write(text, to: socket)
            close(socket)
        }
    }

    package func stop() {
        ending.raise()
        guard thread.join() else { return }
        close(file)
        unsafe unlink(path)
    }
}
