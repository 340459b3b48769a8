internal import Conversion
internal import NeuralNetwork
public import Support
internal import Synchronization
internal import Updates

/// Numbers with a shape, by Core ML's name.
public typealias MLMultiArray = MultiArray

/// Stands where SwiftyForesight takes a Core ML model to replace; it holds nothing.
public final class MLModel: Sendable {
    /// Stands where the original takes a Core ML class.
    public init() {}
}

/// A network that is fetched by name and predicts: what ``FeedforwardModel`` and ``SequentialModel`` share.
///
/// Files may be Gaitway's own, `.tflite`, Core ML's `.mlmodel` or float safetensors. Networks in float predict in float, as Core ML does;
/// with `predictsInIntegers` they predict as the loop on a board would: quantised on `calibration` where it has rows, else on made-up
/// inputs within `inputRange`; what lies beyond is refused by `predict` then.
///
/// SwiftyForesight printed a message and carried on (an empty array, the old model); here an error is thrown that says what happened,
/// and the old model stays. The fetched file stays at `localFilepath`, and ``load()`` reads it again after a restart.
public class LibraModel: @unchecked Sendable {
    /// Numbers of one input vector, at least 1.
    public let numInputFeatures: Int
    /// Where the fetched model is kept.
    public let localFilepath: String
    private let source: any ModelSource
    private let isSequence: Bool
    private let state: Mutex<State>

    private struct State: ~Copyable {
        var prediction: Predictor?
        var floats: FloatPredictor?
        var isQuantised = false
        var found: (inputs: [String], outputs: [String])?
        var names: [String]
        var calibration: [[Double]] = []
        var inputRange = -8.0...8.0
    }

    init(numInputFeatures: Int, localFilepath: String, source: any ModelSource, isSequence: Bool, names: [String]) {
        self.numInputFeatures = max(1, numInputFeatures)
        self.localFilepath = localFilepath
        self.source = source
        self.isSequence = isSequence
        state = Mutex(State(names: names))
    }

    /// Whether a model has been fetched or loaded.
    public var compiled: Bool { state.withLock { $0.prediction != nil } }

    /// Rows of inputs that a float network is quantised on when it is next fetched; of a sequence, its steps in order.
    public var calibration: [[Double]] {
        get { state.withLock { $0.calibration } }
        set { state.withLock { $0.calibration = newValue } }
    }

    /// What inputs can be, for want of calibration.
    public var inputRange: ClosedRange<Double> {
        get { state.withLock { $0.inputRange } }
        set { state.withLock { $0.inputRange = newValue } }
    }

    /// Whether networks in float predict as they would on a board, in integers. Those of integers always do.
    public var predictsInIntegers: Bool {
        get { state.withLock { $0.isQuantised } }
        set { state.withLock { $0.isQuantised = newValue } }
    }

    /// Fetches the model called `name`, proves it, and from then on predicts with it.
    ///
    /// - Throws: the source's; those of the importers, `.badData` when it does not fit. The model before it stays in use.
    public func fetchFromRemote(withRemoteFilename name: String) async throws(Fault) {
        let bytes = try await source.model(named: name, limit: NetworkFile.sizeLimit)
        let loaded = try prepared(bytes, path: name)
        try Files.write(bytes, to: localFilepath)
        try use(loaded)
    }

    /// The same without waiting: `completion` is told whether it worked.
    public func fetchFromRemote(withRemoteFilename name: String, completion: (@Sendable (Bool) -> Void)? = nil) {
        Completion.run(completion, of: "LibraModel.fetchFromRemote") { () async throws(Fault) in
            try await self.fetchFromRemote(withRemoteFilename: name)
        }
    }

    /// Fetches the model whose name is that of the local file.
    ///
    /// - Throws: those of ``fetchFromRemote(withRemoteFilename:)``.
    public func fetch() async throws(Fault) { try await fetchFromRemote(withRemoteFilename: localName) }

