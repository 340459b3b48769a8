internal import CRecognition
internal import CSignal
package import NeuralNetwork
package import Sensing
package import Support

/// One window's classification, before smoothing.
package struct Decision: Sendable, Equatable {
    /// Samples at 50 Hz from the start (or the last gap) to the window's end.
    package var end: Int64
    /// Index of the class with the highest output; nil where none can be told, since it is not known which way is up.
    package var label: Int?
    /// Q0.15, one for each class.
    package var probabilities: [Int16]
    /// Where on the body the sensor is, where the network finds that.
    package var placement: String?
    /// How it was known which way is up; nil where the network does not need that.
    package var orientation: KnownBy?
    /// How far the window lies from every activity that the network knows, Q8 (``Prototypes``); nil where that is not measured.
    package var novelty: Int32?
    /// Whether that is too far for any of them.
    package var isNovel = false
    /// Whether the network's first one was sure, and the larger one was not asked (``FirstNetwork``).
    package var isByFirst = false
    /// Up to the window's end; nil where nothing watches movement.
    package var moved: Moved?
    /// The filtered samples, Q3.12 g, x, y, z interleaved; empty unless the recogniser keeps them.
    package var window: [Int16]
    /// What the network in the shadow makes of the same window.
    package var shadow: ShadowDecision?

    package init(end: Int64, label: Int?, probabilities: [Int16], window: [Int16] = []) {
        self.end = end
        self.label = label
        self.probabilities = probabilities
        self.window = window
    }
}

/// What a network that is being tried makes of a window.
package struct ShadowDecision: Sendable, Equatable {
    package var label: String
    /// Of `label`, Q0.15.
    package var confidence: Int16
    /// Its inference took so long, ns.
    package var duration: Int64
}

