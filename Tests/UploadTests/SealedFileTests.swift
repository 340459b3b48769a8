import Cryptography
import Support
import Synchronization
import TestHelpers
import Testing

@testable import Upload

/// Rows sealed to a public key; the files in Fixtures/uploads/sealed were made with openssl and pyhpke 0.6.5.
@Suite struct SealedFileTests {
    private let key: SealingKey, opening: OpeningKey

    init() throws {
        key = try SealingKey(file: uploadFixtures + "/sealed/public.pem")
        opening = try OpeningKey(file: uploadFixtures + "/sealed/private.pem")
    }

    private func open(_ bytes: [UInt8]) throws -> (rows: [[UInt8]], end: OpeningKey.End) {
        var rows: [[UInt8]] = []
        let end = try opening.open(bytes, name: "it") { rows.append($0) }
        return (rows, end)
    }

    private func check(_ bytes: some Sequence<UInt8>) -> SealedFile.Check {
        var check = SealedFile.Check()
        check.take(bytes)
        return check
    }

    private func sealed(_ rows: [[UInt8]]) throws -> [UInt8] {
        var sealer = try Sealer(to: key), bytes = sealer.head
        for row in rows { bytes += try sealer.seal(row[...]) }
        return bytes + (try sealer.end())
    }

    @Test func whatAnotherProgramSealed() throws {
        let bytes = try Files.read(uploadFixtures + "/sealed/rows.csv.hpke", limit: 4096)
        let (rows, end) = try open(bytes)
        #expect(try rows.flatMap(\.self) == Files.read(uploadFixtures + "/sealed/rows.csv", limit: 4096) && end == .whole)
        #expect(check(bytes).pieces == 2 && check(bytes).whole == bytes.count)
    }

    @Test func itIsOpenedAsFarAsItIsWhole() throws {
        let rows = [Array("1,2\n".utf8), Array("3,4\n".utf8), [UInt8](repeating: 7, count: 5700)], bytes = try sealed(rows)
        #expect(try open(bytes) == (rows, .whole))
        for count in [0, 7, 8, 72] { #expect(throws: Fault.self) { try open(Array(bytes.prefix(count))) } }
        for count in 73..<240 {
            let part = Array(bytes.prefix(count)), check = check(part), (found, end) = try open(part)
            #expect(end == .cutOff && found == Array(rows.prefix(check.pieces)))
            // What is kept of it after a power cut is opened as well.
            #expect(try open(Array(part.prefix(check.whole))).rows == found)
        }
        #expect(try open(Array(bytes.dropLast(20))) == (rows, .cutOff))
    }

    @Test func whatWasChangedIsNoticed() throws {
        let bytes = try sealed([Array("1,2\n".utf8), Array("3,4\n".utf8)])
        for place in bytes.indices {
            var other = bytes
            other[place] ^= 1
            let found = try? open(other)
            #expect(found?.end != .whole, "byte \(place)")
            #expect(found.map { $0.rows.count < 2 || $0.end == .damaged(bytes.count - 20) || $0.end == .cutOff } ?? true, "byte \(place)")
        }
        // Two whole files, one after the other.
        #expect(try open(bytes + bytes).end == .damaged(bytes.count - 20))
    }

    @Test func anotherKeyOpensNothing() throws {
        let bytes = try sealed([Array("1,2\n".utf8)]), other = try OpeningKey(pem: SigningKey().pem, path: "other")
        #expect {
            try other.open(bytes, name: "it") { _ in }
        } throws: { ($0 as? Fault)?.code == .permission }
        #expect(throws: Fault.self) { try SealingKey(pem: "nothing", path: "x") }
    }

    @Test func aRowThatTheDiskDidNotTakeIsNotMissedByThoseAfterIt() throws {
        let spool = try Spool(temporaryDirectory(), user: "u", limits: SpoolLimits(keepFree: 0), sealing: key, disk: FullDisk(failing: 3))
        let writer = SpoolWriter(spool)
        try writer.begin(at: 1_790_000_000, FileAttributes(metadata: [:]))
        var failures = 0
        for row in 0..<5 {
            do throws(Fault) {
                try writer.append { text in
                    text.append(Double(row))
                    text.endRow(hasLabels: true)
                }
            } catch { failures += 1 }
        }
        try writer.finish(hop: 1)
        let name = try #require(try spool.waiting().first), bytes = try Files.read(spool.path(pending: name), limit: 4096)
        #expect(failures == 1 && name.hasSuffix("_data.csv.hpke") && spool.attributes(of: name)?.digest == Digest.text(bytes))
        #expect(try open(bytes) == ((0..<5).map { Array("\($0).0\n".utf8) }, .whole))
        #expect(spool.rows(of: name) == 5)
    }
}

/// A disk that refuses one append.
private final class FullDisk: Disk, Sendable {
    private let system = SystemDisk(), failing: Int
    private let count = Mutex(0)

    init(failing: Int) { self.failing = failing }

    func append(_ bytes: ArraySlice<UInt8>, to file: CInt, _ path: String) throws(Fault) {
        // Of data: other files are replaced as a whole.
        let number = count.withLock { count in
            count += path.hasSuffix(SealedFile.suffix) ? 1 : 0
            return count
        }
        if number == failing, path.hasSuffix(SealedFile.suffix) { throw Fault(.failure, "full", condition: .diskFull) }
        try system.append(bytes, to: file, path)
    }
    func makeDirectory(_ path: String) throws(Fault) { try system.makeDirectory(path) }
    func create(_ path: String) throws(Fault) -> CInt { try system.create(path) }
    func overwrite(_ path: String, with bytes: [UInt8]) throws(Fault) { try system.overwrite(path, with: bytes) }
    func truncate(_ file: CInt, to length: Int64, _ path: String) throws(Fault) { try system.truncate(file, to: length, path) }
    func synchronise(_ file: CInt, _ path: String) throws(Fault) { try system.synchronise(file, path) }
    func close(_ file: CInt) { system.close(file) }
    func rename(_ path: String, to other: String) throws(Fault) { try system.rename(path, to: other) }
    func remove(_ path: String) throws(Fault) { try system.remove(path) }
    func synchronise(directory path: String) throws(Fault) { try system.synchronise(directory: path) }
    func freeBytes(_ path: String) throws(Fault) -> Int64 { try system.freeBytes(path) }
}
