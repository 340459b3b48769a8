internal import CNetwork
package import Support

/// Bytes that a network takes on this machine, known before its first inference.
package struct NetworkMemory: Sendable, Equatable {
    /// Packed weights and tables.
    package var weights: Int
    /// What LSTM layers remember.
    package var state: Int
    /// The most that is in use at once during an inference.
    package var scratch: Int

    package var total: Int { weights + state + scratch }
}

/// A network packed for this machine's processor, in memory of its own that never grows.
@safe package struct CompiledNetwork: ~Copyable {
    /// Kernels of this program that this processor can run, from the plain C reference to the fastest.
    package static var kernels: [String] {
        var names: [String] = [], index: Int32 = 0
        while let kernel = unsafe gw_kernel_at(index) {
            if unsafe gw_kernel_available(kernel) { names.append(unsafe String(cString: gw_kernel_name(kernel))) }
            index += 1
        }
        return names
    }

    /// The C network; valid as long as this.
    package let network: OpaquePointer
    private let place: UnsafeMutableRawPointer
    /// What it takes.
    package let memory: NetworkMemory
    /// The kernel that runs it.
    package let kernel: String

    /// - Throws: `.badData` when layers do not fit each other or a number is out of its range; `.usage` for an unknown kernel.
    package init(_ source: Network, kernel name: String? = nil) throws(Fault) {
        let kernel = try unsafe Self.kernel(named: name)
        let specification = Specification(source)
        guard let (network, place, memory) = unsafe Self.place(specification, kernel) else {
            throw Self.fault(of: specification)
        }
        unsafe (self.network, self.place) = unsafe (network, place)
        self.memory = memory
        self.kernel = unsafe String(cString: gw_kernel_name(kernel))
    }

    /// The most multiply-accumulates of a decision.
    package static let mostWork = Int64(GW_WORK_MAX)

    /// Multiply-accumulates of a decision; 0 where the layers do not fit each other.
    static func work(of network: Network) -> Int64 { work(of: Specification(network)) }

    private static func work(of specification: Specification) -> Int64 {
        unsafe gw_network_fits(&specification.raw) ? unsafe gw_network_work(&specification.raw) : 0
    }

    private static func fault(of specification: Specification) -> Fault {
        let work = work(of: specification)
        guard work > mostWork else {
            return Fault(.badData, "the network's layers do not fit each other, or a number in them is out of range")
        }
        return tooMuch(work)
    }

    /// - Parameter work: multiply-accumulates of a decision, more than ``mostWork``.
    package static func tooMuch(_ work: Int64) -> Fault {
        Fault(
            .badData, "a decision takes \(work) multiplications, and \(mostWork) are the most",
            remedy: "Make its layers smaller, or its windows shorter.")
    }

    private static func place(
        _ specification: Specification, _ kernel: OpaquePointer
    ) -> (OpaquePointer, UnsafeMutableRawPointer, NetworkMemory)? {
        var memory = gw_memory(), network: OpaquePointer?
        guard unsafe gw_network_memory(&specification.raw, kernel, &memory) == GW_OK else { return nil }
        let place = UnsafeMutableRawPointer.allocate(byteCount: memory.total, alignment: 64)
        guard unsafe gw_network_init(place, memory.total, &specification.raw, kernel, &network) == GW_OK, let network = unsafe network
        else {
            unsafe place.deallocate()
            return nil
        }
        return unsafe (network, place, NetworkMemory(weights: memory.weights, state: memory.state, scratch: memory.scratch))
    }

    deinit { unsafe place.deallocate() }

    package var inputs: Int { Int(unsafe gw_network_inputs(network)) }
    package var outputs: Int { Int(unsafe gw_network_outputs(network)) }

    /// Forgets what LSTM layers remember.
    package mutating func reset() { unsafe gw_network_reset(network) }

    /// Quantised integers in, the last layer's integers out. `input` must have `inputs` elements.
    package mutating func infer(_ input: [Int16]) -> [Int16] {
        precondition(input.count == inputs)
        var output = [Int16](repeating: 0, count: outputs)
        unsafe input.withUnsafeBufferPointer { i in
            unsafe output.withUnsafeMutableBufferPointer { o in unsafe gw_network_infer(network, i.baseAddress, o.baseAddress) }
        }
        return output
    }

    /// The integers of every tensor during an inference: the input, then each layer's output.
    package mutating func observe(_ input: [Int16]) -> [[Int16]] {
        precondition(input.count == inputs)
        var tensors: [[Int16]] = []
        unsafe withUnsafeMutablePointer(to: &tensors) { tensors in
            unsafe input.withUnsafeBufferPointer { input in
                unsafe gw_network_observe(
                    network, input.baseAddress,
                    { context, _, type, values, count in
                        guard let context = unsafe context, let values = unsafe values else { return }
                        let integers = (0..<Int(count)).map {
                            unsafe type == GW_INT8
                                ? Int16(values.load(fromByteOffset: $0, as: Int8.self))
                                : values.load(fromByteOffset: 2 * $0, as: Int16.self)
                        }
                        unsafe context.assumingMemoryBound(to: [[Int16]].self).pointee.append(integers)
                    }, tensors)
            }
        }
        return tensors
    }

    /// What a TFLite network gives at its very end: the last layer's integers after soft-max, where it has one.
    package func finish(_ last: [Int16]) -> [Int16] {
        precondition(last.count == outputs)
        var finished = last
        unsafe last.withUnsafeBufferPointer { l in
            unsafe finished.withUnsafeMutableBufferPointer { f in unsafe gw_network_apply_softmax(network, l.baseAddress, f.baseAddress) }
        }
        return finished
    }

    /// A window of Q3.12 g to its class; `probabilities` (Q0.15) is overwritten. Allocates nothing.
    package mutating func classify(_ window: UnsafePointer<Int16>, _ probabilities: inout [Int16]) -> Int {
        precondition(probabilities.count >= outputs)
        return Int(unsafe probabilities.withUnsafeMutableBufferPointer { unsafe gw_network_classify(network, window, $0.baseAddress) })
    }

    /// The same for a window in an array of `inputs` elements.
    package mutating func classify(_ window: [Int16], _ probabilities: inout [Int16]) -> Int {
        precondition(window.count == inputs)
        return unsafe window.withUnsafeBufferPointer { unsafe classify($0.baseAddress!, &probabilities) }
    }

    /// What a window gives to a network that remembers nothing, for the model file.
    package mutating func golden(for window: [Int16]) -> GoldenPair {
        reset()
        defer { reset() }
        var probabilities = [Int16](repeating: 0, count: outputs)
        _ = classify(window, &probabilities)
        return GoldenPair(input: window, output: outputIntegers, probabilities: probabilities)
    }

    /// The last layer's integers of the last inference.
    package var outputIntegers: [Int16] {
        var output = [Int16](repeating: 0, count: outputs)
        unsafe output.withUnsafeMutableBufferPointer { unsafe gw_network_outputs_copy(network, $0.baseAddress) }
        return output
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
