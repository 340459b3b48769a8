package import Support

/// A file with one secret, which nobody else may read.
package enum SecretFile {
    /// Bytes.
    private static let limit = 4096

    /// The secret, without the space around it.
    ///
    /// - Parameter setting: that names the file, for messages.
    /// - Throws: `.configuration` for what is no file, or one that others may read; those of reading it.
    package static func read(_ path: String, setting: String) throws(Fault) -> String {
        guard Files.isFile(path) else {
            throw Fault(.configuration, "\(setting): \(path) is not a file", remedy: "Write the secret into it, and chmod 600 \(path).")
        }
        guard try Files.isPrivate(path) else { throw Fault(.configuration, "others may read \(path)", remedy: "chmod 600 \(path)") }
        do throws(Fault) {
            return String(String(decoding: try Files.read(path, limit: limit), as: UTF8.self).trimmed)
        } catch  where error.code == .permission {
            throw Fault(.permission, "\(path) may not be read", remedy: "Make it a file of the user that runs gaitway, with mode 600.")
        } catch  where error.code == .badData {
            throw Fault(.configuration, "\(path) is too long for a secret: it has more than \(limit) bytes")
        }
    }
}
