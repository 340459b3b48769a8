internal import Cryptography
internal import Support

extension Node {
    /// JSON as Firebase writes it: an object whose names are mostly places from 0 is a list, with null where nothing is.
    package static func json(_ node: Node?) -> [UInt8] {
        var bytes: [UInt8] = []
        if let node { node.write(to: &bytes) } else { bytes += "null".utf8 }
        return bytes
    }

    /// The names below with true for each, as `shallow=true` asks for; a value without names as it is.
    package static func shallow(_ node: Node?) -> [UInt8] {
        guard let node, !node.members.isEmpty else { return json(node) }
        return json(.object(node.members.mapValues { _ in .bool(true) }))
    }

    /// Of what is there now.
    package static func tag(_ node: Node?) -> String { node == nil ? "null_etag" : String(Digest.text(json(node)).prefix(32)) }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .integer(let value): bytes += String(value).utf8
        case .number(let value): Self.write(value, to: &bytes)
        case .text(let value): bytes += JSONValue.string(value).bytes
        case .vector(let numbers):
            Self.write(list: numbers, to: &bytes) { Self.write($0, to: &$1) }
        case .object(let members):
            if let places = Self.places(members) {
                Self.write(list: places, to: &bytes) { if let node = $0 { node.write(to: &$1) } else { $1 += "null".utf8 } }
                return
            }
            bytes.append(UInt8(ascii: "{"))
            for (index, name) in members.keys.sorted().enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                bytes += JSONValue.string(name).bytes
                bytes.append(UInt8(ascii: ":"))
                members[name]?.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static func write<Item>(list: [Item], to bytes: inout [UInt8], _ body: (Item, inout [UInt8]) -> Void) {
        bytes.append(UInt8(ascii: "["))
        for (index, item) in list.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            body(item, &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    // A whole number without its ".0".
    private static func write(_ value: Double, to bytes: inout [UInt8]) {
        if let whole = Int(exactly: value) { bytes += String(whole).utf8 } else { bytes += value.description.utf8 }
    }

    // By place, where all names are places and at least half of them up to the last are there.
    private static func places(_ members: [String: Node]) -> [Node?]? {
        var last = -1
        for name in members.keys {
            guard let place = Int(name), place >= 0, "\(place)" == name, place < 2 * members.count else { return nil }
            last = max(last, place)
        }
        return (0...last).map { members["\($0)"] }
    }
}
