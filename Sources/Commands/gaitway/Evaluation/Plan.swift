import ArgumentParser
import NeuralNetwork
import Runtime
import Support
import Training

struct Plan: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan", abstract: "Choose bits, features and rate so that a battery lasts for so many hours.",
        discussion: """
            Trains feed-forward networks on recordings in the layout of the HAPT data set, measures each on people left out and times it \
            on this machine: run it on the board. What the board takes must be measured: a meter in its supply, or `gaitway run --stats` \
            on a board whose battery the kernel knows. One way is a small network that decides where it is sure, and a larger one that is \
            asked otherwise: both lie in one model file, which runs as any other; `gaitway run --stats` counts what the first one decided.
            """)

    @Option(help: ArgumentHelp("How long the battery is to last.", valueName: "hours")) var batteryHours: Double
    @Option(help: ArgumentHelp("Of the full battery, mWh. (default: what the kernel says of it)", valueName: "mWh"))
    var battery: Double?
    @Option(help: ArgumentHelp("What the board takes while it waits for samples, mW.", valueName: "mW")) var idleMilliwatts: Double
    @Option(help: ArgumentHelp("What it takes beyond that while it computes, mW.", valueName: "mW")) var activeMilliwatts: Double
    @Option(help: ArgumentHelp("Directory of recordings.", valueName: "dir"), completion: .directory) var recordings: String
    @Option(help: ArgumentHelp("Where to write the chosen network.", valueName: "file"), completion: .file()) var output: String?
    @OptionGroup var format: OutputOptions

    func validate() throws {
        for (name, value) in [("--battery-hours", batteryHours), ("--battery", battery ?? 1), ("--idle-milliwatts", idleMilliwatts)] {
            guard value.isFinite, value > 0, value < 1e9 else { throw ValidationError("\(name) takes a positive number below 1e9") }
        }
        guard activeMilliwatts.isFinite, activeMilliwatts >= 0, activeMilliwatts < 1e9 else {
            throw ValidationError("--active-milliwatts takes a number from 0 on")
        }
    }

    func run() throws {
        guard let capacity = battery ?? BatteryCapacity.milliwattHours() else {
            throw Fault(.usage, "the kernel knows of no battery here", remedy: "Say how much it holds: --battery 6290 (mWh: mAh x volts).")
        }
        let plan = try BatteryPlan(
            recordings, target: batteryHours, board: .init(capacity: capacity, idle: idleMilliwatts, active: activeMilliwatts)
        ) { Console.progress($0) }
        Console.progress(nil)
        if let output, let chosen = plan.chosen, let network = plan.network(of: chosen) { try NetworkFile.save(network, to: output) }
        try Console.print(format.json ? PlanText.json(plan).text : PlanText.text(plan))
    }
}
