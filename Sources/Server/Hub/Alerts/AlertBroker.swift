package import HubStore
internal import MQTT
package import Support
internal import Transport

/// Alerts as MQTT messages: one each, at PREFIX/ORG/DEVICE-ID/REASON.
package struct AlertBroker: AlertChannel {
    package let name = "the broker"
    private let broker: Broker, prefix: String
    // Seconds for all of it.
    private static let patience = 20.0

    /// - Parameter file: its first line is the address, `mqtts://USER:PASSWORD@HOST:PORT/PREFIX`; all but the host may be missing, and
    ///   `/ @ : %` in a name or password are %2F, %40, %3A, %25.
    /// - Throws: those of the file; `.configuration` for what is no such address.
    package init(file: String) throws(Fault) {
        // The address is not repeated: it may hold a secret.
        let wrong = Fault(
            .configuration, "the first line of \(file) is no address of a broker",
            remedy: "Write it as mqtts://USER:PASSWORD@HOST:PORT/PREFIX.")
        let line = String(decoding: try Files.read(file, limit: 1 << 16), as: UTF8.self).prefix { !$0.isNewline }.trimmed
        guard line.utf8.allSatisfy({ (33..<127).contains($0) }) else { throw wrong }
        let tls = line.hasPrefix("mqtts://")
        guard tls || line.hasPrefix("mqtt://") else { throw wrong }
        let rest = line.drop { $0 != "/" }.dropFirst(2), authority = rest.prefix { $0 != "/" }
        let path = String(rest.dropFirst(authority.count + 1))
        let place = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        // A plus is one here.
        let login = authority.prefix(max(0, authority.count - place.count - 1)).split(
            separator: ":", maxSplits: 1, omittingEmptySubsequences: false
        ).map { PercentEncoding.decoded($0.replacing("+", with: "%2B")) }
        var host = place, port = tls ? 8883 : 1883
        if let colon = place.lastIndex(of: ":"), !place.hasSuffix("]") {
            guard let number = Int(place[place.index(after: colon)...]), (1...65_535).contains(number) else { throw wrong }
            (host, port) = (place[..<colon], number)
        }
        guard !host.isEmpty, !path.contains(where: { "+#$".contains($0) }), path.utf8.count <= 128, !path.hasSuffix("/") else {
            throw wrong
        }
        broker = Broker(
            host: host.filter { !"[]".contains($0) }, port: port, tls: tls, user: login.first.flatMap { $0.isEmpty ? nil : $0 },
            password: login.count > 1 ? login[1] : nil)
        guard broker.user != nil || broker.password == nil else { throw wrong }
        prefix = path.isEmpty ? "gaitway/alerts" : path
        // Where libmosquitto is missing that is said now.
        _ = try MQTTConnection(broker, id: "", will: nil, keepalive: 60)
    }

    package func send(_ alerts: [Alert], at now: Double) async throws(Fault) -> Bool {
        let messages = alerts.map { (topic: topic($0), payload: $0.json(at: now).bytes) }, broker = broker
        // Names are looked up there.
        try await Worker.run { _ in
            Result { () throws(Fault) in
                try MQTTConnection.deliver(messages, to: broker, id: "", isRetained: false, patience: Self.patience)
            }
        }
        return true
    }

    // What would make levels or patterns of a topic is none.
    private func topic(_ alert: Alert) -> String {
        let org = String(alert.org.map { "+#/\0".contains($0) ? "_" : $0 })
        return "\(prefix)/\(org)/\(alert.device)/\(alert.reason.rawValue)"
    }
}
