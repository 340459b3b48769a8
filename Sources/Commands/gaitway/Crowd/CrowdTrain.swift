import ArgumentParser
import Crowd
import CrowdLearning
import Support

struct CrowdErrorOfWeights: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "error", abstract: "How the crowd's weights do on this device's own samples.")

    @OptionGroup var options: CrowdOptions

    func run() throws {
        let (task, error, samples) = try options.client().error(), accuracy = Decimals.text(1 - error, places: 3)
        if options.format.json {
            try Console.print(
                JSON.object([
                    ("loss", .string(task.parameters.loss.rawValue)), ("samples", .integer(samples)), ("accuracy", .number(accuracy)),
                    ("error", .number(Decimals.text(error, places: 5))),
                ]).text)
        } else {
            try Console.print("\(accuracy) of \(samples) samples are decided rightly")
        }
    }
}

struct CrowdOnce: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "once", abstract: "Send one gradient.",
        discussion: "It does not wait until the server has taken it; where the one before still waits, it says so.")

    @OptionGroup var options: CrowdOptions

    func run() throws { try CrowdText.print(try options.client().once(), sent: true, json: options.format.json) }
}

struct CrowdTrain: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "train", abstract: "Send gradients until so many have counted.")

    @OptionGroup var options: CrowdOptions
    @Option(help: ArgumentHelp("Gradients of this device that count.", valueName: "count"))
    var rounds: Int

    func validate() throws {
        guard rounds > 0 else { throw ValidationError("--rounds is positive") }
    }

    func run() throws {
        let report = try options.client().train(
            rounds: rounds, progress: { Console.progress("\($0.counted) of \(rounds) rounds, iteration \($0.iteration)") }, pace: nil)
        Console.progress(nil)
        try CrowdText.print(report, sent: false, json: options.format.json)
        if report.counted < rounds { throw Fault(.failure, "interrupted after \(report.counted) of \(rounds) rounds") }
    }
}

struct CrowdBudget: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "budget", abstract: "What this device has given away so far.")

    @OptionGroup var format: OutputOptions

    func run() throws {
        let budget = try PrivacyBudget.read(PrivacyBudget.path)
        if format.json { try Console.print(JSON.object(CrowdText.members(budget)).text) } else { try Console.print(CrowdText.sum(budget)) }
    }
}

/// Reports as text.
enum CrowdText {
    static func print(_ report: CrowdClient.Report, sent: Bool, json: Bool) throws {
        if json {
            var members: [(String, JSON)] =
                [("counted", .integer(report.counted)), ("stale", .integer(report.stale)), ("iteration", .integer(report.iteration))]
                + self.members(report.budget)
            if case .none(let reason) = report.promise { members.append(("no_promise", .string(reason))) }
            try Console.print(JSON.object(members).text)
            return
        }
        let what =
            sent
            ? "sent; the server takes it when it looks"
            : "\(report.counted) rounds counted, \(report.stale) came too late; iteration \(report.iteration)"
        let promise = if case .none(let reason) = report.promise { "no privacy can be stated: \(reason)" } else { sum(report.budget) }
        try Console.print("\(what)\n\(promise)")
    }

    /// Epsilon is told only where it holds.
    static func sum(_ budget: PrivacyBudget) -> String {
        guard budget.checkIns > 0 else { return "nothing was given away yet" }
        if budget.unbounded > 0 {
            return "no privacy can be stated: \(budget.unbounded) of \(budget.checkIns) check-ins went without noise that protects"
        }
        let delta = budget.delta > 0 ? ", delta \(budget.delta)" : ""
        return "epsilon \(Decimals.text(budget.epsilon, places: 3))\(delta) for each sample, over \(budget.checkIns) check-ins"
    }

    static func members(_ budget: PrivacyBudget) -> [(String, JSON)] {
        var members: [(String, JSON)] = [("check_ins", .integer(budget.checkIns)), ("unbounded_check_ins", .integer(budget.unbounded))]
        if budget.unbounded == 0 {
            members += [("epsilon", .number(Decimals.text(budget.epsilon, places: 6))), ("delta", .number("\(budget.delta)"))]
        }
        return members
    }
}
