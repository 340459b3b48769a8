internal import Cryptography
internal import HubDatabase
package import Support
internal import Synchronization

/// Models' files outside the database, each by its SHA-256: in a bucket or a directory that all servers have.
package final class ModelFolder: Sendable {
    private let remote: any RemoteFiles
    // For files on their way.
    private let directory: String
    private static let ending = ".part"
    private let fetching = Mutex<[String: Task<Result<[UInt8], Fault>, Never>]>([:])

    /// - Parameter directory: of this server alone; made where it is missing.
    package init(_ remote: any RemoteFiles, directory: String) throws(Fault) {
        (self.remote, self.directory) = (remote, directory)
        try Files.makeDirectory(directory)
    }

    /// Removes what a server that was killed left on its way.
    package func tidy() throws(Fault) {
        for name in try Files.list(directory) where name.hasSuffix(Self.ending) { try? Files.remove("\(directory)/\(name)") }
    }

    package var place: String { remote.place }

    /// What is there already under that name should be the same.
    ///
    /// - Throws: also where it cannot be had back as it was.
    func put(_ bytes: [UInt8], checksum: String) async throws(Fault) {
        try await Worker.run { [self] _ in
            Result { () throws(Fault) in
                let path = part(checksum)
                defer { try? Files.remove(path) }
                try Files.write(bytes, to: path, isPrivate: true)
                try remote.put(path, as: checksum)
            }
        }
        // Nowhere else will these be.
        _ = try await self.bytes(checksum: checksum, size: bytes.count)
    }

    /// - Throws: `.temporary` for whatever keeps the file away, and where it is another: who asked for it asks again.
    func bytes(checksum: String, size: Int) async throws(Fault) -> [UInt8] {
        // A thousand boards ask for a new model at once.
        let task = fetching.withLock { fetching in
            if let task = fetching[checksum] { return task }
            let task = Task { () -> Result<[UInt8], Fault> in
                let result = await fetch(checksum, size)
                self.fetching.withLock { $0[checksum] = nil }
                return result
            }
            fetching[checksum] = task
            return task
        }
        return try await task.value.get()
    }

    private func fetch(_ checksum: String, _ size: Int) async -> Result<[UInt8], Fault> {
        do throws(Fault) {
            return .success(
                try await Worker.run { [self] _ in
                    Result { () throws(Fault) in
                        let path = part(checksum)
                        defer { try? Files.remove(path) }
                        try remote.fetch(checksum, to: path)
                        let bytes = try Files.read(path, limit: size)
                        guard bytes.count == size, Digest.text(bytes) == checksum else {
                            throw Fault(.badData, "it is another file")
                        }
                        return bytes
                    }
                })
        } catch {
            return .failure(Fault(.temporary, "the file \(checksum) cannot be had now", remedy: "\(place): \(error.message)"))
        }
    }

    private func part(_ checksum: String) -> String { "\(directory)/\(checksum).\(Secret.identifier())\(Self.ending)" }
}

extension HubStore {
    /// Moves the files of models out of the database, one after the other: call it now and then, on one of all servers.
    ///
    /// - Returns: how many there were.
    package func moveModels(to folder: ModelFolder) async throws(Fault) -> Int {
        var count = 0, fault: Fault?
        let waiting = try await read {
            try String.fetchAll($0, sql: "SELECT checksum FROM versions WHERE length(bytes) > 0 GROUP BY checksum ORDER BY MIN(created)")
        }
        for checksum in waiting where !Task.isCancelled {
            let bytes = try await read {
                try [UInt8].fetchOne(
                    $0, sql: "SELECT bytes FROM versions WHERE checksum = ? AND length(bytes) > 0 LIMIT 1", arguments: [checksum])
            }
            guard let bytes else { continue }
            // One that cannot be moved holds back no other.
            do throws(Fault) { try await folder.put(bytes, checksum: checksum) } catch {
                fault = error
                continue
            }
            try await write { try $0.execute(sql: "UPDATE versions SET bytes = ? WHERE checksum = ?", arguments: [[UInt8](), checksum]) }
            count += 1
        }
        if let fault { throw fault }
        return count
    }

    /// Whether files of models are where only a server with their place finds them.
    package func hasMovedModels() async throws(Fault) -> Bool {
        try await read { try Row.fetchOne($0, sql: "SELECT 1 AS one FROM versions WHERE length(bytes) = 0 AND size > 0 LIMIT 1") != nil }
    }

    /// The bytes of a row of `versions`, wherever they are.
    func bytes(_ row: Row?) async throws(Fault) -> [UInt8]? {
        guard let row else { return nil }
        let bytes: [UInt8] = row["bytes"], size: Int = row["size"], checksum: String = row["checksum"]
        guard bytes.isEmpty, size > 0 else { return bytes }
        guard let folder = modelFolder.withLock({ $0 }) else {
            throw Fault(
                .temporary, "the file \(checksum) cannot be had now",
                remedy: "It is where `gaitway-hub serve --models` put it, and this server was not given that place.")
        }
        return try await folder.bytes(checksum: checksum, size: size)
    }
}