    /// The same without waiting.
    public func fetch(completion: (@Sendable (Bool) -> Void)? = nil) {
        fetchFromRemote(withRemoteFilename: localName, completion: completion)
    }

    private var localName: String { localFilepath.split(separator: "/").last.map(String.init) ?? localFilepath }

    /// Uses the model that was fetched last and lies at `localFilepath`.
    ///
    /// - Throws: `.noInput` when nothing was fetched yet; those of the importers.
    public func load() throws(Fault) {
        let loaded = try prepared(try Files.read(localFilepath, limit: NetworkFile.sizeLimit), path: localFilepath)
        try use(loaded)
    }

    private func prepared(_ bytes: [UInt8], path: String) throws(Fault) -> LoadedNetwork {
        let (rows, range, wanted) = state.withLock { ($0.calibration, $0.inputRange, $0.names) }
        let loaded = try LoadedNetwork(
            bytes, path: path, numInputFeatures: numInputFeatures, isSequence: isSequence,
            calibration: LoadedNetwork.Calibration(rows: rows, range: range))
        if let found = loaded.names { try requireNames(wanted, found, path) }
        _ = try Predictor(loaded.network)
        return loaded
    }

    private func use(_ loaded: LoadedNetwork) throws(Fault) {
        try state.withLock { state throws(Fault) in
            state.prediction = try Predictor(loaded.network)
            state.floats = loaded.graph.map { FloatPredictor($0) }
            state.found = loaded.names
        }
    }

    // The first name is the input's, the last the output's.
    private func requireNames(_ names: [String], _ found: (inputs: [String], outputs: [String]), _ path: String) throws(Fault) {
        guard let input = names.first, let output = names.last, found.inputs.contains(input), found.outputs.contains(output) else {
            throw Fault(
                .badData,
                """
                \(path) has the input \(found.inputs.joined(separator: ", ")) and the output \
                \(found.outputs.joined(separator: ", ")), not \(names.first ?? "") and \(names.last ?? "")
                """,
                remedy: "Name them with setFeatureNames(to:).")
        }
    }

    func setNames(_ names: [String], count: Int) throws(Fault) {
        guard names.count == count else { throw Fault(.usage, "\(names.count) feature names were given; \(type(of: self)) has \(count)") }
        try state.withLock { state throws(Fault) in
            if let found = state.found { try requireNames(names, found, "the model") }
            state.names = names
        }
    }

    /// Steps one after the other from a state of zero; what the last one gives.
    func predict(steps: [[Double]]) throws(Fault) -> MultiArray {
        try state.withLock { state throws(Fault) in
            guard state.prediction != nil else {
                throw Fault(.usage, "no model was fetched yet", remedy: "Call fetchFromRemote(withRemoteFilename:) or load() first.")
            }
            state.prediction?.reset()
            state.floats?.reset()
            var values: [Double] = []
            for step in steps {
                guard step.count == numInputFeatures else {
                    throw Fault(.usage, "an input has \(step.count) numbers; the model takes \(numInputFeatures)")
                }
                if !state.isQuantised, state.floats != nil {
                    values = try state.floats?.predict(step) ?? []
                } else {
                    values = try state.prediction?.predict(within: step) ?? []
                }
            }
            return MultiArray(shape: [values.count], values: values)
        }
    }
}

extension Predictor {
    /// As ``predict(_:)``, but an input beyond what the integers hold is an error and not limited.
    fileprivate mutating func predict(within values: [Double]) throws(Fault) -> [Double] {
        if let index = values.indices.first(where: { !range(of: $0).contains(values[$0]) }) {
            let range = range(of: index), beyond = values[index]
            throw Fault(
                .badData, "an input is \(beyond); the network was quantised for \(range.lowerBound) ... \(range.upperBound)",
                remedy: "Set calibration or inputRange, and fetch it again.")
        }
        return try predict(values)
    }
}
