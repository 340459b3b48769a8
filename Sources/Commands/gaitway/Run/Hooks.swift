import ArgumentParser
import Logging
import Runtime
import Settings
import Support

struct Hooks: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hooks", abstract: "Run programs of yours when the activity changes and when somebody falls.",
        discussion: """
            hooks.on_change and hooks.on_fall name them. Their environment says what happened: GAITWAY_EVENT (change or fall), \
            GAITWAY_ACTIVITY, GAITWAY_PREVIOUS, GAITWAY_CONFIDENCE, GAITWAY_FALL (impact, fallen, alarm, recovered, cancelled), \
            GAITWAY_AT (seconds since 1970). One runs at a time, for hooks.timeout seconds at most; of changes that came meanwhile the \
            last one is told.
            """)

    @OptionGroup var place: ConfigurationOptions

    func run() throws {
        let settings = try place.load()
        Interruption.watch()
        let log = Logger(label: "gaitway") { _ in ConsoleLog(level: settings.logLevel.rawValue) }
        try HookRunner(settings.hooks, log: log).run(unless: Interruption.stop)
    }
}
