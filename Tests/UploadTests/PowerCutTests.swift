import Cryptography
import Glibc
import Support
import TestHelpers
import Testing

@testable import Upload

@Suite struct PowerCutTests {
    private let model = RecordedModel(labels: ["A", "B"], version: 1, window: 2, hop: 1)

    private var sealingKey: SealingKey { get throws { try SealingKey(file: uploadFixtures + "/sealed/public.pem") } }
    private var openingKey: OpeningKey { get throws { try OpeningKey(file: uploadFixtures + "/sealed/private.pem") } }

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
            for row in 0..<rows {
                try writer.append {
                    format.write(
                        RecordedWindow(time: Int64(file * 10 + row) * 1000, samples: [1, 2, 3, 4, 5, 6], decision: 0), label: nil, &$0)
                }
            }
            try writer.finish(hop: 1)
        }
        if let name = try spool.waiting().dropFirst().first { try spool.remove(name) }
    }

    private func rows(_ spool: Spool) throws -> [String: [String]] {
        var found: [String: [String]] = [:]
        for name in try spool.waiting() {
            var bytes = try Files.read(spool.path(pending: name), limit: 1 << 20)
            if name.hasSuffix(SealedFile.suffix) {
                var rows: [UInt8] = []
                _ = try openingKey.open(bytes, name: name) { rows += $0 }
                bytes = rows
            }
            found[name] = String(decoding: bytes, as: UTF8.self).split(
                separator: "\n", omittingEmptySubsequences: false
            ).dropLast().map(String.init)
        }
        return found
    }

    // A process that another test starts holds the lock too until it has become another program; what is locked is left.
    private func waitUntilUnlocked(_ spool: Spool, _ path: String) throws {
        for _ in 0..<200 {
            if try Files.list("\(path)/writing").isEmpty { return }
            usleep(10_000)
            _ = try spool.recover()
        }
    }

    @Test(arguments: [(CutDisk.Leftover.nothing, false), (.half, false), (.zeros, false), (.all, false), (.half, true), (.zeros, true)])
    func atEveryOperation(_ leftover: CutDisk.Leftover, isSealed: Bool) throws {
        let whole = CutDisk(cutAt: .max, .all), key = isSealed ? try sealingKey : nil
        func directory() -> String { self.directory("\(leftover)-\(isSealed)") }
        try record(try Spool(directory(), user: "u", sealing: key, disk: whole))
        let count = whole.operations,
            expected = "0.0,0.000244140625,0.00048828125,0.000732421875,0.0009765625,0.001220703125,0.00146484375,1.0,0.0,0.0,0.0"
        #expect(count > 40)
        for cut in 1...count {
            for undoesRenames in [false, true] {
                let path = directory(), disk = CutDisk(cutAt: cut, leftover)
                #expect(throws: Fault.self) { try record(try Spool(path, user: "u", sealing: key, disk: disk)) }
                #expect(disk.isCut)
                // Whatever a cut tears, it was written by then.
                try disk.settle(undoesRenames: undoesRenames)

                // A second cut, in the middle of the recovery, must not matter either.
                let again = CutDisk(cutAt: 1 + cut % 9, leftover)
                if let spool = try? Spool(path, user: "u", sealing: key, disk: again) { _ = try? spool.recover() }
                try again.settle(undoesRenames: undoesRenames)

                let spool = try Spool(path, user: "u", sealing: key), first = try spool.recover()
                try waitUntilUnlocked(spool, path)
                #expect(try spool.recover().files == 0, "a second recovery finds nothing (cut \(cut), first \(first))")
                for (name, rows) in try rows(spool) {
                    #expect(!rows.isEmpty, "\(name) is empty after cut \(cut)")
                    for row in rows {
                        #expect(
                            row.hasSuffix(expected.dropFirst(3)) && row.split(separator: ",").count == 11,
                            "\(name): \(row) after cut \(cut)")
                    }
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
                    try writer.append {
                        format.write(RecordedWindow(time: Int64(file) * 1000, samples: [1, 2, 3, 4, 5, 6], decision: 0), label: nil, &$0)
                    }
                    try writer.finish(hop: 1)
                    finished.append(name)
                }
            } catch {}
            try disk.settle(undoesRenames: true)
            let spool = try Spool(path, user: "u")
            _ = try spool.recover()
            for name in finished {
                #expect(try Files.read(spool.path(pending: name), limit: 1000).last == UInt8(ascii: "\n"), "\(name) after cut \(cut)")
                #expect(spool.attributes(of: name)?.metadata[RowKey.field(2)] == "A,B")
            }
        }
    }
}
