internal import Support

/// EdgeML's "PTTH": big-endian 32-bit words magic, version 1, count; for each array, sorted by name, the name's length and bytes, rank,
/// dimensions, type, length and bytes of its numbers. They are 32-bit floating point whatever the type says, in the writer's byte order.
enum WeightContainer {
    private static let magic: UInt32 = 0x5054_5448

    static func isOne(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x50, 0x54, 0x54, 0x48]) }

    static func read(_ bytes: [UInt8]) throws(Fault) -> WeightFile {
        var reader = Reader(bytes: bytes)
        _ = try reader.word()
        guard try reader.word() == 1 else { throw Fault(.badData, "the weight container is not of version 1") }
        var little: [WeightFile.Array] = [], big: [WeightFile.Array] = [], left = WeightFile.mostValues
        for _ in 0..<(try reader.count(most: 10_000)) {
            guard let name = String(validating: try reader.take(try reader.count(most: 1000)), as: UTF8.self) else {
                throw Fault(.badData, "a name in the weight container is no UTF-8")
            }
            var shape: [Int] = []
            for _ in 0..<(try reader.count(most: 8)) { shape.append(try reader.count(most: WeightFile.mostValues)) }
            _ = try reader.word()
            let length = try reader.count(most: 4 * WeightFile.mostValues), numbers = try reader.take(length)
            guard let count = WeightFile.count(shape), count * 4 == length, count <= left else {
                throw Fault(.badData, "the array \(name) of the weight container has another length than its shape, or is too large")
            }
            left -= count
            let words = stride(from: numbers.startIndex, to: numbers.endIndex, by: 4).map { numbers[$0..<$0 + 4] }
            little.append(.init(name: name, shape: shape, values: words.map { Float(bitPattern: Self.word($0.reversed())) }))
            big.append(.init(name: name, shape: shape, values: words.map { Float(bitPattern: Self.word($0)) }))
        }
        guard reader.isAtEnd else { throw Fault(.badData, "the weight container has bytes behind its end") }
        // By their names, whoever wrote it: sums of several belong together.
        little.sort { $0.name < $1.name }
        big.sort { $0.name < $1.name }
        // Nothing in the file tells the order: read the wrong way, most numbers are enormous, tiny or none.
        return plausible(big) > plausible(little)
            ? WeightFile(format: .bigEndianContainer, arrays: big) : WeightFile(format: .littleEndianContainer, arrays: little)
    }

    private static func plausible(_ arrays: [WeightFile.Array]) -> Int {
        arrays.reduce(0) { $0 + $1.values.count { $0 == 0 || (abs($0) > 1e-12 && abs($0) < 1e12) } }
    }

    static func bytes(_ file: WeightFile) -> [UInt8] {
        var bytes: [UInt8] = []
        func put(_ word: UInt32) { bytes += [UInt8(word >> 24), UInt8(word >> 16 & 255), UInt8(word >> 8 & 255), UInt8(word & 255)] }
        put(magic)
        put(1)
        put(UInt32(clamping: file.arrays.count))
        for array in file.arrays.sorted(by: { $0.name < $1.name }) {
            let name = Array(array.name.utf8)
            put(UInt32(clamping: name.count))
            bytes += name
            put(UInt32(clamping: array.shape.count))
            for size in array.shape { put(UInt32(clamping: size)) }
            put(0)
            put(UInt32(clamping: 4 * array.values.count))
            for value in array.values {
                put(file.format == .bigEndianContainer ? value.bitPattern : value.bitPattern.byteSwapped)
            }
        }
        return bytes
    }

    private static func word(_ bytes: some Sequence<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }

    private struct Reader {
        let bytes: [UInt8]
        var at = 0
        var isAtEnd: Bool { at == bytes.count }

        mutating func take(_ count: Int) throws(Fault) -> ArraySlice<UInt8> {
            guard count <= bytes.count - at else { throw Fault(.badData, "the weight container is cut off") }
            defer { at += count }
            return bytes[at..<at + count]
        }

        mutating func word() throws(Fault) -> UInt32 { WeightContainer.word(try take(4)) }

        mutating func count(most: Int) throws(Fault) -> Int {
            let word = try word()
            guard word <= UInt32(most) else {
                throw Fault(.badData, "the weight container has a length of \(word), and \(most) is the most")
            }
            return Int(word)
        }
    }
}
