package import Support

extension SimulatedWearer {
    /// What the simulated wearer does, in order.
    package struct Script: Sendable, Equatable {
        package var steps: [Step]
        package var seed: UInt64
        /// Whether it starts over after the last step.
        package var repeats: Bool

        package struct Step: Sendable, Equatable {
            package var activity: Motion
            package var seconds: Int

            package init(_ activity: Motion, _ seconds: Int) {
                self.activity = activity
                self.seconds = seconds
            }
        }

        /// A little of everything, for ever.
        package static let endless = Script(
            steps: [
                Step(.stand, 15), Step(.walk, 25), Step(.sit, 15), Step(.walk, 10), Step(.upstairs, 15), Step(.walk, 10),
                Step(.downstairs, 15), Step(.lie, 20),
            ],
            seed: 1, repeats: true)

        package init(steps: [Step], seed: UInt64, repeats: Bool) {
            self.steps = steps
            self.seed = seed
            self.repeats = repeats
        }

        /// "stand=20,walk=40,lie=20", played once, with ",repeat" for ever; "seed=7" changes the noise and the gait's irregularities.
        ///
        /// - Throws: `.usage` naming the activities.
        package init(_ text: String) throws(Fault) {
            self.init(steps: [], seed: 1, repeats: false)
            for item in text.split(separator: ",") {
                if item == "repeat" {
                    repeats = true
                    continue
                }
                let pair = item.split(separator: "=", omittingEmptySubsequences: false)
                guard pair.count == 2, let value = Int(pair[1]), value >= 0, value <= 1_000_000 else {
                    throw Self.misunderstood(String(item))
                }
                if pair[0] == "seed" {
                    seed = UInt64(value)
                } else if let activity = Motion(rawValue: String(pair[0])), value > 0 {
                    steps.append(Step(activity, value))
                } else {
                    throw Self.misunderstood(String(item))
                }
            }
            if steps.isEmpty {
                steps = Self.endless.steps
                repeats = true
            }
        }

        private static func misunderstood(_ item: String) -> Fault {
            let names = Motion.allCases.map { "\($0.rawValue)=SECONDS" }.joined(separator: ", ")
            return Fault(
                .usage, "the simulated wearer cannot \"\(item)\"", remedy: "Steps, separated by commas: \(names); and seed=NUMBER, repeat.")
        }
    }

    package enum Motion: String, Sendable, CaseIterable {
        case stand, sit, lie, walk, upstairs, downstairs, run
        /// Falls on the side, and stays there.
        case fall
    }
}
