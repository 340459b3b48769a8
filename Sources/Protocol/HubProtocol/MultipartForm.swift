/// A form with files (RFC 7578), as browsers and HTTP libraries send it.
package struct MultipartForm {
    private struct Part {
        var name: String
        /// nil for what is no file.
        var file: String?
        var bytes: ArraySlice<UInt8>
    }

    private var parts: [Part] = []
    private static let mostParts = 32

    /// nil for what is no whole form.
    package init?(_ bytes: [UInt8], contentType: String) {
        guard let boundary = Self.parameter("boundary", of: contentType), (1...70).contains(boundary.utf8.count) else { return nil }
        let first = Array("--\(boundary)".utf8), mark = Array("\r\n--\(boundary)".utf8)
        guard bytes.starts(with: first) else { return nil }
        var at = first.count
        while parts.count < Self.mostParts {
            if bytes[at...].starts(with: [0x2D, 0x2D]) { return }
            guard bytes[at...].starts(with: [0x0D, 0x0A]), let next = Self.find(mark, in: bytes[at...]),
                let headEnd = Self.find([0x0D, 0x0A, 0x0D, 0x0A], in: bytes[at..<next])
            else { return nil }
            add(String(decoding: bytes[at..<headEnd].prefix(4096), as: UTF8.self), bytes[(headEnd + 4)..<max(headEnd + 4, next)])
            at = next + mark.count
        }
        return nil
    }

    package func text(_ name: String) -> String? {
        parts.first { $0.name == name && $0.file == nil }.map { String(decoding: $0.bytes, as: UTF8.self) }.flatMap {
            $0.utf8.count <= 1000 ? $0 : nil
        }
    }

    package func file(named name: String) -> UploadedFile? {
        parts.first { $0.name == name && $0.file != nil }.map { UploadedFile(name: $0.file ?? "", bytes: Array($0.bytes)) }
    }

    private mutating func add(_ head: String, _ bytes: ArraySlice<UInt8>) {
        for line in head.split(whereSeparator: \.isNewline) where line.lowercased().hasPrefix("content-disposition:") {
            guard let name = Self.parameter("name", of: line) else { continue }
            parts.append(Part(name: name, file: Self.parameter("filename", of: line), bytes: bytes))
        }
    }

    /// Of a header such as `form-data; name="file"; filename="a.onnx"`.
    private static func parameter(_ name: String, of header: some StringProtocol) -> String? {
        for piece in header.split(separator: ";").dropFirst() {
            let trimmed = piece.drop { $0 == " " }
            guard let equals = trimmed.firstIndex(of: "="), trimmed[..<equals].lowercased() == name else { continue }
            return String(trimmed[trimmed.index(after: equals)...].filter { $0 != "\"" })
        }
        return nil
    }

    private static func find(_ mark: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        guard let first = mark.first else { return nil }
        var at = bytes.startIndex
        while let next = bytes[at...].firstIndex(of: first) {
            if bytes[next...].starts(with: mark) { return next }
            at = next + 1
        }
        return nil
    }
}
