internal import Support

/// A FlatBuffers file, read where it lies. Every offset is checked against the file's end: a broken file is a fault, never a trap.
///
/// Source: the FlatBuffers format: little-endian; a table begins with the signed distance back to its vtable, which holds its own
/// length, the table's length, and for each field its distance from the table's start, or 0.
struct FlatBuffer {
    let bytes: [UInt8]
    let path: String

    func bad(_ what: String) -> Fault { Fault(.badData, "\(path): \(what)", remedy: "Is the file whole? Download or convert it again.") }

    /// - Parameter identifier: the four letters at bytes 4 ..< 8.
    func root(identifier: String) throws(Fault) -> Table {
        guard bytes.count >= 8, Array(bytes[4..<8]) == Array(identifier.utf8) else {
            throw bad("it does not begin like a file of this kind (\"\(identifier)\")")
        }
        return try table(at: try offset(at: 0))
    }

    /// The position that the unsigned offset at `position` points to.
    func offset(at position: Int) throws(Fault) -> Int {
        let target = Int64(position) + Int64(try number(at: position, as: UInt32.self)) // Int has 32 bits on armhf
        guard target < Int64(bytes.count) else { throw bad("an offset at byte \(position) points beyond its end") }
        return Int(target)
    }

    func number<Number: FixedWidthInteger>(at position: Int, as type: Number.Type) throws(Fault) -> Number {
        let size = Number.bitWidth / 8
        guard position >= 0, position <= bytes.count - size else { throw bad("it is cut off: byte \(position) is beyond its end") }
        var value: Number = 0
        for byte in bytes[position..<position + size].reversed() { value = (size > 1 ? value << 8 : 0) | Number(truncatingIfNeeded: byte) }
        return value
    }

    func table(at position: Int) throws(Fault) -> Table {
        let place = Int64(position) - Int64(try number(at: position, as: Int32.self))
        guard place >= 0, place < Int64(bytes.count) else { throw bad("the table at byte \(position) has no list of fields") }
        let vtable = Int(place)
        let size = Int(try number(at: vtable, as: UInt16.self))
        guard size >= 4, vtable + size <= bytes.count else { throw bad("the table at byte \(position) has a broken list of fields") }
        return Table(file: self, position: position, vtable: vtable, fields: (size - 4) / 2)
    }

    /// A table's fields by their number in the schema. A field that is absent has its default.
    struct Table {
        let file: FlatBuffer
        fileprivate let position: Int
        fileprivate let vtable: Int
        fileprivate let fields: Int

        private func place(_ field: Int) throws(Fault) -> Int? {
            guard field < fields else { return nil }
            let distance = Int(try file.number(at: vtable + 4 + 2 * field, as: UInt16.self))
            return distance == 0 ? nil : position + distance
        }

        func number<Number: FixedWidthInteger>(_ field: Int, default fallback: Number) throws(Fault) -> Number {
            guard let place = try place(field) else { return fallback }
            return try file.number(at: place, as: Number.self)
        }

        func float(_ field: Int, default fallback: Float) throws(Fault) -> Float {
            Float(bitPattern: try number(field, default: fallback.bitPattern))
        }

        func table(_ field: Int) throws(Fault) -> Table? {
            guard let place = try place(field) else { return nil }
            return try file.table(at: try file.offset(at: place))
        }

        func text(_ field: Int) throws(Fault) -> String {
            String(decoding: file.bytes[try vector(field, element: 1)], as: UTF8.self)
        }

        func tables(_ field: Int) throws(Fault) -> [Table] {
            var tables: [Table] = []
            for place in stride(from: try vector(field, element: 4).lowerBound, to: try vector(field, element: 4).upperBound, by: 4) {
                tables.append(try file.table(at: try file.offset(at: place)))
            }
            return tables
        }

        func numbers<Number: FixedWidthInteger>(_ field: Int, as type: Number.Type) throws(Fault) -> [Number] {
            var numbers: [Number] = []
            let size = Number.bitWidth / 8, range = try vector(field, element: size)
            for place in stride(from: range.lowerBound, to: range.upperBound, by: size) {
                numbers.append(try file.number(at: place, as: type))
            }
            return numbers
        }

        /// The bytes of a vector's elements; empty when the field is absent.
        func vector(_ field: Int, element size: Int) throws(Fault) -> Range<Int> {
            guard let place = try place(field) else { return 0..<0 }
            let start = try file.offset(at: place), claimed = try file.number(at: start, as: UInt32.self), count = Int(clamping: claimed)
            guard count <= (file.bytes.count - start - 4) / size else {
                throw file.bad("a list at byte \(start) claims \(claimed) elements, more than the file holds")
            }
            return start + 4..<start + 4 + count * size
        }
    }
}
