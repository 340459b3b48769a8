internal import Cryptography
internal import Support

/// The key that a board is known by: made on the board, 0600, and never sent; or systemd's credential "board-key".
enum BoardKey {
    private static func path(_ state: String) -> String { "\(state)/board-key.pem" }

    /// The board's key, made where there is none yet.
    ///
    /// - Parameter state: the directory of the board's state.
    /// - Throws: `.badData` for a file that is no key; those of the disk.
    static func load(in state: String) throws(Fault) -> SigningKey {
        let path = Places.credential("board-key") ?? path(state)
        if Files.exists(path) { return try SigningKey(file: path) }
        let made = SigningKey()
        try Files.makeDirectory(state)
        try Files.write(Array(made.pem.utf8), to: path, isPrivate: true)
        return made
    }

    static func remove(in state: String) throws(Fault) { if Files.exists(path(state)) { try Files.remove(path(state)) } }
}
