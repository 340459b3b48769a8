import Support
import Testing

@testable import CrowdLearning

@Suite struct NormLimitTests {
    private let features = 6, classes = 3

    /// Three classes around three corners; each participant has a few samples.
    private func samples(_ count: Int, _ random: inout RandomNumbers) throws -> CrowdData {
        var rows: [Double] = [], labels: [Int] = []
        for _ in 0..<count {
            let label = Int(random.next() % UInt64(classes))
            labels.append(label)
            for feature in 0..<features { rows.append((feature % classes == label ? 1.0 : 0) + 0.35 * random.normal()) }
        }
        return try CrowdData(features: rows, dimension: features, labels: labels).normalised()
    }

    /// The error of a crowd of a hundred, of whom some send what moves the weights away.
    private func error(
        hostile: Int, clips: Bool, _ algorithm: Descent.Algorithm = .adagrad, lie: (_ honest: [Double], _ turn: Int) -> [Double]
    ) throws -> Double {
        var parameters = CrowdParameters()
        (parameters.features, parameters.classes, parameters.loss, parameters.rate, parameters.batch, parameters.algorithm) = (
            features, classes, .softmax, 2, 4, algorithm
        )
        var random = RandomNumbers(seed: 7), server = try CrowdOptimiser(parameters, clips: clips)
        let people = try (0..<100).map { _ in try samples(12, &random) }, test = try samples(600, &random)
        for turn in 0..<1500 {
            let person = Int(random.next() % 100), rows = (0..<4).map { _ in Int(random.next() % 12) }
            let honest = server.model.gradient(server.weights, of: rows, in: people[person], decay: 0)
            _ = server.take(person < hostile ? lie(honest, turn) : honest, weightIteration: server.iteration, parameterIteration: 1)
        }
        return server.model.error(server.weights, on: test)
    }

    @Test func thirtyHostileOfAHundredCostTwoPoints() throws {
        let alone = try error(hostile: 0, clips: true) { honest, _ in honest }
        #expect(alone < 0.12, "there is something to learn: \(alone)")
        let lies: [(name: String, lie: ([Double], Int) -> [Double])] = [
            ("the other way", { honest, _ in honest.map { -$0 } }), ("the other way, far", { honest, _ in honest.map { -1e6 * $0 } }),
            ("one direction", { honest, _ in honest.indices.map { $0 % 2 == 0 ? 1e70 : -1e70 } }),
        ]
        for (name, lie) in lies {
            let found = try error(hostile: 30, clips: true, lie: lie)
            #expect(found <= alone + 0.02, "\(name): \(found), and \(alone) without")
        }
        let unclipped = try error(hostile: 1, clips: false, .sqrt, lie: lies[2].lie)
        #expect(unclipped > 0.3, "one alone spoils a crowd that takes anything: \(unclipped)")
    }

    /// Gradients that are no longer than others', and go elsewhere.
    @Test func whatLiesElsewhereDoesNotCount() {
        var near = NearestHalf(), random = RandomNumbers(seed: 3)
        func honest() -> [Double] { (0..<11).map { 1 + 0.5 * random.normal() * Double(1 + $0 % 2) } }
        var admitted = 0
        for _ in 0..<100 { admitted += near.admits(honest()) ? 1 : 0 }
        #expect(admitted > 85, "\(admitted) of 100 alike")
        var opposite = 0
        for turn in 0..<90 {
            let gradient = honest()
            if turn % 3 == 0 { opposite += near.admits(gradient.map { -$0 }) ? 1 : 0 } else { _ = near.admits(gradient) }
        }
        #expect(opposite == 0, "\(opposite) of 30 that go the other way")
        // The first ones, about which nothing is known.
        var fresh = NearestHalf()
        for turn in 0..<7 {
            let isAdmitted = fresh.admits([turn % 2 == 0 ? 1 : -1])
            #expect(isAdmitted)
        }
    }

    @Test func numbersWhoseSquaresDoNotFitAreNoGradient() throws {
        var parameters = CrowdParameters()
        (parameters.features, parameters.classes, parameters.loss) = (2, 2, .logistic)
        var server = try CrowdOptimiser(parameters)
        let before = server
        for bad in [1e200, -1e76] {
            if case .refused = server.take([bad, 0], weightIteration: 1, parameterIteration: 1) {} else { Issue.record("\(bad) is taken") }
        }
        #expect(server == before)
        #expect(server.take([1e74, 0], weightIteration: 1, parameterIteration: 1) == .taken(moved: true))
        #expect(server.weights.allSatisfy { $0.isFinite })
    }

    @Test func theLimitFollowsTheMedian() {
        var limit = NormLimit(noise: 0, length: 1)
        let first = limit.factor(of: [1e74])
        #expect(first == 10 / 1e74, "the first ones have a limit of their own")
        for _ in 0..<30 { _ = limit.factor(of: [2]) }
        let factors = [2.0, 8, 0].map { limit.factor(of: [$0]) }
        #expect(factors == [1, 0.25, 1])
    }
}
