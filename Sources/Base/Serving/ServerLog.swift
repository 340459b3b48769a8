package import Logging
internal import Support

/// Log messages on standard error. What servers add to each request is not shown, so that nothing is spent on it.
package struct ServerLog: LogHandler {
    package var metadata: Logger.Metadata = [:]
    package var logLevel: Logger.Level
    private let program: String

    package init(_ program: String, level: Logger.Level) { (self.program, logLevel) = (program, level) }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        StandardError.write(
            "\(program): \(event.level >= .warning ? "\(event.level): " : "")\(Printable.text(event.message.description, lines: true))")
    }
}
