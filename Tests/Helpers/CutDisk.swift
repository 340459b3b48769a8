import Glibc
internal import Synchronization

package import Support

/// A disk whose power goes at a chosen operation. What was not synchronised by then is lost, as a whole or from some byte on; names that
/// their directory was not synchronised for are as before or as after.
package final class CutDisk: Disk {
    /// What a cut leaves of what was not synchronised.
    package enum Leftover: CaseIterable, Sendable { case nothing, half, zeros, all }

    private struct State {
        var operations = 0
        var synced: [CInt: (path: String, length: Int64)] = [:]
        /// Renames whose directory was not synchronised yet.
        var renames: [(from: String, to: String, replaced: [UInt8]?)] = []
        var created: [String] = []
        var isCut = false
    }
    private let state = Mutex(State())
    private let disk = SystemDisk()
    package let cut: Int
    private let leftover: Leftover

    package init(cutAt cut: Int, _ leftover: Leftover) { (self.cut, self.leftover) = (cut, leftover) }

    package var operations: Int { state.withLock { $0.operations } }
    package var isCut: Bool { state.withLock { $0.isCut } }

    private func operation() throws(Fault) {
        let isOff = state.withLock { state in
            if !state.isCut { state.operations += 1 }
            if state.operations == cut { state.isCut = true }
            return state.isCut
        }
        if isOff { throw Fault(.failure, "the power is off") }
    }

    package func makeDirectory(_ path: String) throws(Fault) {
        try operation()
        try disk.makeDirectory(path)
    }

    package func create(_ path: String) throws(Fault) -> CInt {
        try operation()
        let file = try disk.create(path)
        state.withLock { state in
            state.synced[file] = (path, 0)
            state.created.append(path)
        }
        return file
    }

    package func append(_ bytes: ArraySlice<UInt8>, to file: CInt, _ path: String) throws(Fault) {
        do throws(Fault) { try operation() } catch {
            // The cut may come in the middle of a write.
            if state.withLock({ $0.operations == cut }) { try? disk.append(bytes.prefix(bytes.count / 2), to: file, path) }
            throw error
        }
        try disk.append(bytes, to: file, path)
    }

    package func overwrite(_ path: String, with bytes: [UInt8]) throws(Fault) {
        try operation()
        try disk.overwrite(path, with: bytes)
    }

    package func truncate(_ file: CInt, to length: Int64, _ path: String) throws(Fault) {
        try operation()
        try disk.truncate(file, to: length, path)
    }

    package func synchronise(_ file: CInt, _ path: String) throws(Fault) {
        try operation()
        try disk.synchronise(file, path)
        let length = try Files.size(path)
        state.withLock { $0.synced[file]?.length = length }
    }

    package func close(_ file: CInt) { disk.close(file) }

    package func rename(_ path: String, to other: String) throws(Fault) {
        try operation()
        let replaced = Files.exists(other) ? try Files.read(other, limit: 1 << 24) : nil
        try disk.rename(path, to: other)
        state.withLock { state in
            state.renames.append((path, other, replaced))
            for (file, entry) in state.synced where entry.path == other { state.synced[file] = nil } // the file that was there is gone
            for (file, entry) in state.synced where entry.path == path { state.synced[file]?.path = other }
        }
    }

    package func remove(_ path: String) throws(Fault) {
        try operation()
        try disk.remove(path)
    }

    package func synchronise(directory path: String) throws(Fault) {
        try operation()
        state.withLock { state in
            state.renames.removeAll { $0.to.hasPrefix(path + "/") && !$0.to.dropFirst(path.count + 1).contains("/") }
            state.created.removeAll { $0.hasPrefix(path + "/") }
        }
    }

    package func freeBytes(_ path: String) throws(Fault) -> Int64 { 1 << 40 }

    /// Leaves the directory as the machine would find it.
    package func settle(undoesRenames: Bool) throws {
        let state = state.withLock { $0 }
        if leftover != .all {
            for (_, entry) in state.synced where Files.exists(entry.path) {
                let size = try Files.size(entry.path), lost = size - entry.length
                guard lost > 0 else { continue }
                let file = open(entry.path, O_RDWR)
                switch leftover {
                case .nothing, .all: ftruncate(file, off_t(entry.length))
                case .half: ftruncate(file, off_t(entry.length + lost / 2))
                case .zeros:
                    ftruncate(file, off_t(entry.length + lost / 2))
                    ftruncate(file, off_t(size))
                }
                close(file)
            }
        }
        guard undoesRenames else { return }
        for (from, to, replaced) in state.renames.reversed() where Files.exists(to) {
            _ = Glibc.rename(to, from)
            if let replaced { try Files.write(replaced, to: to) }
        }
    }
}
