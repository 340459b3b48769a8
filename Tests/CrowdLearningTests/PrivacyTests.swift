import Glibc
import Support
import Testing

@testable import CrowdLearning

@Suite struct PrivacyTests {
    private func data(_ features: [Double], _ labels: [Int]) throws -> CrowdData {
        try CrowdData(features: features, dimension: 2, labels: labels)
    }

    @Test func thePapersScale() throws {
        let model = try CrowdModel(.softmax, features: 2, classes: 3), samples = try data([0.5, -0.5, 1, 0, 0.2, 0.8], [0, 1, 2])
        // 4/(b epsilon)
        #expect(PrivacyPromise.laplaceScale(10, model, batch: 20) == 0.02)
        #expect(PrivacyPromise(.laplace(scale: 0.4), model, on: samples, batch: 1) == .holds(epsilon: 10, delta: 0))
        #expect(PrivacyPromise(.laplace(scale: 0.4), model, on: samples, batch: 2) == .holds(epsilon: 5, delta: 0))
        // No batch is larger than what there is.
        #expect(PrivacyPromise(.laplace(scale: 1), model, on: samples, batch: 100) == .holds(epsilon: 4.0 / 3, delta: 0))
    }

    @Test func nothingIsPromisedWithoutItsPremises() throws {
        let softmax = try CrowdModel(.softmax, features: 2, classes: 3), small = try data([0.5, 0.5], [0]), large = try data([255, 0], [0])
        func reason(_ promise: PrivacyPromise) -> String { if case .none(let reason) = promise { reason } else { "" } }
        #expect(reason(PrivacyPromise(.laplace(scale: 1), softmax, on: large, batch: 1)).contains("L1-normalised"))
        #expect(reason(PrivacyPromise(.none, softmax, on: small, batch: 1)).contains("no noise"))
        #expect(reason(PrivacyPromise(.laplace(scale: 1), softmax, on: small, batch: 1, sendsWeights: true)).contains("local steps"))
        #expect(
            reason(PrivacyPromise(.laplace(scale: 1), try CrowdModel(.network, features: 2, classes: 3, hidden: 4), on: small, batch: 1))
                .contains("hidden layers"))
        #expect(reason(PrivacyPromise(.gaussian(deviation: 0.1), softmax, on: small, batch: 1)).contains("up to epsilon 1"))
        if case .holds(let epsilon, let delta) = PrivacyPromise(.gaussian(deviation: 100), softmax, on: small, batch: 1) {
            #expect(epsilon < 1 && delta == 1e-5)
        } else {
            Issue.record("much noise gives a promise")
        }
    }

    /// The largest change of a gradient over random neighbours stays within what the promise is made of, and comes near it.
    @Test(arguments: [CrowdModel.Loss.logistic, .hinge, .softmax]) func sensitivity(_ loss: CrowdModel.Loss) throws {
        let model = try CrowdModel(loss, features: 2, classes: loss == .softmax ? 3 : 2)
        var random = RandomNumbers(seed: 3), most = 0.0, mostSquare = 0.0
        for _ in 0..<20_000 {
            let weights = (0..<model.length).map { _ in random.normal() * 20 }
            let pair = try data((0..<4).map { _ in random.normal() }, [random.below(model.classes), random.below(model.classes)])
                .normalised()
            let change = zip(model.gradient(weights, of: [0], in: pair), model.gradient(weights, of: [1], in: pair)).map(-)
            most = max(most, change.reduce(0) { $0 + abs($1) })
            mostSquare = max(mostSquare, change.reduce(0) { $0 + $1 * $1 }.squareRoot())
        }
        #expect(most <= model.absoluteSensitivity + 1e-9 && most > 0.9 * model.absoluteSensitivity, "\(most)")
        #expect(mostSquare <= model.squareSensitivity + 1e-9, "\(mostSquare)")
    }

    @Test func epochsAddUpAndNotCheckIns() throws {
        var budget = PrivacyBudget()
        for (epsilon, begins) in [(1.0, true), (1, false), (0.5, false), (2, true), (1, false)] {
            try budget.spend(.holds(epsilon: epsilon, delta: 0), beginsEpoch: begins, limit: 3)
        }
        #expect(budget.epsilon == 3 && budget.checkIns == 5)
        let before = budget
        #expect(throws: Fault.self) { try budget.spend(.holds(epsilon: 0.1, delta: 0), beginsEpoch: true, limit: 3) }
        #expect(throws: Fault.self) { try budget.spend(.none(reason: "no noise is added"), beginsEpoch: false, limit: 3) }
        // What was refused is not spent.
        #expect(budget == before)
        try budget.spend(.none(reason: "no noise is added"), beginsEpoch: false, limit: nil)
        #expect(budget.unbounded == 1)
    }

    @Test func aBrokenBudgetIsNoNewOne() throws {
        var template = Array("/tmp/gaitway-crowd-XXXXXX".utf8CString)
        let path = String(cString: try #require(mkdtemp(&template))) + "/budget.json"
        var budget = PrivacyBudget()
        try budget.spend(.holds(epsilon: 2, delta: 1e-5), beginsEpoch: true, limit: nil)
        try budget.write(path)
        #expect(try PrivacyBudget.read(path) == budget && (try Files.isPrivate(path)))
        try Files.write(Array("{}".utf8), to: path)
        #expect(throws: Fault.self) { try PrivacyBudget.read(path) }
    }
}
