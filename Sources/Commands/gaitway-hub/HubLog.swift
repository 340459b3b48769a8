import Logging
import Support

/// Log messages on standard error. What servers add to each request is not shown, so that nothing is spent on it.
struct HubLog: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        StandardError.write(
            "gaitway-hub: \(event.level >= .warning ? "\(event.level): " : "")\(Printable.text(event.message.description, lines: true))")
    }
}
