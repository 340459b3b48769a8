package import HubProtocol
internal import Support

/// A day of the history, added up. Times in ms since 1970.
package struct Day: Sendable, Equatable {
    package struct Stretch: Sendable, Equatable {
        package var label: String
        package var from: Int64, to: Int64
    }
    package struct Bout: Sendable, Equatable {
        package var from: Int64, to: Int64
        package var steps: Int, cadence: Int
    }
    package struct Fall: Sendable, Equatable {
        package var at: Int64
        /// What became of it.
        package var state: FallState
        /// Whether help was called.
        package var wasAlarm: Bool

        /// What became of it, for people.
        package var text: String { (wasAlarm && state != .alarm ? "alarm, " : "") + state.rawValue }

        // In whatever order the states were written: what ended it is last.
        fileprivate mutating func take(_ other: FallState) {
            wasAlarm = wasAlarm || other == .alarm
            let order = FallState.allCases
            if (order.firstIndex(of: other) ?? 0) > (order.firstIndex(of: state) ?? 0) { state = other }
        }
    }

    /// "2026-11-24"
    package let name: String
    package let from: Int64, to: Int64
    /// In order of time, those that follow each other joined.
    package private(set) var stretches: [Stretch] = []
    package private(set) var bouts: [Bout] = []
    package private(set) var falls: [Fall] = []
    /// Times of an hour and more in which nothing moved the sensor: it was not worn.
    package private(set) var notWorn: [(from: Int64, to: Int64)] = []
    package private(set) var stepsByHour = [Int](repeating: 0, count: 24)

    /// Movement below which a minute is still, mg, and how long it takes until nobody wears the sensor: as for actigraphs (van Hees et al.,
    /// PLOS ONE 2011: 13 mg for 30 minutes and longer).
    private static let still = 13
    package static let notWornAfter: Int64 = 3_600_000
    // A break that does not end a stretch, ms.
    private static let pause: Int64 = 2_000

    package static func == (one: Day, other: Day) -> Bool {
        one.name == other.name && one.stretches == other.stretches && one.bouts == other.bouts && one.falls == other.falls
            && one.stepsByHour == other.stepsByHour && one.notWorn.map(\.from) == other.notWorn.map(\.from)
    }

    /// - Parameter rows: in order of time; what lies outside the day is cut off, but tells whether nobody wears the sensor over midnight.
    package init(_ name: String, from: Int64, to: Int64, rows: [HistoryRow]) {
        (self.name, self.from, self.to) = (name, from, to)
        var quiet: [(from: Int64, to: Int64)] = []
        for row in rows {
            switch row {
            case .stretch(let at, let label, let length, let isStill):
                add(label, at, at + length)
                if isStill { quiet.append((at, at + length)) }
            case .minute(let at, let steps, let movement, let seen):
                if movement < Self.still && seen >= 50_000 { quiet.append((at, at + 60_000)) }
                if at >= from, at < to { stepsByHour[Calendar.hour(of: at)] += steps }
            case .bout(let at, let length, let steps, let cadence):
                if at >= from, at < to { add(Bout(from: at, to: at + length, steps: steps, cadence: cadence)) }
            case .fall(let at, let state):
                guard at >= from, at < to else { continue }
                if falls.last?.at == at {
                    falls[falls.count - 1].take(state)
                } else {
                    falls.append(Fall(at: at, state: state, wasAlarm: state == .alarm))
                }
            case .void: break
            }
        }
        notWorn = Self.joined(quiet).filter { $0.to - $0.from >= Self.notWornAfter }.map { (max($0.from, from), min($0.to, to)) }.filter {
            $0.to > $0.from
        }
        for away in notWorn { cut(away) }
    }

    // Nobody does anything while nobody wears the sensor.
    private mutating func cut(_ away: (from: Int64, to: Int64)) {
        stretches = stretches.flatMap { stretch -> [Stretch] in
            guard stretch.to > away.from, stretch.from < away.to else { return [stretch] }
            return [
                Stretch(label: stretch.label, from: stretch.from, to: away.from),
                Stretch(label: stretch.label, from: away.to, to: stretch.to),
            ].filter { $0.to > $0.from }
        }
    }

    // Pieces of one walk are written each minute.
    private mutating func add(_ bout: Bout) {
        guard let last = bouts.last, bout.from - last.to <= Self.pause else { return bouts.append(bout) }
        let length = last.to - last.from, more = bout.to - bout.from
        let cadence = (Int64(last.cadence) * length + Int64(bout.cadence) * more) / max(1, length + more)
        bouts[bouts.count - 1] = Bout(
            from: last.from, to: max(last.to, bout.to), steps: Int(clamping: Int64(last.steps) + Int64(bout.steps)),
            cadence: Int(clamping: cadence))
    }

    private mutating func add(_ label: String, _ from: Int64, _ to: Int64) {
        let start = max(from, self.from), end = min(to, self.to)
        guard end > start else { return }
        if let last = stretches.last, last.label == label, start - last.to <= Self.pause {
            stretches[stretches.count - 1].to = max(last.to, end)
        } else {
            stretches.append(Stretch(label: label, from: start, to: end))
        }
    }

    private static func joined(_ parts: [(from: Int64, to: Int64)]) -> [(from: Int64, to: Int64)] {
        var joined: [(from: Int64, to: Int64)] = []
        for part in parts.sorted(by: { $0.from < $1.from }) where part.to > part.from {
            if let last = joined.last, part.from - last.to <= 60_000 {
                joined[joined.count - 1].to = max(last.to, part.to)
            } else {
                joined.append(part)
            }
        }
        return joined
    }

    /// ms of each activity while the sensor was worn, the longest first.
    package var lengths: [(label: String, length: Int64)] {
        var sums: [String: Int64] = [:]
        for stretch in stretches {
            sums[stretch.label, default: 0] += stretch.to - stretch.from
        }
        return sums.filter { $0.value > 0 }.map { (label: $0.key, length: $0.value) }.sorted {
            ($1.length, $0.label) < ($0.length, $1.label)
        }
    }

    package var steps: Int { stepsByHour.reduce(0, +) }

    /// The longest time of sitting, where less than a minute of something else does not count; nil for none.
    package var longestSitting: (from: Int64, to: Int64)? {
        let sitting = stretches.filter { $0.label == "SITTING" }.map { (from: $0.from, to: $0.to) }
        return Self.joined(sitting).max { $0.to - $0.from < $1.to - $1.from }
    }

    /// ms without the sensor.
    package var notWornLength: Int64 { notWorn.reduce(0) { $0 + $1.to - $1.from } }
}
