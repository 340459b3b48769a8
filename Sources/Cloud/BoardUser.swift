internal import Cryptography
public import Support

/// A user's ID for a board that nobody named.
public enum BoardUser {
    /// Of this machine's ID and nothing that tells who or where it is; the same for good.
    ///
    /// Errors: `.configuration` where the machine has no ID.
    public static func name(machineID path: String = "/etc/machine-id") throws(Fault) -> String {
        guard let bytes = try? Files.read(path, limit: 256), bytes.count >= 32 else {
            throw Fault(.configuration, "this machine has no ID (\(path)), so its data has no name", remedy: "Set upload.user, or: sudo systemd-machine-id-setup")
        }
        // machine-id(5): to be hashed with a key of the application, never shown.
        let code = MessageCode.of(bytes.prefix(32), key: Array("gaitway.upload.user".utf8))
        return "board-" + Hexadecimal.text(code).prefix(12)
    }
}
