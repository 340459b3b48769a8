/// This program's file, and others that are installed with it.
package enum Programs {
    /// The path of this program.
    package static var own: String { Files.target(ofLink: "/proc/self/exe") }

    /// The path of the program of that name in this one's directory; without one the name alone, for the search path.
    package static func beside(_ name: String) -> String {
        let own = own, path = own.lastIndex(of: "/").map { own[...$0] + name } ?? name
        return Files.exists(path) ? path : name
    }
}
