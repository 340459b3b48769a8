internal import Glibc
package import HubProtocol
package import Ledger
package import Logging
internal import MQTT
internal import Support
internal import Synchronization

/// The board at an MQTT broker, for Home Assistant and others: its state retained, falls as they come, commands from there.
///
/// A thread of its own; a broker that is silent or away holds up nothing else.
package final class MQTTService: Sendable {
    /// What somebody at home asks for.
    package enum Command: Sendable, Equatable {
        case cancelAlarm
        /// nil for none.
        case label(String?)
        /// Fetch and try what is offered.
        case install
    }

    private struct Fallen: Sendable {
        let id: UInt64
        var state: FallState
        /// When it is no longer news, ns since boot.
        var until: Int64
        /// Of the message that is on its way to the broker.
        var number: Int32?
    }

    /// Seconds: of the protocol, between two looks at slow values, and that an unsent fall is still news.
    private static let keepalive = 60, look = 60, news: Int64 = 120
    /// ns: within which a broker answers, after which a connection is one, and between two labels.
    private static let answer: Int64 = 30_000_000_000, steady: Int64 = 30_000_000_000, labelling: Int64 = 1_000_000_000
    /// ns in which nobody can have read what an update is.
    private static let reading: Int64 = 1_000_000_000
    private static let mostFalls = 8

    private let settings: MQTTSettings
    private let board: HomeAssistant
    private let version: String
    private let state: @Sendable () -> BoardState
    private let command: @Sendable (Command) -> Void
    private let ledger: PrivacyLedger?
    private let log: Logger
    private let falls: Mutex<[Fallen]> = Mutex([])
    private let changed = WakeEvent()
    private let stop = Stop()
    private let thread = ServiceThread()
    // While names are looked up nobody can be told to end.
    private let isBlocked = Atomic(false)

    /// - Parameters:
    ///   - ledger: counts what is published of the wearer.
    ///   - state: what is published, asked for when something changed and once a minute.
    ///   - command: is called on the service's thread.
    package init(
        _ settings: MQTTSettings, name: String, version: String, ledger: PrivacyLedger? = nil, log: Logger,
        state: @escaping @Sendable () -> BoardState,
        command: @escaping @Sendable (Command) -> Void
    ) {
        (self.settings, self.version, self.ledger, self.log, self.state, self.command) = (settings, version, ledger, log, state, command)
        board = HomeAssistant(name: name, prefix: settings.prefix, discovery: settings.discovery)
        thread.start { [self] in serve() }
    }

    private var place: String { "mqtt\(settings.tls ? "s" : "")://\(settings.host):\(settings.port)" }

    /// Something changed that is published.
    package func change() { changed.raise() }

    package func take(_ state: FallState) {
        let until = SystemTime.sinceBoot + Self.news * 1_000_000_000
        falls.withLock { falls in
            if falls.count == Self.mostFalls { falls.removeFirst() }
            falls.append(Fallen(id: (falls.last?.id ?? 0) + 1, state: state, until: until))
        }
        changed.raise()
    }

    /// Says that the board goes offline, and ends.
    package func finish() {
        stop.raise()
        if !isBlocked.load(ordering: .sequentiallyConsistent) { thread.join() }
    }

    private func serve() {
        var backOff = BackOff(base: 2, cap: 300, jitter: .full), fault = RepeatedFault()
        while !stop.isRaised {
            do throws(Fault) {
                let connection = try MQTTConnection(
                    settings.broker, id: "gaitway_\(board.id)", will: (board.statusTopic, "offline"), keepalive: Self.keepalive)
                isBlocked.store(true, ordering: .sequentiallyConsistent)
                defer { isBlocked.store(false, ordering: .sequentiallyConsistent) }
                if stop.isRaised { return }
                try connection.connect()
                isBlocked.store(false, ordering: .sequentiallyConsistent)
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
    private func talk(_ connection: MQTTConnection, steady: () -> Void) throws(Fault) {
        let began = SystemTime.sinceBoot
        var session = Session()
        // What an earlier connection did not bring over goes again.
        falls.withLock { falls in for index in falls.indices { falls[index].number = nil } }
        while true {
            if stop.isRaised {
                if session.isConnected { connection.publish(board.statusTopic, Array("offline".utf8), isRetained: true) }
                connection.disconnect()
                _ = try? connection.work(isReadable: false, isWritable: true)
                return
            }
            let ready = wait(connection, until: session.next)
            for event in try work(connection, ready, session) {
                switch event {
                case .refused(let reason): throw Fault(.permission, "the broker \(settings.host) takes no connection: \(reason)")
                case .connected:
                    session.connectedAt = SystemTime.sinceBoot
                    for topic in [board.cancelTopic, "\(board.labelTopic)/set", "\(board.updateTopic)/set", board.birthTopic] {
                        _ = connection.subscribe(topic)
                    }
                    announce(connection, &session)
                case .message(let topic, let payload): take(topic, String(decoding: payload, as: UTF8.self), &session)
                case .published(let number): falls.withLock { falls in falls.removeAll { $0.number == number } }
                }
            }
            // A broker that accepts and then says nothing.
            if !session.isConnected, SystemTime.sinceBoot - began >= Self.answer {
                throw Fault(.temporary, "the broker \(settings.host) does not answer")
            }
            guard session.isConnected else { continue }
            if session.isSteady { steady() }
            if let at = session.announceAt, SystemTime.sinceBoot >= at { announce(connection, &session) }
            label(&session)
            publish(connection, &session)
        }
    }

    private func work(
        _ connection: MQTTConnection, _ ready: (read: Bool, write: Bool), _ session: Session
    ) throws(Fault)
        -> [MQTTConnection.Event]
    {
        do throws(Fault) { return try connection.work(isReadable: ready.read, isWritable: ready.write) } catch {
            guard session.isConnected, !session.isSteady else { throw error }
            throw Fault(
                error.code, error.message,
                remedy: """
                    Another client may have the same name, gaitway_\(board.id). Boards with copies of one card have it from \
                    /etc/machine-id: empty that file on one of them, then sudo systemd-machine-id-setup.
                    """)
        }
    }

    private struct Session {
        /// ns since boot; nil before the broker took the connection.
        var connectedAt: Int64?
        var isConnected: Bool { connectedAt != nil }
        /// Whether the connection has lasted.
        var isSteady: Bool { connectedAt.map { SystemTime.sinceBoot - $0 >= MQTTService.steady } ?? false }
        var labels: [String] = []
        var takesModels = false
        var shown: JSONValue?, shownUpdate: JSONValue?
        /// When another update was shown, ns since boot: what was asked before meant the one before.
        var updateAt: Int64 = 0
        /// When everything is to be announced again, ns since boot.
        var announceAt: Int64?
        /// What somebody asked for last and is not done yet, and when it may be, ns since boot.
        var asked: String?, labelAt: Int64 = 0
        /// When something is due.
        var next: Int64? { [announceAt, asked.map { _ in labelAt }].compactMap(\.self).min() }
    }

    // Each label is a write to the disk: at most one a second, and the last one counts.
    private func label(_ session: inout Session) {
        guard let label = session.asked, SystemTime.sinceBoot >= session.labelAt else { return }
        (session.asked, session.labelAt) = (nil, SystemTime.sinceBoot + Self.labelling)
        command(.label(label == HomeAssistant.noLabel ? nil : label))
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
        let now = state()
        (session.labels, session.takesModels) = (now.labels, now.update != nil)
        let config = board.config(labels: session.labels, version: version, takesModels: session.takesModels)
        connection.publish(board.configTopic, config.bytes, isRetained: true)
        (session.shown, session.shownUpdate) = (nil, nil)
        publish(connection, &session)
        connection.publish(board.statusTopic, Array("online".utf8), isRetained: true)
    }

    private func publish(_ connection: MQTTConnection, _ session: inout Session) {
        let now = state()
        if now.labels != session.labels || (now.update != nil) != session.takesModels { return announce(connection, &session) }
        let shown = board.state(now)
        if shown != session.shown, connection.publish(board.stateTopic, shown.bytes, isRetained: true) != nil {
            session.shown = shown
            ledger?.note(.broker, to: place, items: now.activity == nil ? 0 : 1)
        }
        if let update = now.update.map(board.update), update != session.shownUpdate,
            connection.publish(board.updateTopic, update.bytes, isRetained: true) != nil
        {
            (session.shownUpdate, session.updateAt) = (update, SystemTime.sinceBoot)
        }
        let time = SystemTime.sinceBoot
        let waiting = falls.withLock { falls in
            falls.removeAll { $0.until <= time }
            return falls.filter { $0.number == nil }
        }
        for fallen in waiting {
            // Never retained: an old fall would be reported again.
            let event: JSONValue = ["event_type": .string(fallen.state.rawValue)]
            guard let number = connection.publish(board.fallTopic, event.bytes, isRetained: false) else { continue }
            ledger?.note(.broker, to: place, items: 1)
            falls.withLock { falls in
                if let index = falls.firstIndex(where: { $0.id == fallen.id }) { falls[index].number = number }
            }
        }
    }

    private func take(_ topic: String, _ payload: String, _ session: inout Session) {
        switch topic {
        case board.birthTopic where payload == "online":
            // Many boards, and one Home Assistant that has just begun.
            session.announceAt = SystemTime.sinceBoot + Int64.random(in: 0...3_000_000_000)
        case board.cancelTopic where payload == "cancel": command(.cancelAlarm)
        case "\(board.updateTopic)/set" where payload == "install" && SystemTime.sinceBoot - session.updateAt > Self.reading:
            command(.install)
        case "\(board.labelTopic)/set":
            if payload == HomeAssistant.noLabel || session.labels.contains(payload) { session.asked = payload }
        default: break
        }
    }
}
