package import MQTT
package import Settings
package import Support

/// Where a broker is and who this board is there.
package struct MQTTSettings: Sendable, Equatable {
    package var host: String
    package var port: Int
    package var tls: Bool
    /// Of the board.
    package var name: String?
    package var user: String?
    package var password: String?
    package var caFile: String?
    package var certificate: String?, key: String?
    package var prefix: String
    package var discovery: String

    package var broker: Broker {
        Broker(host: host, port: port, tls: tls, user: user, password: password, caFile: caFile, certificate: certificate, key: key)
    }

    /// nil where no broker is configured.
    ///
    /// - Throws: `.configuration` for a password file that others may read, or topics that cannot be; those of reading it.
    package init?(_ settings: Settings) throws(Fault) {
        let mqtt = settings.mqtt
        guard let host = mqtt.host else { return nil }
        (self.host, port, tls, user) = (host, mqtt.port ?? (mqtt.tls ? 8883 : 1883), mqtt.tls, mqtt.user)
        name = mqtt.name
        (caFile, certificate, key) = (mqtt.caFile, mqtt.certificate, mqtt.key)
        (prefix, discovery) = (mqtt.prefix, mqtt.discovery)
        if let path = mqtt.passwordFile {
            guard user != nil else { throw Fault(.configuration, "mqtt.password_file needs mqtt.user") }
            password = try SecretFile.read(path, setting: "mqtt.password_file")
        }
        for topic in [prefix, discovery]
        where topic.isEmpty || topic.contains(where: { "+#\0".contains($0) }) || topic.utf8.count > 128 || topic.hasPrefix("$")
            || topic.hasPrefix("/") || topic.hasSuffix("/")
        {
            throw Fault(.configuration, "\"\(topic)\" cannot begin a topic", remedy: "Letters, digits and / are what brokers take.")
        }
        guard (mqtt.certificate == nil) == (mqtt.key == nil) else {
            throw Fault(.configuration, "mqtt.certificate and mqtt.key belong together")
        }
        for (name, path) in [("ca_file", caFile), ("certificate", certificate), ("key", key)] {
            guard let path else { continue }
            guard tls else { throw Fault(.configuration, "mqtt.\(name) needs mqtt.tls = true") }
            guard Files.isFile(path) else { throw Fault(.configuration, "mqtt.\(name): \(path) is not a file") }
        }
    }
}
