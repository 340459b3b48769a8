internal import Support

/// Blocks of text that hold keys.
enum PEM {
    static func text(_ path: String) throws(Fault) -> String { String(decoding: try Files.read(path, limit: 1 << 16), as: UTF8.self) }

    // openssl writes parameters before a key, which parsers of one block do not expect.
    static func blocks(in text: String, ending kind: String) -> [String] {
        var lines = text.split(whereSeparator: \.isNewline)[...], found: [String] = []
        while let begin = lines.firstIndex(where: { $0.hasPrefix("-----BEGIN ") && $0.hasSuffix("\(kind)-----") }),
            let end = lines[begin...].firstIndex(where: { $0.hasPrefix("-----END ") })
        {
            found.append(lines[begin...end].joined(separator: "\n"))
            lines = lines[(end + 1)...]
        }
        return found
    }
}
