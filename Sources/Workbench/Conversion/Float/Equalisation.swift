/// Brings the units between two dense layers to like ranges, since they share a scale: ReLU(s x) = s ReLU(x), so a unit's values
/// are divided by s and the weights that read it multiplied. The network computes the same.
enum Equalisation {
    static func equalised(
        _ graph: FloatGraph, _ places: [Calibration], _ moments: [Quantiser.Reading: SecondMoments], _ balance: UnitBalance
    ) -> (FloatGraph, [Calibration], [Quantiser.Reading: SecondMoments]) {
        var graph = graph, places = places, moments = moments
        for index in graph.layers.indices {
            guard case .dense(var first) = graph.layers[index].operation, let relu = graph.onlyReader(of: index + 1),
                graph.layers[relu - 1].operation == .curve(.relu), let reader = graph.onlyReader(of: relu),
                case .dense(var second) = graph.layers[reader - 1].operation, second.inputs == first.outputs,
                graph.layers[index].shape.count == first.outputs
            else { continue }
            let factors = (0..<first.outputs).map { factor(second, $0, places[relu].peaks[$0], balance) }
            for (unit, factor) in factors.enumerated() {
                for input in 0..<first.inputs { first.values[unit * first.inputs + input] /= Float(factor) }
                first.bias[unit] /= Float(factor)
                for output in 0..<second.outputs { second.values[output * second.inputs + unit] *= Float(factor) }
                places[relu].peaks[unit] /= factor
                places[relu].means[unit] /= factor
            }
            let reading = Quantiser.Reading(tensor: relu, width: second.inputs)
            moments[reading] = moments[reading]?.divided(by: factors)
            places[relu].range = 0...places[relu].peaks.reduce(0, max)
            graph.layers[index].operation = .dense(first)
            graph.layers[reader - 1].operation = .dense(second)
        }
        return (graph, places, moments)
    }

    private static func factor(_ reader: FloatWeights, _ unit: Int, _ peak: Double, _ balance: UnitBalance) -> Double {
        let heaviest = (0..<reader.outputs).reduce(0) { max($0, Double(reader.values[$1 * reader.inputs + unit].magnitude)) }
        guard peak > 0, heaviest > 0 else { return 1 }
        return switch balance {
        case .both: (peak / heaviest).squareRoot()
        case .weights: 1 / heaviest
        case .none: 1
        }
    }
}