/// Samples in, decisions out: front end and network, one C call a block. Pure: no clock but to measure a shadow, no input or output.
@safe package struct Recogniser: ~Copyable {
    package var labels: [String] { active.labels }
    /// Bytes of the front end's and the network's memory; fixed for good.
    package var bytes: Int { frontEnd.bytes + active.bytes }

    private var frontEnd: FrontEnd
    private var active: Classifier
    // Written out: "?" would begin as nil, which Swift 6.2 cannot undo in an initialiser that throws.
    private var shadow: Optional<Classifier>
    private var raw: gw_recogniser
    private var decisions: [gw_decision]
    // Beside the decisions; empty unless somebody needs them.
    private var windows: [Int16]
    // Of the decisions.
    private var probabilities: NumberRing, handedOut: NumberRing
    private var keepsWindows: Bool
    private let kernel: String?
    // Written out, as above.
    private var configured: Optional<ConfiguredWearing>
    private var movement: Optional<OpaquePointer>

    /// - Parameters:
    ///   - rate: of the samples that come in, mHz.
    ///   - block: the most samples that one call will bring.
    ///   - kernel: a name from ``CompiledNetwork/kernels``; the fastest when nil.
    ///   - keepsWindows: whether decisions come with their windows.
    package init(_ source: Network, rate: Int, block: Int, kernel: String? = nil, keepsWindows: Bool = false) throws(Fault) {
        let frontEnd = try FrontEnd(rate: rate, length: source.window, hop: source.hop, early: true)
        let classifier = try Classifier(source, kernel: kernel)
        var raw = unsafe gw_recogniser()
        guard unsafe Self.join(&raw, frontEnd, classifier) == GW_OK else {
            throw Fault(.badData, "the network does not take the windows of the front end")
        }
        let capacity = Int(unsafe gw_frontend_capacity(frontEnd.raw, Int32(block)))
        active = classifier
        shadow = nil
        configured = nil
        unsafe movement = nil
        (probabilities, handedOut) = (NumberRing(), NumberRing())
        self.frontEnd = frontEnd
        unsafe self.raw = raw
        self.keepsWindows = keepsWindows
        self.kernel = kernel
        decisions = [gw_decision](repeating: gw_decision(), count: capacity)
        windows = [Int16](repeating: 0, count: keepsWindows ? capacity * source.window * 3 : 0)
    }

    /// Lets another network see every window from now on, beside the one that decides.
    ///
    /// - Parameter source: of the same window and hop.
    /// - Throws: `.badData` when it cannot be used; nothing has changed then.
    package mutating func shadow(with source: Network) throws(Fault) {
        guard source.window == frontEnd.length, source.hop == frontEnd.hop else {
            throw Fault(
                .badData, "its windows are \(source.window) samples every \(source.hop), not \(frontEnd.length) every \(frontEnd.hop)")
        }
        let candidate = try Classifier(source, kernel: kernel)
        var trial = unsafe gw_recogniser()
        guard unsafe Self.join(&trial, frontEnd, candidate) == GW_OK else {
            throw Fault(.badData, "the network does not take the windows of the front end")
        }
        if let configured { candidate.use(configured) }
        if let orientation { candidate.use(orientation) }
        shadow = consume candidate
        if windows.isEmpty { windows = [Int16](repeating: 0, count: decisions.count * frontEnd.length * 3) }
    }

    /// The network in the shadow decides from the next window on, with all that it remembers of the last ones; the other one is in the
    /// shadow then. No sample is lost or seen twice. Without a shadow nothing happens.
    package mutating func exchange() {
        guard var other = shadow.take() else { return }
        swap(&active, &other)
        shadow = consume other
        // Both were joined to this front end's windows before, the one in the shadow on trial: it cannot fail.
        _ = unsafe Self.join(&raw, frontEnd, active)
        unsafe gw_recogniser_watch(&raw, movement)
    }

    private static func join(
        _ raw: inout gw_recogniser, _ frontEnd: borrowing FrontEnd, _ classifier: borrowing Classifier
    ) -> gw_status {
        let status = unsafe gw_recogniser_init(
            &raw, frontEnd.raw, classifier.network.network, classifier.input.raw, classifier.work, classifier.rawWearing)
        guard status == GW_OK, unsafe gw_recogniser_use_first(&raw, classifier.rawFirst) == GW_OK else { return GW_EINVAL }
        return unsafe gw_recogniser_use_prototypes(&raw, classifier.rawPrototypes)
    }

    /// Whether decisions come with their windows from now on.
    package mutating func keepWindows(_ isWanted: Bool) {
        guard isWanted != keepsWindows else { return }
        keepsWindows = isWanted
        let isShadowed = shadow != nil
        windows = isWanted || isShadowed ? [Int16](repeating: 0, count: decisions.count * frontEnd.length * 3) : []
    }

    /// Forgets the network in the shadow.
    package mutating func endShadow() {
        shadow = nil
        if !keepsWindows { windows = [] }
    }

    /// How the sensor is worn, as far as the network has learnt it; nil for networks that do not need it.
    package var orientation: Orientation? { active.orientation }

    /// Goes on with what was learnt before a restart.
    package mutating func use(_ orientation: Orientation) {
        active.use(orientation)
        shadow?.use(orientation)
    }

    /// Goes by what was configured until walking shows how the sensor is worn.
    package mutating func use(_ configured: ConfiguredWearing) {
        self.configured = configured
        active.use(configured)
        shadow?.use(configured)
    }

    /// Shows every sample to `movement`, too, which must outlive this.
    mutating func watch(_ movement: borrowing MovementWatch) {
        unsafe self.movement = movement.raw
        unsafe gw_recogniser_watch(&raw, movement.raw)
    }

    /// How many more samples complete the next window.
    var missing: Int { Int(unsafe gw_frontend_missing(frontEnd.raw)) }

    /// Starts afresh after a gap: no window straddles it, and LSTM layers forget what came before. How the sensor is worn stays known.
    package mutating func reset() {
        frontEnd.reset()
        active.network.reset()
        shadow?.network.reset()
    }

    /// Takes the first `count` samples (Q3.12 g, x, y, z interleaved) and hands each decision to `body`.
    package mutating func push(_ samples: [Int16], count: Int, _ body: (Decision) -> Void) {
        for index in 0..<push(samples, count: count) { body(decision(index)) }
    }

    /// Takes the first `count` samples (Q3.12 g, x, y, z interleaved).
    ///
    /// - Returns: how many decisions there are; ``decision(_:)`` gives each, before the next call.
    mutating func push(_ samples: [Int16], count: Int) -> Int {
        precondition(count * 3 <= samples.count && Int(unsafe gw_frontend_capacity(frontEnd.raw, Int32(count))) <= decisions.count)
        let made = unsafe samples.withUnsafeBufferPointer { s in
            unsafe decisions.withUnsafeMutableBufferPointer { d in
                unsafe windows.withUnsafeMutableBufferPointer { w in
                    unsafe gw_recogniser_push(&raw, s.baseAddress, Int32(count), d.baseAddress, w.isEmpty ? nil : w.baseAddress)
                }
            }
        }
        return Int(made)
    }

    /// One of those of the last ``push(_:count:)``.
    mutating func decision(_ index: Int) -> Decision {
        let length = frontEnd.length * 3, raw = decisions[index], place = index * length..<(index + 1) * length
        let row = unsafe withUnsafeBytes(of: raw.probabilities) { bytes in
            unsafe probabilities.take(bytes.bindMemory(to: Int16.self), count: active.labels.count)
        }
        var decision = Decision(
            end: raw.samples, label: raw.label < 0 ? nil : Int(raw.label), probabilities: row,
            window: keepsWindows ? handedOut.take(windows[place]) : [])
        if unsafe self.raw.wearing != nil { decision.orientation = KnownBy(raw.oriented) }
        decision.placement = active.place
        decision.isByFirst = raw.by_first
        if raw.has_novelty { (decision.novelty, decision.isNovel) = (raw.novelty, raw.novelty > active.noveltyLimit) }
        if unsafe self.raw.movement != nil { decision.moved = Moved(raw.moved) }
        if shadow != nil { decision.shadow = shadowed(windows[place]) }
        return decision
    }

    private mutating func shadowed(_ window: ArraySlice<Int16>) -> ShadowDecision? {
        let began = SystemTime.monotonic
        guard let (label, probabilities) = shadow?.classify(window), let label, let name = shadow?.labels[label] else { return nil }
        return ShadowDecision(label: name, confidence: probabilities[label], duration: SystemTime.monotonic - began)
    }
}
