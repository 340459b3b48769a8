import Logging

/// Log messages on the console; warnings and errors also for whoever asks how the run does.
struct StatusLog: LogHandler {
    private var console: ConsoleLog
    private let status: RunStatus

    static func logger(_ level: String, _ status: RunStatus) -> Logger {
        Logger(label: "gaitway") { _ in StatusLog(console: ConsoleLog(level: level), status: status) }
    }

    private init(console: ConsoleLog, status: RunStatus) { (self.console, self.status) = (console, status) }

    var metadata: Logger.Metadata {
        get { console.metadata }
        set { console.metadata = newValue }
    }

    // Whatever the console leaves out, warnings are noted.
    var logLevel: Logger.Level {
        get { min(console.logLevel, .warning) }
        set { console.logLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { console[metadataKey: key] }
        set { console[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        if event.level >= .warning { status.failed(event.message.description) }
        if event.level >= console.logLevel { console.log(event: event) }
    }
}
