import NeuralNetwork
import Sensing
import Testing

@testable import Recognition

/// A pocket and a thigh are one place of the body: the sum of their probabilities counts.
struct JoinedPlacesTests {
    // The default model, whose network of places gives one answer whatever it reads: probabilities grow with the bias of a place.
    private func network(_ bias: [String: Int64]) throws -> Network {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        var network = try NetworkFile.load("/\(root)/board/models/activity.safetensors")
        let wearing = try #require(network.wearing)
        var places = wearing.placement
        let last = try #require(places.layers.lastIndex { if case .dense = $0.operation { true } else { false } })
        guard case .dense(var weights) = places.layers[last].operation else { return network }
        weights.values = weights.values.map { _ in 0 }
        weights.bias = places.labels.map { bias[$0] ?? 0 }
        places.layers[last].operation = .dense(weights)
        network.wearing = WearingNetworks(gait: wearing.gait, placement: places)
        return network
    }

    private func probabilities(_ network: Network) throws -> [String: Int] {
        let places = try #require(network.wearing).placement
        var compiled = try CompiledNetwork(places), found = [Int16](repeating: 0, count: places.labels.count)
        _ = compiled.classify([Int16](repeating: 0, count: NetworkInput.countWearing), &found)
        return Dictionary(uniqueKeysWithValues: zip(places.labels, found.map(Int.init)))
    }

    private func place(_ network: Network) throws -> String? {
        var recogniser = try Recogniser(network, rate: 50_000, block: 64), block = SampleBlock(capacity: 64), found: String?
        let wearer = SimulatedWearer(try SimulatedWearer.Script("walk=60"))
        while try wearer.read(into: &block) { recogniser.push(block.samples, count: block.count) { found = $0.placement } }
        return found
    }

    @Test func theNetworkReadsHowProbableEachPlaceIs() throws {
        let network = try network(["waist": 1 << 10, "wrist": 1 << 9]), places = try #require(network.wearing).placement.labels
        var frontEnd = try FrontEnd(rate: 50_000, length: network.window, hop: network.hop, early: true)
        var rows = try WindowRows(.worn, network), block = SampleBlock(capacity: 64), last: [Int16] = []
        let wearer = SimulatedWearer(try SimulatedWearer.Script("walk=60"))
        while try wearer.read(into: &block) {
            frontEnd.push(block.samples, count: block.count) { total, _ in last = rows.row(total) ?? last }
        }
        let expected = try probabilities(network)
        #expect(last.suffix(NetworkInput.mostPlacements).prefix(places.count) == places.map { Int16(expected[$0, default: 0] >> 3) }[...])
        #expect(last.suffix(NetworkInput.mostPlacements).reduce(0) { $0 + Int($1) } > 4000)
    }

    @Test func bothTogetherAreMoreProbableThanTheMostProbablePlace() throws {
        // The least bias that makes the waist the most probable place, and the one that leaves the others next to nothing.
        var least: [String: Int] = [:], power = 0
        while power < 24, least["waist", default: 0] <= least["pocket", default: 0] {
            least = try probabilities(try network(["waist": 1 << power]))
            power += 1
        }
        let waist = least["waist", default: 0], both = least["pocket", default: 0] + least["thigh", default: 0]
        #expect(waist == least.values.max() && waist < both, "\(least)")
        #expect(try place(try network(["waist": 1 << (power - 1)])) == "pocket|thigh")
        while power < 24, least["waist", default: 0] < 20_000 {
            least = try probabilities(try network(["waist": 1 << power]))
            power += 1
        }
        #expect(least["waist", default: 0] >= 20_000)
        #expect(try place(try network(["waist": 1 << (power - 1)])) == "waist")
    }
}
