import Support
import TestHelpers
import Testing

@testable import NeuralNetwork
@testable import Recognition

private func decisions(_ network: Network) throws -> [Decision] {
    var random = RandomNumbers(seed: 9), recogniser = try Recogniser(network, rate: 50_000, block: 40), found: [Decision] = []
    for _ in 0..<50 {
        let samples = (0..<120).map { _ in Int16(random.below(12_000) - 6000) }
        recogniser.push(samples, count: 40) { found.append($0) }
    }
    return found
}

@Suite struct FirstNetworkTests {
    /// Where the first is sure it decides, elsewhere the other one does, each as by itself.
    @Test(arguments: [1, 14_000, 20_000, 32_767] as [Int16]) func itDecidesWhereItIsSure(_ sure: Int16) throws {
        let small = try exampleNetwork(seed: 2), large = try exampleNetwork(seed: 1)
        var both = large
        both.first = FirstNetwork(small, sure: sure)
        var byFirst = 0
        for (decision, (first, other)) in zip(try decisions(both), zip(try decisions(small), try decisions(large))) {
            let label = try #require(first.label), isSure = first.probabilities[label] >= sure
            byFirst += isSure ? 1 : 0
            #expect(decision.isByFirst == isSure)
            #expect(decision.label == (isSure ? first : other).label)
            #expect(decision.probabilities == (isSure ? first : other).probabilities)
        }
        if sure == 1 { #expect(byFirst > 900) } else if sure == 20_000 { #expect(byFirst > 20 && byFirst < 900) }
    }

    @Test func aModelFileHoldsBoth() throws {
        var network = try exampleNetwork(seed: 1)
        network.first = FirstNetwork(try exampleNetwork(seed: 2), sure: 26_000)
        let bytes = try NetworkFile.encode(network)
        #expect(try NetworkFile.decode(bytes, path: "m") == network)
        // None within one within one.
        var outer = try exampleNetwork(seed: 3)
        outer.first = FirstNetwork(network, sure: 26_000)
        #expect(throws: Fault.self) { try NetworkFile.encode(outer) }
    }

    /// Half of a pair is not dropped: what a file holds beyond its layers is refused.
    @Test func halfOfItIsRefused() throws {
        var network = try exampleNetwork(seed: 1)
        network.first = FirstNetwork(try exampleNetwork(seed: 2), sure: 26_000)
        for name in ["first.sure", "first.network"] {
            var file = try Safetensors(try NetworkFile.encode(network), path: "m")
            file.tensors[name] = nil
            file.metadata["gaitway.checksum"] = NetworkFile.emptyChecksum
            file.metadata["gaitway.checksum"] = Checksum.text(Checksum.crc32(file.encoded()))
            let fault = #expect(throws: Fault.self) { try NetworkFile.decode(file.encoded(), path: "m") }
            #expect(fault?.message.contains("tensors are there") == true)
        }
    }

    @Test func oneThatCannotDecideFirstIsRefused() throws {
        var small = try exampleNetwork(seed: 2), network = try exampleNetwork(seed: 1)
        small.labels[0] = "another"
        network.first = FirstNetwork(small, sure: 26_000)
        let fault = #expect(throws: Fault.self) { try NetworkFile.encode(network) }
        #expect(fault?.message.contains("has other labels or windows") == true)
        network.first = FirstNetwork(try exampleNetwork(seed: 2), sure: 0)
        #expect(throws: Fault.self) { try NetworkFile.encode(network) }
    }

    // The network with layers of so many inputs and outputs between its two, which have the same weights.
    private func wide(_ width: Int, layers: Int) throws -> Network {
        func weights(_ inputs: Int, _ outputs: Int) -> Weights {
            Weights(
                inputs: inputs, outputs: outputs, values: [Int16](repeating: 1, count: inputs * outputs),
                bias: [Int64](repeating: 0, count: outputs), multipliers: [Multiplier](repeating: Multiplier(0.004), count: outputs))
        }
        func dense(_ weights: Weights, from source: Int) -> Layer {
            Layer(
                .dense(weights), sources: [source],
                output: Tensor(channels: weights.outputs, quantisation: Quantisation(scale: 0.05, zeroPoint: 4)))
        }
        var network = try exampleNetwork()
        let middle = weights(width, width)
        network.layers =
            [dense(weights(12, width), from: 0)] + (1...layers).map { dense(middle, from: $0) }
            + [dense(weights(width, 3), from: layers + 1)]
        return network
    }

    /// A decision is bounded, also where two networks make it.
    @Test func whatBothTakeIsBounded() throws {
        let network = try wide(3500, layers: 6), small = try wide(3000, layers: 4), two = FirstNetwork(small, sure: 26_000)
        #expect(network.objection(to: FirstNetwork(try exampleNetwork(), sure: 26_000)) == nil)
        #expect(network.objection(to: two)?.contains("109597500 multiplications") == true)
        let fault = #expect(throws: Fault.self) { _ = try CompiledNetwork(wide(3500, layers: 9)) }
        #expect(fault?.message.contains("110302500 multiplications") == true)
    }
}
