import Glibc
import Support
import Synchronization
import Testing

@testable import Upload

/// A disk whose power goes at a chosen operation. What was not synchronised by then is lost, as a whole or from some byte on; names that
/// their directory was not synchronised for are as before or as after.
private final class CutDisk: Disk {
    /// What a cut leaves of what was not synchronised.
    enum Leftover: CaseIterable { case nothing, half, zeros, all }

    struct PowerCut: Error {}
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
    let cut: Int
    private let leftover: Leftover

    init(cutAt cut: Int, _ leftover: Leftover) { (self.cut, self.leftover) = (cut, leftover) }

    var operations: Int { state.withLock { $0.operations } }
    var isCut: Bool { state.withLock { $0.isCut } }

    private func operation() throws(Fault) {
        let isOff = state.withLock { state in
            if !state.isCut { state.operations += 1 }
            if state.operations == cut { state.isCut = true }
            return state.isCut
        }
        if isOff { throw Fault(.failure, "the power is off") }
    }

    func makeDirectory(_ path: String) throws(Fault) {
        try operation()
        try disk.makeDirectory(path)
    }

    func create(_ path: String) throws(Fault) -> CInt {
        try operation()
        let file = try disk.create(path)
        state.withLock { state in
            state.synced[file] = (path, 0)
            state.created.append(path)
        }
        return file
    }

    func append(_ bytes: ArraySlice<UInt8>, to file: CInt, _ path: String) throws(Fault) {
        do throws(Fault) { try operation() } catch {
            // The cut may come in the middle of a write.
            if state.withLock({ $0.operations == cut }) { try? disk.append(bytes.prefix(bytes.count / 2), to: file, path) }
            throw error
        }
        try disk.append(bytes, to: file, path)
    }

    func overwrite(_ path: String, with bytes: [UInt8]) throws(Fault) {
        try operation()
        try disk.overwrite(path, with: bytes)
    }

    func truncate(_ file: CInt, to length: Int64, _ path: String) throws(Fault) {
        try operation()
        try disk.truncate(file, to: length, path)
    }

    func synchronise(_ file: CInt, _ path: String) throws(Fault) {
        try operation()
        try disk.synchronise(file, path)
        let length = try Files.size(path)
        state.withLock { $0.synced[file]?.length = length }
    }

    func close(_ file: CInt) { disk.close(file) }

    func rename(_ path: String, to other: String) throws(Fault) {
        try operation()
        let replaced = Files.exists(other) ? try Files.read(other, limit: 1 << 24) : nil
        try disk.rename(path, to: other)
        state.withLock { state in
            state.renames.append((path, other, replaced))
            for (file, entry) in state.synced where entry.path == other { state.synced[file] = nil } // the file that was there is gone
            for (file, entry) in state.synced where entry.path == path { state.synced[file]?.path = other }
        }
    }

    func remove(_ path: String) throws(Fault) {
        try operation()
        try disk.remove(path)
    }

    func synchronise(directory path: String) throws(Fault) {
        try operation()
        state.withLock { state in
            state.renames.removeAll { $0.to.hasPrefix(path + "/") && !$0.to.dropFirst(path.count + 1).contains("/") }
            state.created.removeAll { $0.hasPrefix(path + "/") }
        }
    }

    func freeBytes(_ path: String) throws(Fault) -> Int64 { 1 << 40 }

