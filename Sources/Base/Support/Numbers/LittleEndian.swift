extension FixedWidthInteger {
    /// Its bytes, the least significant first.
    package var littleEndianBytes: [UInt8] { (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> Self(8 * $0)) } }
}
