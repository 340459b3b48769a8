internal import CNumberText

/// The bytes of LibraData's CSV, written into a buffer that is used again: numbers as Swift describes them, commas between, a line feed
/// behind every row.
package struct CSVText: Sendable {
    private var buffer: [UInt8]
    private var count = 0
    private var isRowBegun = false

    package init(capacity: Int = 1 << 13) { buffer = [UInt8](repeating: 0, count: max(capacity, 64)) }

    package var bytes: ArraySlice<UInt8> { buffer[..<count] }

    package mutating func removeAll() { (count, isRowBegun) = (0, false) }

    package mutating func append(_ value: Double) { unsafe put { unsafe gw_double_text(value, $0) } }

    /// Units / 4096, as exact as a Double of it, many times as fast.
    package mutating func append(q12 units: Int16) { unsafe put { unsafe gw_q12_text(units, $0) } }

    /// Ends the row. Without labels the last feature keeps its comma, as SwiftyForesight writes it.
    package mutating func endRow(hasLabels: Bool) {
        if !hasLabels { put(UInt8(ascii: ",")) }
        put(UInt8(ascii: "\n"))
        isRowBegun = false
    }

    private mutating func put(_ byte: UInt8) {
        makeRoom()
        buffer[count] = byte
        count += 1
    }

    private mutating func put(_ write: (UnsafeMutablePointer<CChar>) -> Int32) {
        if isRowBegun { put(UInt8(ascii: ",")) }
        isRowBegun = true
        makeRoom()
        count += unsafe buffer.withUnsafeMutableBytes { room in
            guard let start = room.baseAddress else { return 0 }
            return unsafe Int(write((start + count).assumingMemoryBound(to: CChar.self)))
        }
    }

    // For one number and what is around it.
    private mutating func makeRoom() {
        if buffer.count - count < Int(GW_DOUBLE_TEXT_MAX) { buffer.append(contentsOf: repeatElement(0, count: buffer.count)) }
    }
}
