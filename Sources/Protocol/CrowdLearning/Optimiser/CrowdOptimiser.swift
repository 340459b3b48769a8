package import Support

/// Crowd-ML's server as arithmetic: takes gradients or weights, one device's after the other, and moves the crowd's weights on.
package struct CrowdOptimiser: Sendable, Equatable {
    /// What becomes of what a device sent.
    package enum Verdict: Sendable, Equatable {
        /// It counts; whether the weights moved with it.
        case taken(moved: Bool)
        /// It was made with weights or parameters that are no longer those of the crowd.
        case stale
        case refused(String)
    }

    package let parameters: CrowdParameters
    package let model: CrowdModel
    /// Gradients that make one step, and steps that make one iteration.
    package let gradientBatch: Int, weightBatch: Int
    package internal(set) var weights: [Double]
    /// From 1.
    package internal(set) var iteration = 1
    /// All that was ever taken.
    package internal(set) var taken = 0
    var descent: Descent
    // nil where gradients of any length are taken, as Crowd-ML's server does.
    private var limit: NormLimit?
    private var near = NearestHalf()
    var gradients: Gathered, steps: Gathered

    /// A sum of vectors on its way to a mean.
    struct Gathered: Sendable, Equatable {
        var sum: [Double] = []
        var count = 0

        // The mean of what has come, once it is enough.
        mutating func add(_ vector: [Double], until enough: Int) -> [Double]? {
            if count == 0, enough == 1 { return vector }
            if count == 0 { sum = vector } else { for index in sum.indices { sum[index] += vector[index] } }
            count += 1
            guard count >= enough else { return nil }
            defer { self = Gathered() }
            let share = 1 / Double(count)
            return sum.map { $0 * share }
        }
    }

    /// - Parameters:
    ///   - weights: to begin with; nil for zeros.
    ///   - clips: whether no device moves the weights further than half of the others do, and none that goes elsewhere than most.
    /// - Throws: those of ``CrowdModel``; `.badData` for weights of another length, `.usage` for batches below 1.
    package init(
        _ parameters: CrowdParameters, weights: [Double]? = nil, gradientBatch: Int = 1, weightBatch: Int = 1, radius: Double? = nil,
        clips: Bool = false
    ) throws(Fault) {
        let model = try parameters.model()
        guard gradientBatch > 0, weightBatch > 0 else { throw Fault(.usage, "batches of gradients and of weights are of 1 at least") }
        if let weights, weights.count != model.length {
            throw Fault(.badData, "\(weights.count) weights are not the \(model.length) of \(model.loss.rawValue)")
        }
        (self.parameters, self.model, self.gradientBatch, self.weightBatch) = (parameters, model, gradientBatch, weightBatch)
        self.weights = weights ?? [Double](repeating: 0, count: model.length)
        descent = Descent(parameters.algorithm, rate: parameters.rate, epsilon: parameters.epsilon, radius: radius, length: model.length)
        limit = clips ? NormLimit(noise: parameters.noise == "NoNoise" ? 0 : parameters.noiseScale, length: model.length) : nil
        (gradients, steps) = (Gathered(), Gathered())
    }

    /// Whether enough has been learnt.
    package var isDone: Bool { iteration > parameters.mostIterations }

    /// - Parameters:
    ///   - vector: a gradient, or weights where clients take steps by themselves.
    ///   - weightIteration: of the weights that it was made with.
    ///   - parameterIteration: of the parameters.
    ///   - isOfMany: whether there are devices enough for what most of them send to say something of one.
    package mutating func take(
        _ vector: [Double], weightIteration: Int, parameterIteration: Int, isOfMany: Bool = true
    ) -> Verdict {
        guard parameterIteration == parameters.iteration, weightIteration == iteration, !isDone else { return .stale }
        guard vector.count == model.length else {
            return .refused("\(vector.count) numbers came, \(model.loss.rawValue) has \(model.length)")
        }
        guard vector.allSatisfy({ $0.isFinite }) else { return .refused("numbers came that are not finite") }
        // Their squares are to add up to something finite.
        guard vector.allSatisfy({ $0.magnitude < 1e75 }) else { return .refused("numbers came that no gradient has") }
        taken += 1
        guard let vector = admitted(vector, isOfMany) else { return .taken(moved: false) }
        var stepped: [Double]?
        if parameters.localUpdates > 0 {
            stepped = vector
        } else if let mean = gradients.add(vector, until: gradientBatch) {
            var next = weights
            descent.step(&next, along: mean, iteration: iteration)
            stepped = next
        }
        guard let stepped, let mean = steps.add(stepped, until: weightBatch) else { return .taken(moved: false) }
        weights = mean
        iteration += max(1, parameters.localUpdates)
        return .taken(moved: true)
    }

    // Shortened where it is longer than most; nil for one that lies elsewhere than most. Where weights come, their way from those of the
    // crowd is what counts.
    private mutating func admitted(_ vector: [Double], _ isOfMany: Bool) -> [Double]? {
        guard limit != nil else { return vector }
        var moves = parameters.localUpdates > 0 ? zip(vector, weights).map { $0 - $1 } : vector
        let factor = limit?.factor(of: moves) ?? 1
        if factor < 1 { for index in moves.indices { moves[index] *= factor } }
        let isNear = near.admits(moves)
        guard isNear || !isOfMany else { return nil }
        guard factor < 1 else { return vector }
        return parameters.localUpdates > 0 ? zip(weights, moves).map { $0 + $1 } : moves
    }
}
