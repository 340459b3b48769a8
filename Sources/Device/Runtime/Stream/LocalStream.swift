internal import HubProtocol
package import NeuralNetwork
package import Recognition
package import Sensing
internal import Support
internal import Synchronization

/// What the loop sees and decides, for programs beside it: lines of JSON to whoever subscribed at the control socket.
///
/// The loop hands its values over and goes on: it waits for no reader, and without readers nothing is made.
package final class LocalStream: Sendable {
    private struct State {
        var readers = Readers()
        var hello: [(String, JSON)]?
        // Wakes a source that sleeps.
        var attention: WakeEvent?
        var model: [(String, JSON)] = []
        // The latest, so that who comes after it knows.
        var fall: [(String, JSON)]?
        var health: Health?
        var healthDue: Int64 = 0
    }

    private struct Health: Equatable {
        var comes: Bool, rate: Int?
        var lost: Int64, gaps: Int64

        /// What a reader is told at once.
        func isOther(than before: Health?) -> Bool { before?.comes != comes }
    }

    /// ns.
    private static let healthPeriod: Int64 = 60_000_000_000

    private let state = Mutex(State())
    // Looked at by the loop without a lock.
    private let wanted = Atomic<Int>(0)

    package init() {}

    var isReadForSamples: Bool { wanted.load(ordering: .relaxed) & Readers.bit(.samples) != 0 }

    var isRead: Bool { wanted.load(ordering: .relaxed) != 0 }

    /// The source is there: readers can come.
    package func begin(_ source: any SampleSource) {
        let hello: [(String, JSON)] = [
            ("event", .string("hello")), ("format", .integer(1)), ("source", .string(source.name)), ("sensor", .string(source.sensor)),
            ("names", .array(source.names.map(JSON.string))), ("live", .bool(source.isLive)), ("rate", .integer(source.rate)),
        ]
        state.withLock { ($0.hello, $0.attention) = (hello, source.attention) }
    }

    /// That network decides from now on.
    package func use(_ network: Network) {
        let members: [(String, JSON)] = [
            ("model_version", .integer(network.version)), ("labels", .array(network.labels.map(JSON.string))),
            ("hop_seconds", .number(Decimals.text(network.hop, over: 50, places: 2))),
        ]
        state.withLock { $0.model = members }
        send(.model) { [("event", .string("model"))] + members }
    }

    /// - Parameter file: a socket whose other end reads; the stream's from now on.
    /// - Throws: `.temporary` while there is no source, or with too many readers; the socket is the caller's still.
    func add(_ file: CInt, events: Set<StreamEvent>) throws(Fault) {
        let refusal: Fault? = state.withLock { state in
            guard let hello = state.hello else { return Fault(.temporary, "there is no sensor yet", remedy: "Try again in a moment.") }
            state.readers.removeGone()
            guard state.readers.count < Readers.most else {
                return Fault(.temporary, "\(Readers.most) programs read the stream already", remedy: "End one of them.")
            }
            let reader = StreamReader(file, events: events)
            let fall: [(String, JSON)] = events.contains(.falls) ? state.fall.map { [("fall", .object($0))] } ?? [] : []
            _ = reader.take(StreamLine.bytes(hello + state.model + fall))
            state.readers.add(reader)
            state.healthDue = 0
            wanted.store(state.readers.events, ordering: .releasing)
            if events.contains(.samples) { state.attention?.raise() }
            return nil
        }
        if let refusal { throw refusal }
    }

    /// The loop has another block; empty while the sensor is away.
    package func take(_ block: SampleBlock, of source: any SampleSource) {
        // Who comes later gets the source's name of now, too.
        if block.followsGap { begin(source) }
        guard wanted.load(ordering: .relaxed) != 0 else { return }
        noteHealth(comes: block.count > 0, source)
        guard block.count > 0 else { return }
        send(.samples) {
            [
                ("event", .string("samples")), ("time", .number("\(block.time)")), ("rate", .integer(source.rate)),
                ("gap", .bool(block.followsGap)), ("xyz", .array(block.samples.prefix(block.count * 3).map { .number("\($0)") })),
            ]
        }
    }

    package func take(_ activity: Activity, isChange: Bool) {
        guard wanted.load(ordering: .relaxed) != 0 else { return }
        let other: StreamEvent? = isChange ? .changes : nil
        guard isWanted(.decisions, or: other) else { return }
        var line = TextLine()
        line.append("{\"event\":\"decision\",\"at\":")
        line.append(SystemTime.wall / 1_000_000, over: 1000, places: 3)
        line.append(",\"changed\":\(isChange),")
        activity.writeMembers(to: &line)
        line.append("}\n")
        send(line.bytes, to: .decisions, or: other)
    }

    /// - Parameter report: of a fall.
    package func take(_ report: FallWatch.Report) {
        let members: [(String, JSON)] = [
            ("state", .string(report.state.rawValue)), ("at", .number(Decimals.text(report.at, over: 1000, places: 3))),
        ]
        state.withLock { $0.fall = members }
        send(.falls) { [("event", .string("fall"))] + members }
    }

    /// - Parameters:
    ///   - steps: since the last call.
    ///   - today: since midnight; nil where no day is kept.
    package func take(steps: Int64, cadence: Int?, today: Int64?) {
        guard steps > 0 else { return }
        send(.steps) {
            [
                ("event", .string("steps")), ("steps", .integer(steps)), ("cadence", cadence.map(JSON.integer) ?? .null),
                ("today", today.map(JSON.integer) ?? .null),
            ]
        }
    }

    private func noteHealth(comes: Bool, _ source: any SampleSource) {
        let statistics = source.statistics
        let now = Health(comes: comes, rate: statistics?.measuredRate, lost: statistics?.lost ?? 0, gaps: statistics?.gaps ?? 0)
        let isDue = state.withLock { state in
            let time = SystemTime.monotonic
            guard now.isOther(than: state.health) || time >= state.healthDue else { return false }
            (state.health, state.healthDue) = (now, time + Self.healthPeriod)
            return true
        }
        guard isDue else { return }
        send(.health) {
            [
                ("event", .string("health")), ("samples_come", .bool(comes)),
                ("measured_rate_hz", now.rate.map { .number(Decimals.text($0, over: 1000, places: 2)) } ?? .null),
                ("lost", .integer(now.lost)), ("gaps", .integer(now.gaps)),
            ]
        }
    }

    private func isWanted(_ event: StreamEvent, or other: StreamEvent? = nil) -> Bool {
        wanted.load(ordering: .relaxed) & (Readers.bit(event) | (other.map(Readers.bit) ?? 0)) != 0
    }

    private func send(_ event: StreamEvent, _ members: () -> [(String, JSON)]) {
        if isWanted(event) { send(StreamLine.bytes(members()), to: event) }
    }

    private func send(_ line: [UInt8], to event: StreamEvent, or other: StreamEvent? = nil) {
        state.withLock { state in
            state.readers.send(line, to: event, or: other)
            wanted.store(state.readers.events, ordering: .releasing)
        }
    }
}

/// Those who read the stream.
private struct Readers {
    static let most = 16

    private var readers: [StreamReader] = []

    var count: Int { readers.count }
    /// All events that somebody reads, a bit each.
    var events: Int { readers.reduce(0) { bits, reader in bits | reader.events.reduce(0) { $0 | Self.bit($1) } } }

    static func bit(_ event: StreamEvent) -> Int { 1 << (StreamEvent.allCases.firstIndex(of: event) ?? 0) }

    mutating func add(_ reader: StreamReader) { readers.append(reader) }
    mutating func removeGone() { readers.removeAll(where: \.isGone) }

    mutating func send(_ line: [UInt8], to event: StreamEvent, or other: StreamEvent?) {
        readers.removeAll { reader in
            let isMeant = reader.events.contains(event) || other.map(reader.events.contains) == true
            return isMeant && !reader.take(line)
        }
    }
}
