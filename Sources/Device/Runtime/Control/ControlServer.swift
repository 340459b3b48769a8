internal import Glibc
package import Support

/// Answers at the control socket, one caller after the other, on a thread of its own.
package final class ControlServer: Sendable {
    private let file: CInt
    private let path: String
    private let ending = Stop()
    private let thread = ServiceThread()

    /// - Parameter answer: a line of JSON to a line of JSON; called on the server's thread.
    /// - Throws: `.temporary` when another program listens there, `.permission` and others of making the socket.
    package init(at path: String = ControlSocket.path, _ answer: @escaping @Sendable (String) -> String) throws(Fault) {
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
        let before = umask(0o177)
        let isBound = address.binds(file)
        umask(before)
        guard isBound, listen(file, 8) == 0 else {
            close(file)
            throw Fault(.failure, "\(path) cannot be made: \(unsafe String(cString: strerror(errno)))")
        }
        thread.start { [file, ending] in Self.serve(file, ending, answer) }
    }

    private static func serve(_ file: CInt, _ ending: Stop, _ answer: (String) -> String) {
        while true {
            var files = [
                pollfd(fd: file, events: Int16(POLLIN), revents: 0), pollfd(fd: ending.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            guard unsafe poll(&files, 2, -1) > 0 || errno == EINTR, files[1].revents == 0 else { return }
            guard files[0].revents != 0 else { continue }
            let caller = accept(file, nil, nil)
            guard caller >= 0 else { continue }
            _ = fcntl(caller, F_SETFD, FD_CLOEXEC)
            var patience = timeval(tv_sec: 2, tv_usec: 0)
            for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
                unsafe setsockopt(caller, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
            }
            if let question = ControlSocket.line(from: caller) { _ = ControlSocket.write(answer(question), to: caller) }
            close(caller)
        }
    }

    package func stop() {
        ending.raise()
        guard thread.join() else { return }
        close(file)
        unsafe unlink(path)
    }
}
