package import HubProtocol
internal import Support

/// One thing that is kept of a day; times in ms since 1970, lengths in ms.
package enum HistoryRow: Sendable, Equatable {
    /// The wearer did one thing, or the sensor slept since nothing moved it (`isStill`: the activity is the one before).
    case stretch(at: Int64, label: String, length: Int64, isStill: Bool)
    /// A minute: steps in it, how much the sensor moved (root of the mean square about its slow mean, mg), and ms of it that were seen.
    case minute(at: Int64, steps: Int, movement: Int, seen: Int64)
    /// One walk or run without a pause; cadence in steps a minute.
    case bout(at: Int64, length: Int64, steps: Int, cadence: Int)
    case fall(at: Int64, state: FallState)
    /// What a file holds from a length in bytes on does not count: it was written again elsewhere.
    case void(at: Int64, file: String, length: Int64)

    package var at: Int64 {
        switch self {
        case .stretch(let at, _, _, _), .minute(let at, _, _, _), .bout(let at, _, _, _), .fall(let at, _), .void(let at, _, _):
            at
        }
    }

    /// As a line of the store, without its end: fields, then the CRC-32 of all before it. What a power cut tore has none.
    package var line: String {
        let fields = self.fields.joined(separator: ",") + ","
        return fields + Checksum.text(Checksum.crc32(fields.utf8))
    }

    /// The kind and its numbers, as ``columns`` calls them.
    package var fields: [String] {
        switch self {
        case .stretch(let at, let label, let length, let isStill): ["\(at)", isStill ? "still" : "stretch", Self.plain(label), "\(length)"]
        case .minute(let at, let steps, let movement, let seen): ["\(at)", "minute", "\(steps)", "\(movement)", "\(seen)"]
        case .bout(let at, let length, let steps, let cadence): ["\(at)", "bout", "\(length)", "\(steps)", "\(cadence)"]
        case .fall(let at, let state): ["\(at)", "fall", state.rawValue]
        case .void(let at, let file, let length): ["\(at)", "void", Self.plain(file), "\(length)"]
        }
    }

    // What would end a field or a line.
    private static func plain(_ label: String) -> String { String(label.map { $0 == "," || $0.isNewline ? "_" : $0 }) }

    /// ms since 1970, the year 9999; ms of a year; more mg or steps than can be; more steps than a minute has: sums of a day fit 32 bits.
    private static let latest: Int64 = 253_402_300_800_000, longest: Int64 = 31_622_400_000, most: Int64 = 1_000_000,
        mostInMinute: Int64 = 1_000

    /// nil for a line that is torn, changed, of another version, or has numbers that cannot be.
    package init?(line: Substring) {
        guard let comma = line.lastIndex(of: ",") else { return nil }
        let body = line[...comma], fields = body.dropLast().split(separator: ",", omittingEmptySubsequences: false)
        guard line[line.index(after: comma)...] == Checksum.text(Checksum.crc32(body.utf8)), fields.count >= 3, let at = Int64(fields[0]),
            (0...Self.latest).contains(at)
        else { return nil }
        func number(_ index: Int, _ limit: Int64 = Self.most) -> Int64? {
            index < fields.count ? Int64(fields[index]).flatMap { (0...limit).contains($0) ? $0 : nil } : nil
        }
        switch fields[1] {
        case "stretch", "still":
            guard let length = number(3, Self.longest) else { return nil }
            self = .stretch(at: at, label: String(fields[2]), length: length, isStill: fields[1] == "still")
        case "minute":
            guard let steps = number(2, Self.mostInMinute), let movement = number(3), let seen = number(4, 60_000) else { return nil }
            self = .minute(at: at, steps: Int(clamping: steps), movement: Int(clamping: movement), seen: seen)
        case "bout":
            guard let length = number(2, Self.longest), let steps = number(3), let cadence = number(4) else { return nil }
            self = .bout(at: at, length: length, steps: Int(clamping: steps), cadence: Int(clamping: cadence))
        case "fall":
            guard let state = FallState(rawValue: String(fields[2])) else { return nil }
            self = .fall(at: at, state: state)
        case "void":
            guard let length = number(3, Self.longest) else { return nil }
            self = .void(at: at, file: String(fields[2]), length: length)
        default: return nil
        }
    }
}
