import Glibc
import Logging
import Support

/// Log messages on standard error: for people "gaitway: warning: ...", for the journal with its priority in front.
struct ConsoleLog: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level

    private static let toJournal = unsafe getenv("JOURNAL_STREAM") != nil

    /// - Parameter level: a name of swift-log's, which the configuration has checked.
    init(level: String) { logLevel = Logger.Level(rawValue: level) ?? .notice }

    /// - Parameter level: as for ``init(level:)``.
    static func start(level: String) { LoggingSystem.bootstrap { _ in ConsoleLog(level: level) } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let text = Printable.text(event.message.description, lines: true)
        if Self.toJournal {
            // A priority for each line: else a part of the message could choose one.
            let mark = "<\(Self.priority(event.level))>"
            return Console.note(text.split(separator: "\n", omittingEmptySubsequences: false).map { mark + $0 }.joined(separator: "\n"))
        }
        Console.note(event.level >= .warning ? "gaitway: \(event.level): \(text)" : "gaitway: \(text)")
    }

    // syslog(3)
    private static func priority(_ level: Logger.Level) -> Int {
        switch level {
        case .critical: 2
        case .error: 3
        case .warning: 4
        case .notice: 5
        case .info: 6
        case .debug, .trace: 7
        }
    }
}
