package import Support

/// `/parameters`: what the server tells its clients. Numbers may come as text.
package struct CrowdParameters: Sendable, Equatable {
    package var iteration = 1
    package var features = 50
    package var classes = 10
    package var hidden = 0
    package var loss = CrowdModel.Loss.softmax
    /// lambda.
    package var decay = 1e-6
    /// Samples of a client, as the server believes.
    package var samples = 0
    package var batch = 1
    package var noise = "NoNoise"
    package var noiseScale = 1.0
    /// Steps that a client takes by itself; above 0 it sends weights, not a gradient.
    package var localUpdates = 0
    package var rate = 0.5
    package var epsilon = 1e-6
    package var mostIterations = 10_000
    package var algorithm = Descent.Algorithm.adagrad
    package var featureSource = "", labelSource = ""

    // Samples that a check-in may take: minutes of the slowest boards.
    private static let mostWork = 10_000_000

    package init() {}

    /// - Throws: `.badData` naming the field; `.temporary` where there are none yet.
    package init(_ value: JSONValue) throws(Fault) {
        guard case .object = value else {
            guard value == .null else { throw Fault(.badData, "the crowd's parameters are no object") }
            throw Fault(.temporary, "the crowd has no parameters", remedy: "Its server puts them there when it starts.")
        }
        func number(_ name: String) throws(Fault) -> Double? {
            guard let found = value[name], found != .null else { return nil }
            guard let number = found.looseNumber else { throw Fault(.badData, "the crowd's parameter \(name) is no number") }
            return number
        }
        func whole(_ name: String, _ range: ClosedRange<Int>) throws(Fault) -> Int? {
            guard let found = try number(name) else { return nil }
            guard let whole = Int(exactly: found), range.contains(whole) else {
                throw Fault(.badData, "the crowd's parameter \(name) is \(found), not \(range.lowerBound) to \(range.upperBound)")
            }
            return whole
        }
        iteration = try whole("paramIter", 0...Int.max >> 12) ?? 0
        features = try whole("D", 1...1_000_000) ?? features
        classes = try whole("K", 1...1000) ?? classes
        // One class means two here: the original servers counted the weights' columns.
        classes = max(2, classes)
        hidden = try whole("nh", 0...10_000) ?? 0
        decay = try number("L") ?? 0
        samples = try whole("N", 0...1_000_000_000) ?? 0
        batch = try whole("clientBatchSize", 1...1_000_000) ?? 1
        noiseScale = try number("noiseScale") ?? 1
        localUpdates = try whole("localUpdateNum", 0...100_000) ?? 0
        guard localUpdates * min(batch, 1000) <= Self.mostWork else {
            throw Fault(.badData, "the crowd's clients are to go through \(localUpdates) batches of \(batch) samples for one check-in")
        }
        let published = try number("c"), naught = try number("naughtRate")
        rate = published ?? naught ?? rate
        epsilon = try number("eps") ?? epsilon
        mostIterations = try whole("maxIter", 0...Int.max >> 12) ?? mostIterations
        noise = value["noiseDistribution"]?.text ?? noise
        (featureSource, labelSource) = (value["featureSource"]?.text ?? "", value["labelSource"]?.text ?? "")
        if let name = value["lossFunction"]?.text {
            guard let found = CrowdModel.Loss(named: name) else {
                throw Fault(
                    .badData, "the crowd learns \"\(Printable.short(name))\", which this version does not know",
                    remedy: "It knows LogReg, Hinge, Softmax, SoftmaxNN.")
            }
            loss = found
            if name == "NNdemo1", hidden == 0 { hidden = 200 }
        }
        if let name = value["descentAlg"]?.text, let found = Descent.Algorithm(rawValue: name) { algorithm = found }
        guard decay.isFinite, decay >= 0, rate.isFinite, epsilon.isFinite else {
            throw Fault(.badData, "the crowd's parameters L, c and eps must be finite, and L not negative")
        }
    }

    /// The classes' names; numbers where there are none.
    package func names(_ labels: [String]) -> [String] { labels.isEmpty ? (0..<classes).map(String.init) : labels }

    package func model() throws(Fault) -> CrowdModel { try CrowdModel(loss, features: features, classes: classes, hidden: hidden) }

    /// As servers of 2017 write it.
    package var json: JSONValue {
        [
            "paramIter": .integer(iteration), "D": .integer(features), "K": .integer(classes), "nh": .integer(hidden), "L": .number(decay),
            "N": .integer(samples),
            "clientBatchSize": .integer(batch), "lossFunction": .string(loss.rawValue), "noiseDistribution": .string(noise),
            "noiseScale": .number(noiseScale),
            "localUpdateNum": .integer(localUpdates), "c": .number(rate), "naughtRate": .number(rate), "eps": .number(epsilon),
            "maxIter": .integer(mostIterations),
            "descentAlg": .string(algorithm.rawValue), "featureSource": .string(featureSource), "labelSource": .string(labelSource),
        ]
    }
}
