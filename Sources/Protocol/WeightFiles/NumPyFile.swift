internal import Support

/// NumPy's array file (NEP 1), versions 1 to 3: floating point of 32 or 64 bits, either byte order, row-major.
enum NumPyFile {
    private static let magic: [UInt8] = [0x93, 0x4E, 0x55, 0x4D, 0x50, 0x59]

    static func isOne(_ bytes: [UInt8]) -> Bool { bytes.starts(with: magic) }

    static func read(_ bytes: [UInt8]) throws(Fault) -> WeightFile {
        let cut = Fault(.badData, "the NumPy file is cut off")
        guard bytes.count >= 10 else { throw cut }
        let isLong = bytes[6] > 1, start = isLong ? 12 : 10
        guard (1...3).contains(bytes[6]), bytes.count >= start else { throw Fault(.badData, "the NumPy file is of no known version") }
        let length = (isLong ? bytes[8..<12] : bytes[8..<10]).reversed().reduce(0) { $0 << 8 | UInt32($1) }
        guard length <= 65_536, Int(length) <= bytes.count - start else { throw cut }
        let header = String(decoding: bytes[start..<start + Int(length)], as: UTF8.self), data = bytes[(start + Int(length))...]
        guard let type = value("descr", in: header), let shape = shape(header), let count = WeightFile.count(shape) else {
            throw Fault(.badData, "the NumPy file's header does not tell type and shape, or there are too many numbers")
        }
        guard value("fortran_order", in: header) == "False" || shape.count < 2 else {
            throw Fault(.badData, "the NumPy file is column-major", remedy: "Write numpy.ascontiguousarray(weights).")
        }
        let isBig = type.hasPrefix(">")
        guard ["<f4", ">f4", "<f8", ">f8"].contains(type) else {
            throw Fault(.badData, "the NumPy file has \(type.prefix(20)), not floating point of 32 or 64 bits")
        }
        let size = type.hasSuffix("8") ? 8 : 4
        guard data.count == count * size else { throw cut }
        let values = stride(from: data.startIndex, to: data.endIndex, by: size).map { at -> Float in
            let word = data[at..<at + size], bits = (isBig ? Array(word) : word.reversed()).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return size == 8 ? Float(Double(bitPattern: bits)) : Float(bitPattern: UInt32(truncatingIfNeeded: bits))
        }
        return WeightFile(format: .numpy, arrays: [.init(name: "", shape: shape, values: values)])
    }

    static func bytes(_ file: WeightFile) -> [UInt8] {
        let shape = file.arrays.first?.shape ?? [0], sizes = shape.map { "\($0)" }.joined(separator: ", ")
        var header = "{'descr': '<f4', 'fortran_order': False, 'shape': (\(sizes)\(shape.count == 1 ? "," : "")), }"
        // The numbers begin at a multiple of 64.
        header += String(repeating: " ", count: 63 - (10 + header.utf8.count) % 64) + "\n"
        var bytes = magic + [1, 0, UInt8(header.utf8.count & 255), UInt8(header.utf8.count >> 8)] + Array(header.utf8)
        for value in file.values {
            let bits = value.bitPattern
            bytes += [UInt8(bits & 255), UInt8(bits >> 8 & 255), UInt8(bits >> 16 & 255), UInt8(bits >> 24)]
        }
        return bytes
    }

    // The header is a literal of Python's with three members: text in quotes, True or False, a tuple of whole numbers.
    private static func value(_ name: String, in header: String) -> String? {
        guard let found = header.firstRange(of: "'\(name)':") else { return nil }
        let rest = header[found.upperBound...].drop { $0 == " " }
        return rest.first == "'" ? String(rest.dropFirst().prefix { $0 != "'" }) : String(rest.prefix { $0.isLetter })
    }

    private static func shape(_ header: String) -> [Int]? {
        guard let found = header.firstRange(of: "'shape':"), let open = header[found.upperBound...].firstIndex(of: "("),
            let close = header[open...].firstIndex(of: ")")
        else { return nil }
        let sizes = header[header.index(after: open)..<close].split(separator: ",").map { $0.filter { $0 != " " } }.filter { !$0.isEmpty }
        let shape = sizes.compactMap { Int($0) }
        return shape.count == sizes.count && shape.count <= 8 ? shape : nil
    }
}
