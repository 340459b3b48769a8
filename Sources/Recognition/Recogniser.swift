internal import CRecognition
internal import CSignal
public import Models
public import Support

/// One window's classification, before smoothing.
public struct Decision: Sendable, Equatable {
    /// Samples at 50 Hz from the start (or the last gap) to the window's end.
    public var end: Int
    /// Index of the class with the highest output.
    public var label: Int
    /// Q0.15, one for each class.
    public var probabilities: [Int16]
    /// The filtered samples, Q3.12 g, x, y, z interleaved; empty unless the recogniser keeps them.
    public var window: [Int16]

    public init(end: Int, label: Int, probabilities: [Int16], window: [Int16] = []) {
        self.end = end
        self.label = label
        self.probabilities = probabilities
        self.window = window
    }
}

/// Samples in, decisions out: front end and network, one C call a block. Pure: no clock, no input or output.
@safe public struct Recogniser: ~Copyable {
    public let labels: [String]
    /// Bytes of the front end's and the network's memory; fixed for good.
    public var bytes: Int { frontEnd.bytes + network.memory.total }

    private var frontEnd: FrontEnd
    private var network: CompiledNetwork
    private var raw: gw_recogniser
    private let work: UnsafeMutableRawPointer
    private var decisions: [gw_decision]
    // Beside the decisions; empty unless they are kept.
    private var windows: [Int16]

    /// - Parameters:
    ///   - rate: of the samples that come in, mHz.
    ///   - block: the most samples that one call will bring.
    ///   - kernel: a name from ``CompiledNetwork/kernels``; the fastest when nil.
    ///   - keepsWindows: whether decisions come with their windows.
    public init(_ source: Network, rate: Int, block: Int, kernel: String? = nil, keepsWindows: Bool = false) throws(Fault) {
        let frontEnd = try FrontEnd(rate: rate, length: source.window, hop: source.hop)
        let network = try CompiledNetwork(source, kernel: kernel)
        var raw = unsafe gw_recogniser()
        guard source.inputKind != .features else { throw Fault(.badData, "the network takes \(network.inputs) numbers that no sensor gives", remedy: "See `gaitway model predict`.") }
        let work = UnsafeMutableRawPointer.allocate(byteCount: max(8, gw_input_work(source.inputKind.raw, Int32(source.window))), alignment: 16)
        guard unsafe gw_recogniser_init(&raw, frontEnd.raw, network.network, source.inputKind.raw, work) == GW_OK else {
            unsafe work.deallocate()
            throw Fault(.badData, "the network takes \(network.inputs) numbers, which windows of \(source.window) samples do not make (\(source.inputKind.rawValue))")
        }
        unsafe self.work = work
        let capacity = Int(unsafe gw_frontend_capacity(frontEnd.raw, Int32(block)))
        labels = source.labels
        self.frontEnd = frontEnd
        self.network = network
        unsafe self.raw = raw
        decisions = [gw_decision](repeating: gw_decision(), count: capacity)
        windows = [Int16](repeating: 0, count: keepsWindows ? capacity * source.window * 3 : 0)
    }

    deinit { unsafe work.deallocate() }

    /// Starts afresh after a gap: no window straddles it, and LSTM layers forget what came before.
    public mutating func reset() {
        frontEnd.reset()
        network.reset()
    }

    /// Takes the first `count` samples (Q3.12 g, x, y, z interleaved) and hands each decision to `body`.
    public mutating func push(_ samples: [Int16], count: Int, _ body: (Decision) -> Void) {
        precondition(count * 3 <= samples.count && Int(unsafe gw_frontend_capacity(frontEnd.raw, Int32(count))) <= decisions.count)
        let made = unsafe samples.withUnsafeBufferPointer { s in
            unsafe decisions.withUnsafeMutableBufferPointer { d in
                unsafe windows.withUnsafeMutableBufferPointer { w in
                    unsafe gw_recogniser_push(&raw, s.baseAddress, Int32(count), d.baseAddress, w.isEmpty ? nil : w.baseAddress)
                }
            }
        }
        let length = frontEnd.length * 3
        for (index, decision) in decisions.prefix(Int(made)).enumerated() {
            let probabilities = unsafe withUnsafeBytes(of: decision.probabilities) { bytes in
                unsafe Array(bytes.assumingMemoryBound(to: Int16.self).prefix(labels.count))
            }
            let window = windows.isEmpty ? [] : Array(windows[index * length..<(index + 1) * length])
            body(Decision(end: Int(decision.samples), label: Int(decision.label), probabilities: probabilities, window: window))
        }
    }
}
