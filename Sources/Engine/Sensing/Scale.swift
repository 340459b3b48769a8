internal import CSignal
package import Support

/// From raw counts to Q3.12 g, exactly rounded integers. See `gw_scale`.
package struct Scale: Sendable {
    fileprivate var scale = gw_scale()

    /// Counts of `numerator / denominator` g, as 1 / 720 g in the HAPT recordings.
    package init(ratio numerator: Int64, _ denominator: Int64) throws(Fault) {
        guard unsafe gw_scale_from_ratio(numerator, denominator, &scale) == GW_OK else {
            throw Fault(.badData, "a scale of \(numerator)/\(denominator) g per count cannot be used")
        }
    }

    /// IIO's decimals: acceleration in m/s^2 = (raw + offset) * scale. An empty offset is zero.
    package init(metresPerSecondSquared text: String, offset: String = "") throws(Fault) {
        let factor = try gw_decimal(parsing: text, as: "scale")
        let shift = offset.isEmpty ? gw_decimal() : try gw_decimal(parsing: offset, as: "offset")
        guard unsafe gw_scale_from_decimals(factor, shift, &scale) == GW_OK else {
            throw Fault(.badData, "a scale of \(text) m/s^2 per count with offset \(offset.isEmpty ? "0" : offset) cannot be used")
        }
    }

    /// Q3.12 g, saturated.
    package func q12(_ raw: Int32) -> Int16 {
        unsafe withUnsafePointer(to: scale) { unsafe gw_scale_apply($0, raw) }
    }
}

/// The scales of the three axes.
struct AxisScales {
    private let scales: [gw_scale]

    init(_ x: Scale, _ y: Scale, _ z: Scale) { scales = [x.scale, y.scale, z.scale] }

    /// One count of an axis in Q3.12 g, saturated.
    func q12(_ raw: Int32, axis: Int) -> Int16 {
        unsafe scales.withUnsafeBufferPointer { unsafe gw_scale_apply($0.baseAddress! + axis, raw) }
    }

    /// Puts `count` samples into a block, from sample `first` of `counts` (x, y, z interleaved) on.
    func fill(_ block: inout SampleBlock, from counts: [Int32], first: Int, count: Int) {
        precondition(count <= block.capacity && (first + count) * 3 <= counts.count)
        unsafe scales.withUnsafeBufferPointer { scales in
            unsafe counts.withUnsafeBufferPointer { counts in
                unsafe block.samples.withUnsafeMutableBufferPointer { out in
                    unsafe gw_scale_block(scales.baseAddress, counts.baseAddress! + first * 3, Int32(count), out.baseAddress)
                }
            }
        }
        block.count = count
    }
}

/// A decimal in g as Q3.12, saturated: "-0.9813" or "9.1e-01".
func q12(decimal text: some StringProtocol) -> Int16? {
    var decimal = gw_decimal(), fixed: Int32 = 0
    guard unsafe gw_decimal_parse(shortened(text), &decimal) == GW_OK, unsafe gw_decimal_to_fixed(decimal, 12, &fixed) == GW_OK else {
        return q12(scientific: text)
    }
    return Int16(clamping: fixed)
}

// What programs print of doubles, as "3.30655e-16" or with 18 digits and an exponent: more than a decimal holds.
private func q12(scientific text: some StringProtocol) -> Int16? {
    guard text.contains(where: { $0 == "e" || $0 == "E" }), text.utf8.allSatisfy({ "+-.eE0123456789".utf8.contains($0) }),
        let value = Double(text), value.isFinite
    else { return nil }
    return Int16(clamping: Int(max(-8, min(8, value)) * 4096 + (value < 0 ? -0.5 : 0.5)))
}

// Programs print 20 digits of a double, of which a decimal holds 18.
private func shortened(_ text: some StringProtocol) -> String {
    guard let point = text.firstIndex(of: "."), text[point...].dropFirst().utf8.allSatisfy({ (48...57).contains($0) }),
        let end = text.index(point, offsetBy: 13, limitedBy: text.endIndex)
    else { return String(text) }
    return String(text[..<end])
}

/// A rotation that IIO's mount matrix describes.
struct Mount {
    private var mount = gw_mount()

    /// "1, 0, 0; 0, -1, 0; 0, 0, 1": rows of the matrix that takes the sensor's axes to the board's. Nil for an identity or no text.
    init?(matrix text: String) throws(Fault) {
        guard !text.isEmpty else { return nil }
        let cells = text.split(separator: ";").map { $0.split(separator: ",") }
        guard cells.count == 3, cells.allSatisfy({ $0.count == 3 }) else {
            throw Fault(.badData, "the mount matrix \"\(text)\" is not three rows of three numbers")
        }
        var values: [Int32] = []
        for cell in cells.joined() {
            let decimal = try gw_decimal(parsing: String(cell), as: "mount matrix")
            var value: Int32 = 0
            guard unsafe gw_decimal_to_fixed(decimal, 30, &value) == GW_OK else {
                throw Fault(.badData, "the mount matrix \"\(text)\" has a number beyond +-1.99")
            }
            values.append(value)
        }
        let one: Int32 = 1 << 30
        if values == [one, 0, 0, 0, one, 0, 0, 0, one] { return nil }
        mount.rows = ((values[0], values[1], values[2]), (values[3], values[4], values[5]), (values[6], values[7], values[8]))
    }

    func rotate(_ block: inout SampleBlock) {
        let count = Int32(block.count)
        unsafe withUnsafePointer(to: mount) { mount in
            unsafe block.samples.withUnsafeMutableBufferPointer { unsafe gw_mount_apply(mount, $0.baseAddress, count) }
        }
    }
}

extension gw_decimal {
    fileprivate init(parsing text: String, as what: String) throws(Fault) {
        self.init()
        guard unsafe gw_decimal_parse(text, &self) == GW_OK else { throw Fault(.badData, "the \(what) \"\(text)\" is not a number") }
    }
}
