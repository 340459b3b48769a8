/// The texts of elements in the small XML documents that S3 answers with. No document of theirs nests an element in its like.
enum XMLText {
    package static func first(_ element: String, in document: [UInt8]) -> String? { all(element, in: document).first }

    static func all(_ element: String, in document: [UInt8]) -> [String] {
        let text = String(decoding: document, as: UTF8.self)
        var rest = text[...], found: [String] = []
        while let open = rest.firstRange(of: "<\(element)>"), let close = rest[open.upperBound...].firstRange(of: "</\(element)>") {
            found.append(plain(rest[open.upperBound..<close.lowerBound]))
            rest = rest[close.upperBound...]
        }
        return found
    }

    private static func plain(_ text: Substring) -> String {
        guard text.contains("&") else { return String(text) }
        var result = "", rest = text
        while let and = rest.firstIndex(of: "&") {
            result += rest[..<and]
            rest = rest[and...]
            guard let end = rest.firstIndex(of: ";"), let character = entity(rest[rest.index(after: and)..<end]) else {
                result += "&"
                rest = rest.dropFirst()
                continue
            }
            result.unicodeScalars.append(character)
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private static func entity(_ name: Substring) -> Unicode.Scalar? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            let number = name.hasPrefix("#x") ? UInt32(name.dropFirst(2), radix: 16) : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
            return number.flatMap(Unicode.Scalar.init)
        }
    }
}
