internal import FoundationEssentials
internal import Glibc
internal import Support

/// Where tokens are kept: a file that its owner alone may read, replaced as a whole.
struct TokenFile {
    private let directory: String
    private let path: String

    /// - Parameters:
    ///   - service, account: as the SDK names the keychain's item.
    init(service: String, account: String, in state: String) {
        func plain(_ text: String) -> String {
            String(text.unicodeScalars.map { $0.value > 32 && $0.value < 127 && $0 != "/" ? Character($0) : "_" })
        }
        directory = "\(state)/\(plain(service))"
        path = "\(directory)/\(plain(account)).json"
    }

    /// nil when there is none.
    ///
    /// - Throws: `.badData` when it is not what it should be, `.permission`.
    func read() throws(Fault) -> DeviceTokens? {
        guard Files.exists(path) else { return nil }
        let bytes = try Files.read(path, limit: 1 << 16)
        do {
            return try JSONDecoder().decode(DeviceTokens.self, from: Data(bytes))
        } catch {
            throw Fault(.badData, "\(path) does not hold a device's tokens", remedy: "Register the board again: gaitway register")
        }
    }

    func write(_ state: DeviceTokens) throws(Fault) {
        if !Files.isDirectory(directory) {
            try Files.makeDirectory(directory)
            try Files.makePrivate(directory: directory)
        }
        guard let bytes = try? JSONEncoder().encode(state) else { throw Fault(.failure, "the tokens cannot be written") }
        try Files.write(Array(bytes), to: path, isPrivate: true)
    }

    /// One program of the board at a time; nil where another one holds it for half a minute.
    ///
    /// - Throws: those of making the lock's file.
    func lock() async throws(Fault) -> FileLock? {
        for _ in 0..<600 {
            if let lock = try FileLock("\(directory)/lock") { return lock }
            do { try await Task.sleep(for: .milliseconds(50)) } catch { return nil }
        }
        return nil
    }

    func remove() throws(Fault) { if Files.exists(path) { try Files.remove(path) } }
}
