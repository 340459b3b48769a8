internal import Doors
internal import Sensing
package import Settings
internal import Subprocess
package import Support
internal import SystemPackage

/// Gaitway without a sensor: a simulated wearer's day, then their present, with the page and at a broker. Everything is kept in a
/// directory of its own, which is removed at the end; the board's state, hub and uploads are not touched.
package struct Demonstration: Sendable {
    /// What happens, in order.
    package enum Event: Sendable {
        case playsDay(hours: Int)
        /// The page's address with its token.
        case page(String)
        case noPage(String)
        case broker(host: String, name: String)
        /// How other commands find what runs.
        case runs(state: String, configuration: String)
    }

    /// At a broker.
    private static let name = "gaitway-demo"

    private let program: String
    private let port: Int
    private let broker: MQTTSettings?
    private let brokerLines: String
    private let tell: @Sendable (Event) -> Void

    /// - Parameters:
    ///   - settings: in force; the broker is theirs, and nothing else.
    ///   - port: of the page at this machine, 0 for any.
    ///   - tell: is called as things happen.
    /// - Throws: those of the broker's settings.
    package init(_ settings: Settings, port: Int, tell: @escaping @Sendable (Event) -> Void) throws(Fault) {
        var broker = try MQTTSettings(settings)
        broker?.name = Self.name
        (self.broker, self.port, self.tell) = (broker, port, tell)
        program = Programs.own
        var lines = Self.line(\.mqtt.name, Self.name)
        for setting in Settings.table where setting.name.hasPrefix("mqtt.") && setting.place != \SettingValues.mqtt.name {
            if let entry = settings.entry(setting), entry.origin != .fallback { lines += Self.line(setting.place, entry.text) }
        }
        brokerLines = lines
    }

    /// Runs until `stop` is raised.
    ///
    /// - Throws: `.failure` where the directory cannot be made or the program that recognises ends by itself.
    package func run(unless stop: Stop) throws(Fault) {
        let folder = try TemporaryFolder(for: "demo"), directory = folder.path
        defer { withExtendedLifetime(folder) {} }
        guard LocalAddress(directory + "/state/control.sock") != nil else {
            throw Fault(.configuration, "the path of TMPDIR is too long for a socket in it", remedy: "TMPDIR=/tmp gaitway demo")
        }
        let own =
            Self.line(\.source, "simulated:\(DemonstrationDay.now)") + Self.line(\.history.directory, directory + "/history")
            + Self.line(\.recordings, directory + "/recordings")
        try Files.write(Array(own.utf8), to: directory + "/day.toml", isPrivate: true)
        try Files.write(Array((own + brokerLines).utf8), to: directory + "/gaitway.toml", isPrivate: true)
        defer { if let broker { try? MQTTService.forget(broker, name: Self.name) } }
        try Awaited.value(unless: stop) { () async throws(Fault) in try await play(in: directory) }
    }

    private static func line(_ place: PartialKeyPath<SettingValues>, _ text: String) -> String {
        let setting = Settings.setting(at: place)
        return "\(setting.name) = \(setting.toml(text))\n"
    }

    private func play(in directory: String) async throws(Fault) {
        let length = try SimulatedWearer.Script(DemonstrationDay.before).steps.reduce(0) { $0 + $1.seconds }
        tell(.playsDay(hours: (length + 1800) / 3600))
        let day = [
            "run", "--source", "simulated:\(DemonstrationDay.before)", "--speed", "max",
            "--began", "\(SystemTime.wallSeconds - Int64(length))", "--log-level", "error", "--changes", "--json",
        ]
        try await Self.run(program, day, Self.environment(directory, "day"), output: .discarded)
        if Task.isCancelled { return }
        let environment = Self.environment(directory, "gaitway")
        // What begins next prints lines of its own, below these.
        let (shown, isShown) = AsyncStream<Void>.makeStream()
        let page = Task {
            await show(directory, environment) { isShown.finish() }
            isShown.finish()
        }
        for await _ in shown {}
        if let broker { tell(.broker(host: broker.host, name: Self.name)) }
        tell(.runs(state: directory + "/state", configuration: directory + "/gaitway.toml"))
        defer { page.cancel() }
        try await Self.run(program, ["run", "--changes"], environment, output: .currentStandardOutput)
        page.cancel()
        await page.value
    }

    // The page, until the task is cancelled; without it the rest goes on.
    private func show(_ directory: String, _ environment: Environment, ready: @escaping @Sendable () -> Void) async {
        let page = Programs.beside("gaitway-dashboard"), executable: Executable = page.contains("/") ? .path(FilePath(page)) : .name(page)
        do {
            let result = try await Subprocess.run(
                executable, arguments: ["--port", "\(port)"], environment: environment, platformOptions: Self.options, input: .none,
                output: .discarded, error: .sequence
            ) { execution in
                var said: [String] = []
                for try await line in execution.standardError.strings() {
                    let line = String(line.trimmed)
                    guard let address = line.split(separator: " ").last(where: { $0.hasPrefix("http://") }) else {
                        // What went wrong and what to do come last.
                        said = said.suffix(2) + [line]
                        continue
                    }
                    let token = (try? Files.read(directory + "/state/dashboard.token", limit: 4096)) ?? []
                    tell(.page("\(address)/#token=\(String(decoding: token, as: UTF8.self).trimmed)"))
                    ready()
                }
                return said.joined(separator: " ")
            }
            // Ctrl-C reaches it, too.
            if !Task.isCancelled, !result.terminationStatus.isSuccess {
                tell(.noPage("it ended with \(result.terminationStatus) \(result.closureResult)"))
            }
        } catch let error as SubprocessError where error.code == .executableNotFound {
            tell(.noPage("sudo apt install gaitway-dashboard, or board/install --dashboard"))
        } catch {
            if !Task.isCancelled { tell(.noPage("\(error)")) }
        }
    }

    // This process's without settings, so that none of the board's own applies.
    private static func environment(_ directory: String, _ configuration: String) -> Environment {
        var variables: [Environment.Key: String?] = [
            "STATE_DIRECTORY": directory + "/state", "GAITWAY_CONFIG": "\(directory)/\(configuration).toml",
        ]
        for setting in Settings.table { variables[Environment.Key(stringLiteral: setting.variable)] = .some(nil) }
        return .inherit.updating(variables)
    }

    private static var options: PlatformOptions {
        var options = PlatformOptions()
        options.teardownSequence = [.send(signal: .interrupt, allowedDurationToNextStep: .seconds(5))]
        return options
    }

    private static func run<Output: OutputProtocol>(
        _ program: String, _ arguments: [String], _ environment: Environment, output: Output
    ) async throws(Fault) {
        do {
            let result = try await Subprocess.run(
                .path(FilePath(program)), arguments: Arguments(arguments), environment: environment, platformOptions: options,
                input: .none, output: output, error: .currentStandardError)
            if Task.isCancelled || result.terminationStatus.isSuccess { return }
            var code = Fault.Code.failure
            if case .exited(let number) = result.terminationStatus { code = Fault.Code(rawValue: Int32(number)) ?? code }
            throw Fault(code, "the program that recognises ended with \(result.terminationStatus)")
        } catch let fault as Fault {
            throw fault
        } catch {
            if Task.isCancelled { return }
            throw Fault(.failure, "`gaitway run` cannot be started: \(error)")
        }
    }
}
