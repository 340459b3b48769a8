package import Support

/// A name for a board that nobody named.
package enum BoardName {
    /// Of this machine's ID and nothing that tells who or where it is; the same for good.
    ///
    /// - Throws: `.configuration` where the machine has no ID.
    package static func of(machineID path: String = "/etc/machine-id") throws(Fault) -> String {
        guard let bytes = try? Files.read(path, limit: 256), bytes.count >= 32 else {
            throw Fault(
                .configuration, "this machine has no ID (\(path)), so it has no name",
                remedy: "sudo systemd-machine-id-setup, or name it in the configuration (upload.user).")
        }
        // machine-id(5): to be hashed with a key of the application, never shown.
        let code = MessageCode.of(bytes.prefix(32), key: Array("gaitway.upload.user".utf8))
        return "board-" + Hexadecimal.text(code).prefix(12)
    }
}
