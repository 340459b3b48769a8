internal import CrowdLearning
internal import Support

/// What leaves a device: a noisy mean gradient of a batch, or noisy weights after steps of its own; and its price in privacy.
struct GradientMaker {
    let task: CrowdTask
    let data: CrowdData
    let noise: Noise
    let convention: ClientConvention
    private var sampler: BatchSampler<SystemRandomNumberGenerator>
    private var random = SystemRandomNumberGenerator()

    /// - Throws: `.badData` where the samples do not fit the model, or the noise cannot be made.
    init(_ task: CrowdTask, _ data: CrowdData, as convention: ClientConvention) throws(Fault) {
        try data.require(task.model)
        (self.task, self.data, self.convention) = (task, data, convention)
        noise = try Noise(named: task.parameters.noise, scale: task.parameters.noiseScale, as: convention)
        sampler = BatchSampler(count: data.count, using: random)
    }

    /// What any one of the device's samples is promised for each check-in.
    var promise: PrivacyPromise {
        PrivacyPromise(noise, task.model, on: data, batch: task.parameters.batch, sendsWeights: task.parameters.localUpdates > 0)
    }

    /// - Parameters:
    ///   - number: of the check-in, from 1.
    ///   - spend: pays for it before anything is made; is told whether samples are used that may have been used before.
    /// - Throws: `spend`'s.
    mutating func make(_ weights: [Double], number: Int, spend: (_ beginsEpoch: Bool) throws(Fault) -> Void) throws(Fault) -> [Double] {
        let steps = task.parameters.localUpdates
        // What is not paid for was not drawn: the next try begins the same epoch.
        var drawn = sampler, batches = [drawn.batch(task.parameters.batch)]
        while batches.count < steps { batches.append(drawn.batch(task.parameters.batch)) }
        try spend(drawn.epoch != sampler.epoch)
        sampler = drawn
        var made = weights
        if steps == 0 {
            made = task.model.gradient(weights, of: batches[0], in: data, decay: task.parameters.decay, as: convention)
        } else {
            for (step, batch) in batches.enumerated() {
                let gradient = task.model.gradient(made, of: batch, in: data, decay: task.parameters.decay, as: convention)
                // As Python's client: c/√(S·round + step).
                let rate = task.parameters.rate / max(1, Double(steps) * Double(number) + Double(step)).squareRoot()
                for index in made.indices { made[index] -= rate * gradient[index] }
            }
        }
        noise.add(to: &made, using: &random)
        return made
    }
}