    /// Leaves the directory as the machine would find it.
    func settle(undoesRenames: Bool) throws {
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

@Suite struct PowerCutTests {
    private let model = RecordedModel(labels: ["A", "B"], version: 1, window: 2, hop: 1)

    private func directory(_ name: String) -> String {
        let path = "/tmp/gaitway-cut-\(getpid())-\(name)"
        for part in ["writing", "pending", "refused", "torn", "attributes"] {
            for file in (try? Files.list("\(path)/\(part)")) ?? [] { try? Files.remove("\(path)/\(part)/\(file)") }
            rmdir("\(path)/\(part)")
        }
        for file in (try? Files.list(path)) ?? [] { try? Files.remove("\(path)/\(file)") }
        rmdir(path)
        return path
    }

    // Three files of two rows each, the last one of one; the second is taken away as if it had been sent.
    private func record(_ spool: Spool) throws(Fault) {
        let format = RowFormat(content: .raw, model: model)
        let writer = SpoolWriter(spool)
        for (file, rows) in [2, 2, 1].enumerated() {
            try writer.begin(at: 1_000_000 + Int64(file), format.attributes)
            for row in 0..<rows { try writer.append { format.write(RecordedWindow(time: Double(file * 10 + row), samples: [1, 2, 3, 4, 5, 6], decision: 0), label: nil, &$0) } }
            try writer.finish(hop: 1)
        }
        if let name = try spool.waiting().dropFirst().first { try spool.remove(name) }
    }

    private func rows(_ spool: Spool) throws -> [String: [String]] {
        var found: [String: [String]] = [:]
        for name in try spool.waiting() {
            found[name] = String(decoding: try Files.read(spool.path(pending: name), limit: 1 << 20), as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        }
        return found
    }

    @Test(arguments: CutDisk.Leftover.allCases) fileprivate func atEveryOperation(_ leftover: CutDisk.Leftover) throws {
        let whole = CutDisk(cutAt: .max, .all), path = directory("\(leftover)")
        try record(try Spool(path, user: "u", disk: whole))
        let count = whole.operations, expected = "0.0,0.000244140625,0.00048828125,0.000732421875,0.0009765625,0.001220703125,0.00146484375,1.0,0.0,0.0,0.0"
        #expect(count > 40)
        for cut in 1...count {
            for undoesRenames in [false, true] {
                let path = directory("\(leftover)"), disk = CutDisk(cutAt: cut, leftover)
                #expect(throws: Fault.self) { try record(try Spool(path, user: "u", disk: disk)) }
                #expect(disk.isCut)
                // Whatever a cut tears, it was written by then.
                try disk.settle(undoesRenames: undoesRenames)

                // A second cut, in the middle of the recovery, must not matter either.
                let again = CutDisk(cutAt: 1 + cut % 9, leftover)
                if let spool = try? Spool(path, user: "u", disk: again) { _ = try? spool.recover() }
                try again.settle(undoesRenames: undoesRenames)

                let spool = try Spool(path, user: "u"), first = try spool.recover()
                #expect(try spool.recover().files == 0, "a second recovery finds nothing (cut \(cut), first \(first))")
                for (name, rows) in try rows(spool) {
                    #expect(!rows.isEmpty, "\(name) is empty after cut \(cut)")
                    for row in rows { #expect(row.hasSuffix(expected.dropFirst(3)) && row.split(separator: ",").count == 11, "\(name): \(row) after cut \(cut)") }
                    #expect(Set(rows).count == rows.count)
                }
                #expect(try Files.list("\(path)/writing").isEmpty)
                // And it goes on recording under names that were never given.
                let before = try spool.waiting()
                try record(spool)
                #expect(try spool.waiting().count == before.count + 2)
            }
        }
    }

    @Test func finishedFilesAreThere() throws {
        let path = directory("finished")
        let count = { () -> Int in
            let disk = CutDisk(cutAt: .max, .nothing)
            try? record(try Spool(path, user: "u", disk: disk))
            return disk.operations
        }()
        for cut in 1...count {
            let path = directory("finished"), disk = CutDisk(cutAt: cut, .nothing), format = RowFormat(content: .raw, model: model)
            var finished: [String] = []
            do {
                let writer = SpoolWriter(try Spool(path, user: "u", disk: disk))
                for file in 0..<4 {
                    try writer.begin(at: 1_000_000 + Int64(file), format.attributes)
                    let name = try #require(writer.name)
                    try writer.append { format.write(RecordedWindow(time: Double(file), samples: [1, 2, 3, 4, 5, 6], decision: 0), label: nil, &$0) }
                    try writer.finish(hop: 1)
                    finished.append(name)
                }
            } catch {}
            try disk.settle(undoesRenames: true)
            let spool = try Spool(path, user: "u")
            _ = try spool.recover()
            for name in finished {
                #expect(try Files.read(spool.path(pending: name), limit: 1000).last == UInt8(ascii: "\n"), "\(name) after cut \(cut)")
                #expect(spool.attributes(of: name)?.metadata[Keys.m2] == "A,B")
            }
        }
    }
}
