package import Support

/// A crowd in one process: what many devices would learn together, beside what one machine with all samples learns.
package struct CrowdSimulation: Sendable {
    package struct Settings: Sendable {
        package var parameters = CrowdParameters()
        package var noise = Noise.none
        package var radius: Double?
        /// Times that each device gives each of its samples.
        package var epochs = 1
        /// Errors that are measured on the way.
        package var points = 40
        package var seed: UInt64 = 1

        package init() {}
    }

    /// The error after so many samples.
    package struct Point: Sendable, Equatable {
        package var samples: Int
        /// 0 ... 1
        package var error: Double
    }

    package struct Result: Sendable {
        package var curve: [Point]
        package var weights: [Double]
        package var error: Double { curve.last?.error ?? 1 }
    }

    private let devices: [CrowdData]
    private let test: CrowdData
    private let settings: Settings

    /// - Throws: those of ``CrowdModel`` and of ``CrowdData/require(_:)``.
    package init(devices: [CrowdData], test: CrowdData, _ settings: Settings) throws(Fault) {
        let model = try settings.parameters.model()
        for data in devices + [test] { try data.require(model) }
        (self.devices, self.test, self.settings) = (devices, test, settings)
    }

    /// Which device checks in when, and with which of its samples: the same for the crowd and for one machine.
    private func order() -> [(device: Int, rows: [Int])] {
        var random = RandomNumbers(seed: settings.seed),
            samplers = devices.map { BatchSampler(count: $0.count, using: RandomNumbers(seed: random.next())) }
        let batch = settings.parameters.batch
        var turns = devices.indices.flatMap { device in
            [Int](repeating: device, count: settings.epochs * max(1, devices[device].count / batch))
        }
        random.shuffle(&turns)
        return turns.map { ($0, samplers[$0].batch(batch)) }
    }

    /// Each device sends the mean gradient of a batch, with noise, and the server takes them as they come.
    ///
    /// - Throws: those of ``CrowdOptimiser``.
    package func crowd() throws(Fault) -> Result {
        var server = try CrowdOptimiser(settings.parameters, radius: settings.radius), random = RandomNumbers(seed: settings.seed &+ 1)
        return try run(order()) { (turn) throws(Fault) in
            var gradient = server.model.gradient(server.weights, of: turn.rows, in: devices[turn.device], decay: settings.parameters.decay)
            settings.noise.add(to: &gradient, using: &random)
            if case .refused(let reason) = server.take(
                gradient, weightIteration: server.iteration, parameterIteration: settings.parameters.iteration)
            {
                throw Fault(.failure, reason)
            }
            return server.weights
        }
    }

    /// One machine that has all samples takes one step after each of them, in the crowd's order.
    package func central() throws(Fault) -> Result {
        let model = try settings.parameters.model()
        var weights = [Double](repeating: 0, count: model.length), steps = 0
        var descent = Descent(
            settings.parameters.algorithm, rate: settings.parameters.rate, epsilon: settings.parameters.epsilon, radius: settings.radius,
            length: model.length)
        return try run(order()) { (turn) throws(Fault) in
            for row in turn.rows {
                steps += 1
                descent.step(
                    &weights, along: model.gradient(weights, of: [row], in: devices[turn.device], decay: settings.parameters.decay),
                    iteration: steps)
            }
            return weights
        }
    }

    private func run(
        _ order: [(device: Int, rows: [Int])], _ turn: ((device: Int, rows: [Int])) throws(Fault) -> [Double]
    ) throws(Fault) -> Result {
        let model = try settings.parameters.model(), total = order.reduce(0) { $0 + $1.rows.count }
        var curve: [Point] = [], weights: [Double] = [], samples = 0
        for (index, next) in order.enumerated() {
            weights = try turn(next)
            samples += next.rows.count
            if samples * settings.points >= (curve.count + 1) * total || index == order.count - 1 {
                curve.append(Point(samples: samples, error: model.error(weights, on: test)))
            }
        }
        return Result(curve: curve, weights: weights)
    }
}
