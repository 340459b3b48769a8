/// A file as somebody sends it.
package struct UploadedFile: Sendable {
    package var name: String
    package var bytes: [UInt8]

    package init(name: String, bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }

    /// By its first bytes, else by its name's ending.
    package var format: String {
        if bytes.starts(with: [0x93, 0x4E, 0x55, 0x4D, 0x50, 0x59]) { return "npy" }
        if bytes.starts(with: [0x50, 0x54, 0x54, 0x48]) { return "ptth" }
        if bytes.dropFirst(4).starts(with: [0x54, 0x46, 0x4C, 0x33]) { return "tflite" }
        if isGaitways { return Self.gaitways }
        if ProgramRelease.isMarked(bytes) { return Self.program }
        if SystemImage.isMarked(bytes) { return Self.image }
        let ending = name.split(separator: ".", omittingEmptySubsequences: false).dropFirst().last?.lowercased() ?? ""
        return Self.endings[ending] ?? Self.gaitways
    }

    // Whatever it is called: a safetensors file whose header names our format.
    private var isGaitways: Bool {
        guard bytes.count > 9, bytes[8] == UInt8(ascii: "{") else { return false }
        let mark = Array("gaitway.format".utf8), head = bytes[8..<min(bytes.count, 1 << 16)]
        return head.indices.contains { head[$0] == mark[0] && head[$0...].starts(with: mark) }
    }

    /// What boards take: a safetensors file of Gaitway's.
    package static let gaitways = "safetensors"
    /// A release of gaitway itself: ``ProgramRelease``.
    package static let program = "program"
    /// An image of a system: ``SystemImage``.
    package static let image = "image"

    private static let endings = [
        "onnx": "onnx", "pt": "pytorch", "pth": "pytorch", "pytorch": "pytorch", "mlmodel": "coreml", "coreml": "coreml", "keras": "keras",
        "h5": "keras", "mnn": "mnn", "tflite": "tflite", "zip": "zip", "bin": "bin", "pkl": "pickle", "joblib": "joblib",
    ]
}
