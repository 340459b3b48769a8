import ArgumentParser

struct Crowd: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Learn together with other devices, without sending what was sensed.",
        subcommands: [CrowdSimulate.self])
}
