internal import FoundationEssentials
package import HubProtocol
package import Support

/// What became of releases of gaitway on this board: the installer's own file, which the service reads.
package struct ProgramState: Codable, Sendable, Equatable {
    /// How far a release is.
    package enum Stage: Codable, Sendable, Equatable {
        /// Its program is tried beside the present one: nothing was installed yet.
        case trial
        /// Its packages are being installed, or were, and the service is watched.
        case installed
        /// The packages before it are being installed again.
        case goingBack(reason: String, mayPass: Bool)

        var name: String {
            switch self {
            case .trial: "trial"
            case .installed: "installed"
            case .goingBack: "going_back"
            }
        }
    }

    /// A release that is being installed.
    package struct Pending: Codable, Sendable, Equatable {
        package var number: Int
        package var version: String
        package var stage = Stage.trial
        /// Of each package, Debian's versions: before, and of the release.
        package var before: [String: String], after: [String: String]
    }

    package struct Refused: Codable, Sendable, Equatable {
        package var number: Int
        package var version: String
        package var reason: String
        /// Whether it had been installed.
        package var wasRunning: Bool
    }

    private var format = 1
    /// No release up to this one is installed any more.
    package var highest = 0
    /// The one that was installed and does well; nil where none came this way.
    package var current: Int?
    package var pending: Pending?
    /// The newest first.
    package var refused: [Refused] = []
    /// Why the last one that waited could not be tried yet; nil where it was.
    package var obstacle: String?
    /// How often each could not be installed for a reason that may pass.
    package var attempts: [String: Int] = [:]
    /// How many requests were answered, one way or another, and when the last one was: seconds since 1970.
    package var answered = 0
    package var answeredAt = 0.0

    private static let mostRefused = 16
    /// Root's.
    package static let directory = "/var/lib/gaitway-program"

    package init() {}

    // What an earlier version did not write has its default value.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        format = try members.decode(Int.self, forKey: .format)
        highest = try members.decodeIfPresent(Int.self, forKey: .highest) ?? 0
        current = try members.decodeIfPresent(Int.self, forKey: .current)
        pending = try members.decodeIfPresent(Pending.self, forKey: .pending)
        refused = try members.decodeIfPresent([Refused].self, forKey: .refused) ?? []
        obstacle = try members.decodeIfPresent(String.self, forKey: .obstacle)
        attempts = try members.decodeIfPresent([String: Int].self, forKey: .attempts) ?? [:]
        answered = try members.decodeIfPresent(Int.self, forKey: .answered) ?? 0
        answeredAt = try members.decodeIfPresent(Double.self, forKey: .answeredAt) ?? 0
    }

    /// What has been tried and waits, and for how long after the last answer, s: a quarter of an hour, then twice as long each time, a day
    /// at most. nil for nothing.
    var waiting: (number: Int, seconds: Double)? {
        guard let (number, count) = attempts.first, let number = Int(number), number > highest, count > 0 else { return nil }
        return (number, min(86_400, 900 * Double(1 << min(count - 1, 10))))
    }

    /// Nothing where there is none yet.
    ///
    /// - Throws: `.badData` for what is none.
    package static func read(_ directory: String = Self.directory) throws(Fault) -> ProgramState {
        let path = "\(directory)/state.json"
        guard Files.exists(path) else { return ProgramState() }
        guard let found = try? JSONDecoder().decode(Self.self, from: Data(try Files.read(path, limit: 1 << 20))), found.format == 1 else {
            throw Fault(.badData, "\(path) cannot be read", remedy: "Remove it: what is installed stays.")
        }
        return found
    }

    func write(_ directory: String) throws(Fault) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        guard let text = try? encoder.encode(self) else { throw Fault(.failure, "the state cannot be written") }
        try Files.write(Array(text), to: "\(directory)/state.json")
    }

    mutating func refuse(_ number: Int, _ version: String, _ reason: String, wasRunning: Bool) {
        refused.removeAll { $0.number == number }
        refused.insert(Refused(number: number, version: version, reason: Printable.text(reason), wasRunning: wasRunning), at: 0)
        refused = Array(refused.prefix(Self.mostRefused))
        (highest, attempts) = (max(highest, number), [:])
    }

    /// For `gaitway program --json`.
    ///
    /// - Parameter service: what the service that runs says of releases; nil where none does.
    package func json(service: JSONValue?) -> JSONValue {
        .members([
            ("current", JSONValue(current.map(ProgramRelease.version))), ("highest", .integer(highest)),
            ("pending", JSONValue(pending?.version)),
            ("stage", JSONValue(pending?.stage.name)),
            ("obstacle", JSONValue(obstacle)),
            (
                "refused",
                .array(
                    refused.map {
                        ["version": .string($0.version), "reason": .string($0.reason), "was_running": .bool($0.wasRunning)]
                    })
            ),
            ("service", service ?? .null),
        ])
    }

    /// For people.
    package var text: String {
        var lines = current.map { ["version \(ProgramRelease.version(of: $0)) was installed"] } ?? []
        if lines.isEmpty, pending == nil { lines.append("no hub had a version installed here") }
        switch pending?.stage {
        case .goingBack(let reason, _): lines.append("version \(pending?.version ?? "") is being taken back: \(reason)")
        case .trial, .installed: lines.append("version \(pending?.version ?? "") is being installed")
        case nil: break
        }
        if let obstacle { lines.append("not installed: \(obstacle)") }
        lines += refused.map { "version \($0.version) \($0.wasRunning ? "was taken back" : "was refused"): \($0.reason)" }
        return lines.joined(separator: "\n")
    }

    /// For heartbeats.
    ///
    /// - Parameters:
    ///   - name: the hub's.
    ///   - own: the number of the version that runs.
    package func report(as name: String, own: Int) -> ModelReport {
        var versions: [ModelReport.Version] = []
        if let pending { versions.append(.init(version: pending.number, state: pending.stage == .trial ? .shadow : .probation)) }
        if let current { versions.append(.init(version: current, state: .committed)) }
        versions += refused.map { .init(version: $0.number, state: $0.wasRunning ? .rolledBack : .refused, reason: $0.reason) }
        var report = ModelReport(model: name, highest: max(highest, own), versions: versions)
        report.format = UploadedFile.program
        return report
    }
}
