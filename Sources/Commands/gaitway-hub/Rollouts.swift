import ArgumentParser
import HubStore
import Support

struct Rollouts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Bring a version to boards, a share of them at a time.",
        subcommands: [List.self, Start.self, Pause.self, Resume.self, Stop.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "The roll-outs and how they do.")

        @OptionGroup var store: StoreOptions
        @Flag(help: "One JSON object a line.") var json = false

        func run() async throws {
            let store = try await store.open()
            var table = OutputTable(names: [
                "id", "model", "version", "status", "percent", "reached", "committed", "trying", "deferred", "failed", "away", "reason",
            ])
            for rollout in try await store.rollouts(org: self.store.org) {
                let progress = try await store.progress(of: rollout, now: StoreOptions.now)
                table.rows.append([
                    "\(rollout.id)", rollout.model, rollout.versionName ?? "\(rollout.version)", rollout.state.rawValue,
                    "\(Int(rollout.percentage))",
                    "\(progress.reached)", "\(progress.committed)", "\(progress.trying)",
                    "\(progress.deferred)", "\(progress.failed)", "\(progress.away)", rollout.reason,
                ])
            }
            table.print(json: json)
        }
    }

    struct Start: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Start a roll-out.",
            discussion:
                """
                It grows by --increment whenever --success of the boards that it reaches run the version for good, and stops when \
                more than --error of the reports are bad.
                """
        )

        @OptionGroup var store: StoreOptions
        @Argument var model: String
        @Argument(help: "Its number, or what its author calls it.") var version: String
        @Option(help: "The boards of this group alone.") var group: String?
        @Option(help: "Of the boards, to begin with.") var percent = 10.0
        @Option(help: "Of the boards, in the end.") var target = 100.0
        @Option(help: "Percent more each time.") var increment = 10.0
        @Option(help: "0 to 1.") var success = 0.9
        @Option(help: "0 to 1.") var error = 0.1
        @Option(help: "Reports before either counts.") var minimum = 3
        @Flag(help: "Also where the version is not signed.") var unsigned = false

        func validate() throws {
            guard (0...100).contains(percent), (0...100).contains(target), (0...100).contains(increment) else {
                throw ValidationError("--percent, --target and --increment are 0 to 100")
            }
            guard (0...1).contains(success), (0...1).contains(error), minimum > 0 else {
                throw ValidationError("--success and --error are 0 to 1, --minimum is positive")
            }
        }

        func run() async throws {
            let store = try await store.open(), org = self.store.org, model = try await store.find(model: model, org)
            guard let found = try await store.version(named: version, of: model) else {
                throw Fault(.noInput, "\(model.name) has no version \(version)", remedy: "gaitway-hub models list")
            }
            var chosen: DeviceGroup?
            if let group {
                chosen = try await store.group(group, org: org)
                if chosen == nil { throw Fault(.noInput, "there is no group \(group)", remedy: "gaitway-hub groups list") }
            }
            let rollout = Rollout(
                model: model.id, version: found.version, group: chosen?.id, percentage: min(percent, target), target: target,
                increment: increment, success: success, error: error, minimum: minimum,
                created: StoreOptions.now)
            print(try await store.start(rollout, unsigned: unsigned).id)
        }
    }

    struct Pause: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Offer it to no more boards for now.")
        @OptionGroup var turn: Turn
        func run() async throws { try await turn.turn(to: .paused, "paused") }
    }

    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Go on.")
        @OptionGroup var turn: Turn
        func run() async throws { try await turn.turn(to: .active, "resumed") }
    }

    struct Stop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Offer it to no more boards.")
        @OptionGroup var turn: Turn
        func run() async throws { try await turn.turn(to: .stopped, "stopped") }
    }

    struct Turn: ParsableArguments {
        @OptionGroup var store: StoreOptions
        @Argument var rollout: Int

        func turn(to state: Rollout.State, _ word: String) async throws {
            let store = try await store.open()
            guard let found = try await store.rollout(rollout, org: self.store.org) else {
                throw Fault(.noInput, "there is no roll-out \(rollout)", remedy: "gaitway-hub rollouts list")
            }
            _ = try await store.change(found, to: state, reason: "\(word) by a person", now: StoreOptions.now)
        }
    }
}
