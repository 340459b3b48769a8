internal import CDecimals

/// The bytes of LibraData's CSV, written into a buffer that is used again: numbers as Swift describes them, commas between, a line feed
/// behind every row.
public struct CSVText: Sendable {
    public private(set) var bytes: [UInt8] = []
    private var isRowBegun = false

    public init(capacity: Int = 1 << 13) { bytes.reserveCapacity(capacity) }

    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        isRowBegun = false
    }

    public mutating func append(_ value: Double) { unsafe put { unsafe gw_double_text(value, $0) } }

    /// Units / 4096, as exact as a Double of it, many times as fast.
    public mutating func append(q12 units: Int16) { unsafe put { unsafe gw_q12_text(units, $0) } }

    /// Ends the row. Without labels the last feature keeps its comma, as SwiftyForesight writes it.
    public mutating func endRow(hasLabels: Bool) {
        if !hasLabels { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "\n"))
        isRowBegun = false
    }

    private mutating func put(_ write: (UnsafeMutablePointer<CChar>) -> Int32) {
        if isRowBegun { bytes.append(UInt8(ascii: ",")) }
        isRowBegun = true
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(GW_DOUBLE_TEXT_MAX)) { text in
            guard let start = text.baseAddress else { return }
            let count = unsafe Int(write(start))
            unsafe start.withMemoryRebound(to: UInt8.self, capacity: count) { unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: $0, count: count)) }
        }
    }
}
