package import Logging

/// Log messages for another handler; warnings and errors are also kept for whoever asks how the run does.
package struct StatusLog: LogHandler {
    private var shown: any LogHandler
    private let status: RunStatus

    /// - Parameter shown: what shows messages, of its own level and above.
    package static func logger(_ shown: any LogHandler, _ status: RunStatus) -> Logger {
        Logger(label: "gaitway") { _ in StatusLog(shown: shown, status: status) }
    }

    private init(shown: any LogHandler, status: RunStatus) { (self.shown, self.status) = (shown, status) }

    package var metadata: Logger.Metadata {
        get { shown.metadata }
        set { shown.metadata = newValue }
    }

    // Whatever is not shown, warnings are kept.
    package var logLevel: Logger.Level {
        get { min(shown.logLevel, .warning) }
        set { shown.logLevel = newValue }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { shown[metadataKey: key] }
        set { shown[metadataKey: key] = newValue }
    }

    package func log(event: LogEvent) {
        if event.level >= .warning { status.failed(event.message.description) }
        if event.level >= shown.logLevel { shown.log(event: event) }
    }
}
