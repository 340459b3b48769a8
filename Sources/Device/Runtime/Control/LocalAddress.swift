internal import Glibc

/// Where a socket of this machine is: a path, or "@" and an abstract name.
struct LocalAddress {
    private var address = sockaddr_un()
    private let length: socklen_t

    /// nil for a name that is empty or too long.
    init?(_ text: String) {
        var name = Array(text.utf8)
        guard name.count > 1, name.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        if name[0] == UInt8(ascii: "@") { name[0] = 0 }
        length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
    }

    func connects(_ socket: CInt) -> Bool { unsafe with { unsafe connect(socket, $0, $1) } == 0 }

    func binds(_ socket: CInt) -> Bool { unsafe with { unsafe bind(socket, $0, $1) } == 0 }

    private func with(_ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
        unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, length) }
        }
    }
}
