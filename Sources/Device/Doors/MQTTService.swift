internal import Glibc
package import HubProtocol
package import Logging
internal import ServiceLifecycle
internal import Support
internal import Synchronization

/// The board at an MQTT broker, for Home Assistant and others: its state retained, falls as they come, commands from there.
///
/// A thread of its own; a broker that is silent or away holds up nothing else.
package final class MQTTService: Service {
    /// What somebody at home asks for.
    package enum Command: Sendable, Equatable {
        case cancelAlarm
        /// nil for none.
        case label(String?)
    }

    private struct Fallen: Sendable {
        var state: FallState
        /// When it is no longer news, ns since boot.
        var until: Int64
    }

    /// Seconds: of the protocol, between two looks at slow values, and that an unheard fall is still news.
    private static let keepalive = 60, look = 60, news: Int64 = 120
    private static let mostFalls = 8

    private let settings: MQTTSettings
    private let board: HomeAssistant
    private let version: String
    private let state: @Sendable () -> BoardState
    private let command: @Sendable (Command) -> Void
    private let log: Logger
    private let falls: Mutex<[Fallen]> = Mutex([])
    private let changed = WakeEvent()
    private let stop = Stop()
    private let thread = ServiceThread()
    // While names are looked up nobody can be told to end.
    private let isBlocked = Atomic(false)

    /// - Parameters:
    ///   - state: what is published, asked for when something changed and once a minute.
    ///   - command: is called on the service's thread.
    package init(
        _ settings: MQTTSettings, name: String, version: String, log: Logger, state: @escaping @Sendable () -> BoardState,
        command: @escaping @Sendable (Command) -> Void
    ) {
        (self.settings, self.version, self.log, self.state, self.command) = (settings, version, log, state, command)
        board = HomeAssistant(name: name, prefix: settings.prefix, discovery: settings.discovery)
        thread.start { [self] in serve() }
    }

    /// Something changed that is published.
    package func change() { changed.raise() }

    package func take(_ state: FallState) {
        let until = SystemTime.sinceBoot + Self.news * 1_000_000_000
        falls.withLock { falls in
            if falls.count == Self.mostFalls { falls.removeFirst() }
            falls.append(Fallen(state: state, until: until))
        }
        changed.raise()
    }

    package func run() async {
        try? await gracefulShutdown()
        stop.raise()
        if !isBlocked.load(ordering: .acquiring) { thread.join() }
    }

    private func serve() {
        var backOff = BackOff(base: 2, cap: 300, jitter: .full), fault = RepeatedFault()
        while !stop.isRaised {
            do throws(Fault) {
                let connection = try MQTTConnection(
                    settings, id: "gaitway_\(board.id)", will: "offline", at: board.statusTopic, keepalive: Self.keepalive)
                isBlocked.store(true, ordering: .releasing)
                defer { isBlocked.store(false, ordering: .releasing) }
                try connection.connect()
                isBlocked.store(false, ordering: .releasing)
                try talk(connection) {
                    backOff.reset()
                    if fault.clear() { log.notice("the broker \(settings.host) is there again") }
                }
                return
            } catch {
                if fault.isNew(error.message) { log.warning("\(error)") }
                if error.code == .configuration { return }
            }
            stop.isRaised(within: Int(backOff.next(least: 1) * 1000))
        }
    }

    // Until it is to stop, which is no fault, or the connection is gone.
    private func talk(_ connection: MQTTConnection, taken: () -> Void) throws(Fault) {
        let began = SystemTime.sinceBoot
        var session = Session()
        while true {
            if stop.isRaised {
                if session.isConnected { _ = connection.publish(board.statusTopic, Array("offline".utf8), isRetained: true) }
                connection.disconnect()
                _ = try? connection.work(isReadable: false, isWritable: true)
                return
            }
            let ready = wait(connection, until: session.announceAt)
            for event in try connection.work(isReadable: ready.read, isWritable: ready.write) {
                switch event {
                case .refused(let reason): throw Fault(.permission, "the broker \(settings.host) takes no connection: \(reason)")
                case .connected:
                    taken()
                    session.isConnected = true
                    for topic in [board.cancelTopic, "\(board.labelTopic)/set", board.birthTopic] { _ = connection.subscribe(topic) }
                    announce(connection, &session)
                case .message(let topic, let payload): take(topic, String(decoding: payload, as: UTF8.self), &session)
                }
            }
            // A broker that accepts and then says nothing.
            if !session.isConnected, SystemTime.sinceBoot - began > Int64(Self.keepalive) * 1_000_000_000 {
                throw Fault(.temporary, "the broker \(settings.host) does not answer")
            }
            guard session.isConnected else { continue }
            if let at = session.announceAt, SystemTime.sinceBoot >= at { announce(connection, &session) }
            publish(connection, &session)
        }
    }

    private struct Session {
        var isConnected = false
        var labels: [String] = []
        var shown: JSONValue?
        /// When everything is to be told again, ns since boot.
        var announceAt: Int64?
    }

    private func wait(_ connection: MQTTConnection, until time: Int64?) -> (read: Bool, write: Bool) {
        let output = connection.wantsToWrite ? Int16(POLLIN | POLLOUT) : Int16(POLLIN)
        var files = [
            pollfd(fd: connection.descriptor, events: output, revents: 0),
            pollfd(fd: changed.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        let least = time.map { max(0, ($0 - SystemTime.sinceBoot) / 1_000_000) } ?? .max
        _ = unsafe poll(&files, 3, CInt(clamping: min(Int64(Self.look) * 500, least)))
        if files[1].revents != 0 { changed.wait(milliseconds: 0) }
        return (files[0].revents & Int16(POLLIN | POLLHUP | POLLERR) != 0, files[0].revents & Int16(POLLOUT) != 0)
    }

    private func announce(_ connection: MQTTConnection, _ session: inout Session) {
        session.announceAt = nil
        session.labels = state().labels
        let config = board.config(labels: session.labels, version: version)
        _ = connection.publish(board.configTopic, config.bytes, isRetained: true)
        session.shown = nil
        publish(connection, &session)
        _ = connection.publish(board.statusTopic, Array("online".utf8), isRetained: true)
    }

    private func publish(_ connection: MQTTConnection, _ session: inout Session) {
        let now = state()
        if now.labels != session.labels { return announce(connection, &session) }
        let shown = board.state(now)
        if shown != session.shown, connection.publish(board.stateTopic, shown.bytes, isRetained: true) { session.shown = shown }
        let time = SystemTime.sinceBoot
        for fallen in falls.withLock({ falls in
            defer { falls = [] }
            return falls
        }) where fallen.until > time {
            // Never retained: an old fall would be told again.
            let event: JSONValue = ["event_type": .string(fallen.state.rawValue)]
            _ = connection.publish(board.fallTopic, event.bytes, isRetained: false)
        }
    }

    private func take(_ topic: String, _ payload: String, _ session: inout Session) {
        switch topic {
        case board.birthTopic where payload == "online":
            // Many boards, and one Home Assistant that has just begun.
            session.announceAt = SystemTime.sinceBoot + Int64.random(in: 0...3_000_000_000)
        case board.cancelTopic where payload == "cancel": command(.cancelAlarm)
        case "\(board.labelTopic)/set":
            if payload == HomeAssistant.noLabel { command(.label(nil)) }
            if session.labels.contains(payload) { command(.label(payload)) }
            changed.raise()
        default: break
        }
    }
}
