internal import NeuralNetwork
package import Support

extension FloatGraph {
    /// Every layer reads what is there, in the sizes that it needs: what an importer put together can be run.
    ///
    /// - Throws: `.badData` naming the layer.
    package func requireFitting(path: String) throws(Fault) {
        for (index, layer) in layers.enumerated() {
            guard !layer.sources.isEmpty, layer.sources.allSatisfy({ (0...index).contains($0) }), layer.shape.count > 0,
                fits(layer, layer.sources.map { shape($0) })
            else {
                throw Fault(.badData, "\(path): layer \(index) does not fit what it reads", remedy: "Is the file whole? Export it again.")
            }
        }
        guard !layers.isEmpty else { throw Fault(.badData, "\(path) has no layers") }
    }

    private func fits(_ layer: FloatLayer, _ sources: [FloatShape]) -> Bool {
        let source = sources[0], shape = layer.shape
        func fits(_ weights: FloatWeights) -> Bool {
            weights.inputs > 0 && weights.outputs > 0 && weights.values.count == weights.inputs * weights.outputs
                && weights.bias.count == weights.outputs
        }
        switch layer.operation {
        case .dense(let weights):
            return fits(weights) && source.count % weights.inputs == 0 && source.count / weights.inputs * weights.outputs == shape.count
        case .convolution(let weights, let window):
            return fits(weights) && weights.outputs == shape.channels && weights.inputs == window.height * window.width * source.channels
        case .depthwise(let weights, let window):
            return fits(weights) && weights.outputs == shape.channels && weights.inputs == window.height * window.width
                && weights.outputs % source.channels == 0
        case .lstm(let lstm):
            return fits(lstm.weights) && fits(lstm.recurrent) && lstm.weights.inputs == source.channels && lstm.units == shape.channels
                && lstm.weights.outputs == 4 * lstm.units && lstm.recurrent.outputs == 4 * lstm.units && shape.positions == source.positions
        case .gru(let gru):
            return fits(gru.weights) && fits(gru.recurrent) && gru.weights.inputs == source.channels && gru.units == shape.channels
                && gru.weights.outputs == 3 * gru.units && gru.recurrent.outputs == 3 * gru.units && shape.positions == source.positions
        case .averagePool, .maxPool: return shape.channels == source.channels
        case .mean: return shape.count == source.channels
        case .add, .subtract, .multiply, .maximum, .minimum:
            return sources.count == 2 && sources.allSatisfy { $0.count == shape.count }
        case .concatenation: return sources.count <= 4 && sources.reduce(0) { $0 + $1.count } == shape.count
        case .slice(let first): return first >= 0 && source.channels == shape.channels && first <= source.positions - shape.positions
        case .reshape, .curve: return source.count == shape.count
        case .softmax: return source == shape
        case .gather(let places):
            return places.count == shape.count && places.allSatisfy { (-1..<Int32(clamping: source.count)).contains($0) }
        case .constant(let values): return values.count == shape.count && values.allSatisfy(\.isFinite)
        case .matrixProduct:
            return sources.count == 2 && source.height == shape.height && sources[1].height == shape.height && source.width == shape.width
                && sources[1].width == shape.channels && source.channels == sources[1].channels
        case .forest(let forest): return forest.classes == shape.count && forest.features.allSatisfy { $0 < Int16(clamping: source.count) }
        }
    }
}
