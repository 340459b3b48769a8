package import Support

/// Several people as devices, some of whom are left out in turn: what they learn together, what one machine with all their samples learns,
/// and what each learns alone; all measured on those left out.
package struct PeopleTrial: Sendable {
    /// Shares of the windows that are decided rightly, 0 ... 1, each fold counting the same.
    package struct Result: Sendable, Equatable {
        package var central = 0.0, crowd = 0.0, alone = 0.0
    }

    private let people: [CrowdData]
    private let folds: Int
    private let settings: CrowdSimulation.Settings

    /// - Throws: `.usage` for fewer than two people or more folds than people.
    package init(_ people: [CrowdData], folds: Int, _ settings: CrowdSimulation.Settings) throws(Fault) {
        guard people.count >= 2, (2...people.count).contains(folds) else {
            throw Fault(.usage, "\(people.count) people cannot be left out in \(folds) turns")
        }
        (self.people, self.folds, self.settings) = (people, folds, settings)
    }

    /// - Throws: those of ``CrowdSimulation``.
    package func run() throws(Fault) -> Result {
        var result = Result()
        let share = 1 / Double(folds)
        for fold in 0..<folds {
            let out = people.indices.filter { $0 % folds == fold }.map { people[$0] },
                devices = people.indices.filter { $0 % folds != fold }.map { people[$0] }
            let test = try CrowdData(features: out.flatMap(\.features), dimension: out[0].dimension, labels: out.flatMap(\.labels))
            let simulation = try CrowdSimulation(devices: devices, test: test, settings)
            result.central += (1 - (try simulation.central().error)) * share
            result.crowd += (1 - (try simulation.crowd().error)) * share
            for device in devices {
                result.alone +=
                    (1 - (try CrowdSimulation(devices: [device], test: test, settings).central().error)) * share / Double(devices.count)
            }
        }
        return result
    }
}
