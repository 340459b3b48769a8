import Support
import Testing

@testable import CrowdLearning

/// The vectors of Crowd-ML's published gradients, and differences of the losses themselves.
@Suite struct GradientTests {
    private func gradient(
        _ loss: CrowdModel.Loss, _ x: [Double], _ label: Int, _ weights: [Double], classes: Int = 2, decay: Double = 0,
        as convention: ClientConvention = .paper
    ) throws -> [Double] {
        let model = try CrowdModel(loss, features: x.count, classes: classes)
        return model.gradient(
            weights, of: [0], in: try CrowdData(features: x, dimension: x.count, labels: [label]), decay: decay, as: convention)
    }

    private func expect(_ found: [Double], _ wanted: [Double]) {
        #expect(found.count == wanted.count && zip(found, wanted).allSatisfy { abs($0 - $1) < 1e-8 }, "\(found)")
    }

    @Test func logisticVectors() throws {
        let x = [1.0, 2, 1], w = [0.5, -0.25, 0.1]
        expect(try gradient(.logistic, x, 1, w), [-0.47502081, -0.95004163, -0.47502081])
        expect(try gradient(.logistic, x, 0, w), [0.52497919, 1.04995837, 0.52497919])
        expect(try gradient(.logistic, x, 1, w, decay: 0.01), [-0.47002081, -0.95254163, -0.47402081])
        expect(try gradient(.logistic, x, 1, w, decay: 0.005, as: .android), [-0.47002081, -0.95254163, -0.47402081])
    }

    @Test func softmaxVectors() throws {
        expect(
            try gradient(.softmax, [1, 2], 1, [0.1, 0.2, 0.3, -0.1, 0, 0.5], classes: 3),
            [0.30129182, 0.60258364, -0.79803805, -1.59607611, 0.49674623, 0.99349247])
    }

    @Test func scoresOfAnySizeGiveNumbers() throws {
        for size in [1e3, 1e6, -1e6] {
            #expect(try gradient(.logistic, [1, 1], 1, [size, size]).allSatisfy(\.isFinite))
            #expect(try gradient(.softmax, [1, 1], 1, [size, size, -size, size], classes: 2).allSatisfy(\.isFinite))
        }
        // Far on the right side nothing is left to learn, far on the wrong one all of it.
        expect(try gradient(.logistic, [1], 1, [1e4]), [0])
        expect(try gradient(.logistic, [1], 0, [1e4]), [1])
    }

    // The loss as its definition has it.
    private func loss(_ model: CrowdModel, _ w: [Double], _ x: [Double], _ label: Int) -> Double {
        func scores(_ w: ArraySlice<Double>, _ x: [Double], _ count: Int) -> [Double] {
            (0..<count).map { k in zip(x, w.dropFirst(k * x.count)).reduce(0) { $0 + $1.0 * $1.1 } }
        }
        func crossEntropy(_ scores: [Double]) -> Double {
            let top = scores.max()!
            return top + Exponential.log(scores.reduce(0) { $0 + Exponential.exp($1 - top) }) - scores[label]
        }
        let margin = scores(w[...], x, 1)[0] * (label > 0 ? 1 : -1)
        switch model.loss {
        case .logistic: return Exponential.log(1 + Exponential.exp(-margin))
        case .hinge: return max(0, 1 - margin)
        case .softmax: return crossEntropy(scores(w[...], x, model.classes))
        case .network:
            var at = 0, values = x
            for (index, outputs) in [model.hidden, model.hidden, model.classes].enumerated() {
                var next = [Double](repeating: 0, count: outputs)
                for (row, value) in values.enumerated() {
                    for column in 0..<outputs { next[column] += value * w[at + row * outputs + column] }
                }
                at += values.count * outputs
                for column in 0..<outputs { next[column] += w[at + column] }
                at += outputs
                values = index < 2 ? next.map { max(0, $0) } : next
            }
            return crossEntropy(values)
        }
    }

    @Test(arguments: CrowdModel.Loss.allCases) func agreesWithDifferences(_ kind: CrowdModel.Loss) throws {
        var random = RandomNumbers(seed: 7)
        let isBinary = kind == .logistic || kind == .hinge
        let model = try CrowdModel(kind, features: 5, classes: isBinary ? 2 : 3, hidden: 4)
        let rows = 6, x = (0..<rows * 5).map { _ in random.normal() }, labels = (0..<rows).map { _ in random.below(model.classes) }
        let weights = (0..<model.length).map { _ in random.normal() * 0.5 }, data = try CrowdData(features: x, dimension: 5, labels: labels)
        let found = model.gradient(weights, of: Array(0..<rows), in: data)
        func mean(_ w: [Double]) -> Double {
            (0..<rows).reduce(0) { $0 + loss(model, w, Array(data.features(of: $1)), labels[$1]) } / Double(rows)
        }
        for index in weights.indices {
            var above = weights, below = weights
            above[index] += 1e-5
            below[index] -= 1e-5
            let difference = (mean(above) - mean(below)) / 2e-5
            #expect(abs(found[index] - difference) < 1e-6, "\(kind) \(index): \(found[index]), not \(difference)")
        }
    }

    @Test func shapesThatCannotBe() throws {
        for (loss, features, classes, hidden) in [
            (CrowdModel.Loss.logistic, 3, 3, 0), (.hinge, 3, 4, 0), (.softmax, 0, 2, 0), (.softmax, 3, 1, 0), (.network, 3, 2, 0),
            (.softmax, 1_000_000, 1000, 0),
        ] {
            #expect(throws: Fault.self) { try CrowdModel(loss, features: features, classes: classes, hidden: hidden) }
        }
        #expect(
            try CrowdModel(.network, features: 784, classes: 10, hidden: 200).length == 784 * 200 + 200 + 200 * 200 + 200 + 200 * 10 + 10)
    }
}
