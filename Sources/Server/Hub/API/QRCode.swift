internal import CQRCode
internal import HTTPTypes

/// A text as a square of modules (ISO/IEC 18004), which a telephone reads off a screen.
struct QRCode {
    /// From the top, "1" for each dark module; no quiet zone.
    let rows: [String]

    /// Bytes of a text: what a screen still shows large enough.
    static let longest = 800

    /// - Throws: 422 for an empty text or one of more than ``longest`` bytes.
    init(_ text: String) throws(APIError) {
        let bytes = Array(text.utf8)
        guard (1...Self.longest).contains(bytes.count) else { throw APIError.invalid("text is 1 to \(Self.longest) bytes") }
        // Version 0: as small as it can be. Level M: 15 % may be covered.
        guard let code = unsafe QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_M) else {
            throw APIError(.serviceUnavailable, "server_error", "there is no memory for a picture of the text", retryAfter: 5)
        }
        defer { unsafe QRcode_free(code) }
        let width = unsafe Int(code.pointee.width), modules = unsafe UnsafeBufferPointer(start: code.pointee.data, count: width * width)
        // The lowest bit of a module is its colour.
        rows = (0..<width).map { row in
            unsafe modules[row * width..<(row + 1) * width].reduce(into: "") { $0 += $1 & 1 == 1 ? "1" : "0" }
        }
    }
}
