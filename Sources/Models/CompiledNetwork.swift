internal import CNetwork
public import Support

/// A network packed for this machine's processor, in memory of its own that never grows.
@safe public struct CompiledNetwork: ~Copyable {
    /// Kernels of this program that this processor can run, from the plain C reference to the fastest.
    public static var kernels: [String] {
        var names: [String] = [], index: Int32 = 0
        while let kernel = unsafe gw_kernel_at(index) {
            if unsafe gw_kernel_available(kernel) { names.append(unsafe String(cString: gw_kernel_name(kernel))) }
            index += 1
        }
        return names
    }

    /// The C network; valid as long as this.
    package let network: OpaquePointer
    private let memory: UnsafeMutableRawPointer
    /// Bytes of packed weights, tables and scratch.
    public let bytes: Int
    /// The kernel that runs it.
    public let kernel: String

    /// Errors: `.badData` when layers do not fit each other or a number is out of its range; `.usage` for an unknown kernel.
    public init(_ source: Network, kernel name: String? = nil) throws(Fault) {
        let kernel = try unsafe Self.kernel(named: name)
        let built: (OpaquePointer, UnsafeMutableRawPointer, Int)? = unsafe source.withSpecification { spec in
            let size = unsafe gw_network_size(&spec, kernel)
            guard size > 0 else { return nil }
            let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64)
            var network: OpaquePointer?
            guard unsafe gw_network_init(memory, size, &spec, kernel, &network) == GW_OK, let network = unsafe network else {
                unsafe memory.deallocate()
                return nil
            }
            return unsafe (network, memory, size)
        }
        guard let (network, memory, bytes) = unsafe built else {
            throw Fault(.badData, "the network's layers do not fit each other, or a number in them is out of range")
        }
        unsafe (self.network, self.memory) = unsafe (network, memory)
        self.bytes = bytes
        self.kernel = unsafe String(cString: gw_kernel_name(kernel))
    }

    deinit { unsafe memory.deallocate() }

    public var inputs: Int { Int(unsafe gw_network_inputs(network)) }
    public var outputs: Int { Int(unsafe gw_network_outputs(network)) }

    /// int8 in, the last layer's int8 out. `input` must have `inputs` elements.
    public mutating func infer(_ input: [Int8]) -> [Int8] {
        precondition(input.count == inputs)
        var output = [Int8](repeating: 0, count: outputs)
        unsafe input.withUnsafeBufferPointer { i in
            unsafe output.withUnsafeMutableBufferPointer { o in unsafe gw_network_infer(network, i.baseAddress, o.baseAddress) }
        }
        return output
    }

    /// What a TFLite network gives at its very end: the last layer's int8 after soft-max or sigmoid, scale 1/256, zero point -128.
    public func finish(_ logits: [Int8]) -> [Int8] {
        precondition(logits.count == outputs)
        var probabilities = logits
        unsafe logits.withUnsafeBufferPointer { l in
            unsafe probabilities.withUnsafeMutableBufferPointer { p in unsafe gw_network_finish(network, l.baseAddress, p.baseAddress) }
        }
        return probabilities
    }

    /// A window of Q3.12 g to its class; `probabilities` (Q0.15) is overwritten. Allocates nothing.
    public mutating func classify(_ window: UnsafePointer<Int16>, _ probabilities: inout [Int16]) -> Int {
        precondition(probabilities.count >= outputs)
        return Int(unsafe probabilities.withUnsafeMutableBufferPointer { unsafe gw_network_classify(network, window, $0.baseAddress) })
    }

    /// The same for a window in an array of `inputs` elements.
    public mutating func classify(_ window: [Int16], _ probabilities: inout [Int16]) -> Int {
        precondition(window.count == inputs)
        return unsafe window.withUnsafeBufferPointer { unsafe classify($0.baseAddress!, &probabilities) }
    }

    /// What a window gives, for the model file.
    public mutating func golden(for window: [Int16]) -> GoldenPair {
        var probabilities = [Int16](repeating: 0, count: outputs)
        _ = classify(window, &probabilities)
        var output = [Int8](repeating: 0, count: outputs)
        unsafe output.withUnsafeMutableBufferPointer { unsafe gw_network_outputs_copy(network, $0.baseAddress) }
        return GoldenPair(input: window, output: output, probabilities: probabilities)
    }

    private static func kernel(named name: String?) throws(Fault) -> OpaquePointer {
        guard let name else { return unsafe gw_kernel_best() }
        var index: Int32 = 0
        while let kernel = unsafe gw_kernel_at(index) {
            if unsafe String(cString: gw_kernel_name(kernel)) == name && gw_kernel_available(kernel) { return unsafe kernel }
            index += 1
        }
        throw Fault(.usage, "this machine has no kernel \"\(name)\"", remedy: "It has: \(kernels.joined(separator: ", ")).")
    }
}

extension Network {
    /// Calls `body` with the C description, whose pointers are valid during the call.
    fileprivate func withSpecification<Result>(_ body: (inout gw_network_spec) -> Result) -> Result {
        // One buffer for each kind of number, layer after layer, so that a single scope keeps all pointers valid.
        let weights = layers.flatMap(\.weights), bias = layers.flatMap(\.bias)
        let multipliers = layers.flatMap(\.multipliers).map { gw_multiplier(multiplier: $0.multiplier, shift: $0.shift) }
        return unsafe weights.withUnsafeBufferPointer { weights in
            unsafe bias.withUnsafeBufferPointer { bias in
                unsafe multipliers.withUnsafeBufferPointer { multipliers in
                    var weightOffset = 0, outputOffset = 0, previous = input
                    var dense: [gw_dense] = unsafe []
                    for layer in layers {
                        let scale = Multiplier(layer.output.scale)
                        unsafe dense.append(
                            gw_dense(
                                inputs: Int32(layer.inputs), outputs: Int32(layer.outputs), weights: weights.baseAddress! + weightOffset,
                                bias: bias.baseAddress! + outputOffset, multipliers: multipliers.baseAddress! + outputOffset,
                                input_zero_point: Int32(clamping: previous.zeroPoint), output_zero_point: Int32(clamping: layer.output.zeroPoint),
                                activation: layer.activation.code, output_scale: gw_multiplier(multiplier: scale.multiplier, shift: scale.shift)))
                        weightOffset += layer.weights.count
                        outputOffset += layer.outputs
                        previous = layer.visible
                    }
                    return unsafe dense.withUnsafeBufferPointer { dense in
                        var spec = unsafe gw_network_spec(
                            layer_count: Int32(dense.count), layers: dense.baseAddress,
                            input_multiplier: gw_multiplier(multiplier: inputMultiplier.multiplier, shift: inputMultiplier.shift),
                            output: layers.last?.activation == .sigmoid ? GW_INDEPENDENT : GW_SOFTMAX)
                        return unsafe body(&spec)
                    }
                }
            }
        }
    }
}

extension LayerActivation {
    fileprivate var code: gw_activation {
        switch self {
        case .linear: GW_LINEAR
        case .relu: GW_RELU
        case .sigmoid: GW_SIGMOID
        }
    }
}
