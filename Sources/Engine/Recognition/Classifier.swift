internal import CRecognition
internal import NeuralNetwork
internal import Sensing
internal import Support

/// A network with what it takes of a window, in memory of its own.
@safe struct Classifier: ~Copyable {
    let labels: [String]
    let input: NetworkInput
    var network: CompiledNetwork
    let work: UnsafeMutableRawPointer
    // Written out: "?" would begin as nil, which Swift 6.2 cannot undo in an initialiser that throws.
    let wearing: Optional<Wearing>
    // Written out, as above.
    let novelty: Optional<Novelty>
    // Written out, as above.
    let first: Optional<FirstDecider>
    private let length: Int

    /// - Parameter kernel: a name from ``CompiledNetwork/kernels``; the fastest when nil.
    /// - Throws: `.badData` when the network does not take what windows of that length give.
    init(_ source: Network, kernel: String?) throws(Fault) {
        let network = try CompiledNetwork(source, kernel: kernel)
        guard source.inputKind != .features else {
            throw Fault(
                .badData, "the network takes \(source.columns) numbers that no sensor gives", remedy: "See `gaitway model predict`.")
        }
        guard Int(gw_input_count(source.inputKind.raw, Int32(source.window))) == network.inputs else {
            throw Fault(
                .badData,
                """
                the network takes \(network.inputs) numbers, which windows of \(source.window) samples do not make \
                (\(source.inputKind.rawValue))
                """
            )
        }
        let first = try source.first.map { small throws(Fault) in try FirstDecider(small, kernel: kernel) }
        if let networks = source.wearing {
            wearing = try Wearing(networks, labels: source.labels, kernel: kernel)
        } else {
            wearing = nil
        }
        if let prototypes = source.prototypes { novelty = Novelty(prototypes) } else { novelty = nil }
        self.first = first
        labels = source.labels
        input = source.inputKind
        length = source.window
        unsafe work = source.inputKind.work(window: source.window)
        self.network = network
    }

    deinit { unsafe work.deallocate() }

    /// What the C side reads of how the sensor is worn.
    var rawWearing: UnsafeMutablePointer<gw_wearing>? {
        switch wearing {
        case .some(let wearing): unsafe wearing.raw
        case .none: nil
        }
    }

    /// What the C side reads of what is known; nil where novelty is not measured.
    var rawPrototypes: UnsafeMutablePointer<gw_prototypes>? {
        switch novelty {
        case .some(let novelty): unsafe novelty.raw
        case .none: nil
        }
    }

    /// What the C side reads of the network that decides before this one; nil where none does.
    var rawFirst: UnsafeMutablePointer<gw_first>? {
        switch first {
        case .some(let first): unsafe first.raw
        case .none: nil
        }
    }

    /// Bytes of its networks' memory.
    var bytes: Int {
        switch first {
        case .some(let first): network.memory.total + first.bytes
        case .none: network.memory.total
        }
    }

    /// Distance beyond which a window is of no known activity.
    var noveltyLimit: Int32 {
        switch novelty {
        case .some(let novelty): novelty.limit
        case .none: .max
        }
    }

    /// How the sensor is worn, as far as it is learnt; nil where the network does not need that.
    var orientation: Orientation? {
        switch wearing {
        case .some(let wearing): wearing.orientation
        case .none: nil
        }
    }

    /// Goes on with what was learnt before.
    func use(_ orientation: Orientation) {
        switch wearing {
        case .some(let wearing): wearing.use(orientation)
        case .none: break
        }
    }

    /// Goes by what was configured until walking shows how the sensor is worn.
    func use(_ configured: ConfiguredWearing) {
        switch wearing {
        case .some(let wearing): wearing.use(configured)
        case .none: break
        }
    }

    /// Where on the body the sensor is, where the network has found that.
    var place: String? {
        switch wearing {
        case .some(let wearing): wearing.place
        case .none: nil
        }
    }

    /// A filtered window (Q3.12 g, x, y, z interleaved) to its class, nil where none can be told, and the
    /// probabilities (Q0.15).
    mutating func classify(_ window: ArraySlice<Int16>) -> (label: Int?, probabilities: [Int16]) {
        var probabilities = [Int16](repeating: 0, count: labels.count), oriented = GW_ORIENTED_UNKNOWN, isByFirst = false
        let label = unsafe window.withUnsafeBufferPointer { window in
            unsafe probabilities.withUnsafeMutableBufferPointer { probabilities in
                unsafe gw_input_classify(
                    network.network, input.raw, rawWearing, rawFirst, window.baseAddress, Int32(length), work, probabilities.baseAddress,
                    &oriented, &isByFirst)
            }
        }
        return (label < 0 ? nil : Int(label), probabilities)
    }
}
