import ArgumentParser

struct Crowd: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crowd", abstract: "Learn together with other devices, without sending what was sensed.",
        discussion: """
            A crowd's server is a hub (gaitway-hub crowd start) or Crowd-ML's own over a Firebase Realtime Database. What leaves this \
            device is a gradient, with the noise that the server asks for; how much that gives away is counted and limited here.
            """,
        subcommands: [
            CrowdErrorOfWeights.self, CrowdOnce.self, CrowdTrain.self, CrowdParticipate.self, CrowdExport.self, CrowdBudget.self,
            CrowdSimulate.self,
        ])
}
