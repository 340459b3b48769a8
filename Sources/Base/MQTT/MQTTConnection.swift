internal import CMosquitto
internal import Glibc
package import Support

/// A connection to a broker by libmosquitto, for the thread that made it.
@safe package final class MQTTConnection {
    package enum Event {
        case connected
        case refused(String)
        case message(topic: String, payload: [UInt8])
        /// The broker has the message of this number.
        case published(Int32)
    }

    private let raw: OpaquePointer
    private let inbox: Inbox

    // What the library's callbacks write to.
    private final class Inbox {
        var events: [Event] = []
        static let most = 64
    }

    /// - Parameters:
    ///   - id: of this client; empty for one that the broker chooses.
    ///   - will: what the broker publishes, and keeps, once this client is gone.
    /// - Throws: `.configuration` where libmosquitto is missing or does not take the settings.
    package init(
        _ broker: Broker, id: String, will: (topic: String, text: String)?, keepalive: Int
    ) throws(Fault) {
        let inbox = Inbox()
        // All texts in one memory that stays for the call.
        let texts = [
            id.isEmpty ? nil : id, broker.host, broker.user, broker.password, broker.caFile, broker.certificate, broker.key, will?.topic,
            will?.text,
        ]
        let copies = unsafe texts.map { unsafe $0.map { unsafe strdup($0) } ?? nil }
        defer { for index in 0..<texts.count { unsafe free(copies[index]) } }
        var config = unsafe gw_mqtt_config()
        unsafe config.id = UnsafePointer(copies[0])
        unsafe config.host = UnsafePointer(copies[1])
        unsafe config.user = UnsafePointer(copies[2])
        unsafe config.password = UnsafePointer(copies[3])
        unsafe config.ca_file = UnsafePointer(copies[4])
        unsafe config.certificate = UnsafePointer(copies[5])
        unsafe config.key = UnsafePointer(copies[6])
        unsafe config.will_topic = UnsafePointer(copies[7])
        unsafe config.will = UnsafePointer(copies[8])
        unsafe config.port = Int32(clamping: broker.port)
        unsafe config.keepalive = Int32(clamping: keepalive)
        unsafe config.tls = broker.tls
        unsafe config.context = Unmanaged.passUnretained(inbox).toOpaque()
        unsafe config.connected = { context, code, reason in
            guard let context = unsafe context else { return }
            let inbox = unsafe Unmanaged<Inbox>.fromOpaque(context).takeUnretainedValue()
            let text = unsafe reason.map { unsafe String(cString: $0) } ?? "no reason"
            inbox.events.append(code == 0 ? .connected : .refused(text))
        }
        unsafe config.message = { context, topic, payload, count in
            guard let context = unsafe context, let topic = unsafe topic else { return }
            let inbox = unsafe Unmanaged<Inbox>.fromOpaque(context).takeUnretainedValue()
            // Commands are a word.
            guard inbox.events.count < Inbox.most, (0...256).contains(count) else { return }
            let bytes = unsafe Array(UnsafeBufferPointer(start: payload, count: Int(count)))
            inbox.events.append(.message(topic: unsafe String(cString: topic), payload: bytes))
        }
        var reason: UnsafePointer<CChar>?
        unsafe config.published = { context, number in
            guard let context = unsafe context else { return }
            unsafe Unmanaged<Inbox>.fromOpaque(context).takeUnretainedValue().events.append(.published(number))
        }
        guard let raw = unsafe gw_mqtt_open(&config, &reason) else {
            let text = unsafe reason.map { unsafe String(cString: $0) } ?? "unknown"
            throw Fault(
                .configuration, "no connection to a broker can be made: \(text)",
                remedy: text.hasPrefix("libmosquitto")
                    ? "sudo apt install libmosquitto1" : "Are address, name, password and certificates right?")
        }
        unsafe self.raw = raw
        self.inbox = inbox
    }

    deinit { unsafe gw_mqtt_close(raw) }

    private static func check(_ reason: UnsafePointer<CChar>?, _ what: String) throws(Fault) {
        guard let reason = unsafe reason else { return }
        throw Fault(.temporary, "\(what): \(unsafe String(cString: reason))")
    }

    package func connect() throws(Fault) { try unsafe Self.check(gw_mqtt_connect(raw), "the broker cannot be reached") }

    package var descriptor: CInt { unsafe gw_mqtt_descriptor(raw) }
    package var wantsToWrite: Bool { unsafe gw_mqtt_wants_to_write(raw) }

    /// - Returns: what came meanwhile.
    package func work(isReadable: Bool, isWritable: Bool) throws(Fault) -> [Event] {
        let reason = unsafe gw_mqtt_work(raw, isReadable, isWritable)
        defer { inbox.events = [] }
        // A broker that refuses also closes: why is in what came.
        if !inbox.events.contains(where: { if case .refused = $0 { true } else { false } }) {
            try unsafe Self.check(reason, "the connection to the broker is gone")
        }
        return inbox.events
    }

    /// - Returns: the message's number, under which its arrival is noted; nil where it was not taken.
    @discardableResult
    package func publish(_ topic: String, _ payload: [UInt8], isRetained: Bool) -> Int32? {
        let number = unsafe payload.withUnsafeBufferPointer {
            unsafe gw_mqtt_publish(raw, topic, $0.baseAddress, Int64($0.count), isRetained)
        }
        return number < 0 ? nil : number
    }

    package func subscribe(_ topic: String) -> Bool { unsafe gw_mqtt_subscribe(raw, topic) }

    package func disconnect() { unsafe gw_mqtt_disconnect(raw) }
}
