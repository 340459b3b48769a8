internal import NeuralNetwork
internal import Support

/// Loops become LSTM, GRU or plain recurrent layers.
///
/// A layer's weights are taken from where Keras has them, and the layer is then held against the body: both have to give the same states
/// on the same steps. What is no such layer is refused, whatever it looks like.
extension TFLiteFloats {
    mutating func appendLoop(_ reader: TFLiteOperationReader, condition: Int, body: Int) throws(Fault) {
        guard !isBody else { throw reader.refused("it is a loop inside of another") }
        let loop = try TFLiteLoop(reader, condition: condition, body: body), given = reader.operation.inputs[loop.sequence]
        guard let source = places[given], file.tensors[given].count == graph.shape(source).count else {
            throw reader.refused("it reads what no operator before it gives")
        }
        let inputs = file.tensors[given].count / loop.steps, cell = try TFLiteFloats(body: loop, inputs: inputs)
        guard let operation = try cell.operation(loop, inputs) else {
            throw reader.refused("its body is no LSTM, GRU or plain recurrent layer with Keras' usual activations")
        }
        let rows = FloatShape(width: loop.steps, channels: loop.units)
        let from = shaped(source, FloatShape(width: loop.steps, channels: inputs))
        graph.layers.append(FloatLayer(operation, sources: [from], shape: rows))
        graph.state = .fresh
        let all = graph.layers.count
        for position in loop.givesAllSteps { places[reader.operation.outputs[position]] = all }
        let wanted = loop.givesLastStep.map { reader.operation.outputs[$0] }.filter { tensor in
            file.outputs.contains(tensor) || file.operators.contains { $0.inputs.contains(tensor) }
        }
        guard !wanted.isEmpty else { return }
        let elements = ((loop.steps - 1) * loop.units..<loop.steps * loop.units).map { Int32($0) }
        let last = gathered(elements, all, FloatShape(channels: loop.units))
        for tensor in wanted { places[tensor] = last }
    }

    /// The body as a network of its own, from a step and the states before it, one behind the other, to the states after it.
    private init(body loop: TFLiteLoop, inputs: Int) throws(Fault) {
        file = loop.body
        isBody = true
        places = [:]
        graph = FloatGraph(input: FloatShape(channels: inputs + loop.states.count * loop.units), output: .logits)
        var first = 0
        for tensor in [loop.step] + loop.states.map({ loop.body.inputs[$0] }) {
            let count = tensor == loop.step ? inputs : loop.units
            guard file.tensors[tensor].count == count else { throw loop.reader.refused("its body does not fit what it reads") }
            places[tensor] = gathered((first..<first + count).map { Int32($0) }, 0, file.tensors[tensor].extents)
            first += count
        }
        for (index, operation) in loop.needed {
            let reader = TFLiteOperationReader(file: file, index: index, operation: operation, isInLoop: true)
            guard Self.ofLayers.contains(operation.name) else { throw reader.refused("no recurrent layer has it") }
            if case .arithmetic(_, .some) = try reader.read() { throw reader.refused("it has a fused activation") }
            try append(reader)
            try file.requireLayers(graph.layers.count)
        }
        var after: [Int] = []
        for state in loop.states {
            guard let place = places[file.outputs[state]], graph.shape(place).count == loop.units else {
                throw loop.reader.refused("its body does not give its states")
            }
            after.append(place)
        }
        _ = appendConcatenation(after, outer: 1, inner: 1)
        guard graph.output == .logits else { throw loop.reader.refused("its body is no recurrent layer") }
        try graph.requireFitting(path: file.buffer.path)
    }

    /// What recurrent layers are made of: nothing here limits numbers, which a few steps could not show.
    private static let ofLayers: Set = [
        "FULLY_CONNECTED", "ADD", "SUB", "MUL", "LOGISTIC", "TANH", "SPLIT", "SPLIT_V", "STRIDED_SLICE", "SLICE", "RESHAPE", "SQUEEZE",
        "EXPAND_DIMS", "DEQUANTIZE",
    ]

    /// The recurrent layer that does what the body does.
    private func operation(_ loop: TFLiteLoop, _ inputs: Int) throws(Fault) -> FloatOperation? {
        let units = loop.units, hidden = loop.body.inputs[loop.states[0]]
        var ofStep: [FloatWeights] = [], ofState: [FloatWeights] = [], ofReset: [FloatWeights] = []
        var products: [Int: Int] = [:] // what a product reads, by what it gives
        for (index, operation) in loop.needed where operation.name == "FULLY_CONNECTED" {
            let reader = TFLiteOperationReader(file: file, index: index, operation: operation, isInLoop: true)
            guard case .dense(let parameters, nil) = try reader.read(), let to = operation.outputs.first else { return nil }
            let weights = try weights(parameters, reader), origins = loop.origins(operation.inputs[0])
            guard origins.count == 1, let origin = origins.first else { return nil }
            products[to] = origin
            switch origin {
            case loop.step: ofStep.append(weights)
            case hidden: ofState.append(weights)
            default: ofReset.append(weights)
            }
        }
        guard ofStep.count == 1, ofState.count == 1, ofReset.count < 2 else { return nil }
        var weights = ofStep[0], recurrent = ofState[0]
        for (index, operation) in loop.needed where operation.name == "ADD" && operation.inputs.count == 2 {
            for (constant, other) in [(0, 1), (1, 0)].map({ (operation.inputs[$0.0], operation.inputs[$0.1]) }) {
                let from = constants[constant] ?? constant
                guard from >= 0, !file.tensors[from].data.isEmpty, file.tensors[from].count >= units else { continue }
                let reader = TFLiteOperationReader(file: file, index: index, operation: operation, isInLoop: true)
                let values = try floats(constant, file.tensors[from].count, reader), read = loop.origins(other).compactMap { products[$0] }
                if read == [hidden], values.count == recurrent.outputs {
                    for (unit, value) in values.enumerated() { recurrent.bias[unit] += value }
                } else if values.count == weights.outputs {
                    for (unit, value) in values.enumerated() { weights.bias[unit] += value }
                }
            }
        }
        let found = Self.operation(weights, recurrent, ofReset.first, units: units)
        return found.flatMap { isSame($0, as: loop, inputs) ? $0 : nil }
    }

    private static func operation(
        _ weights: FloatWeights, _ recurrent: FloatWeights, _ ofReset: FloatWeights?, units: Int
    ) -> FloatOperation? {
        var weights = weights, recurrent = recurrent
        func moveBias(_ count: Int) {
            for unit in 0..<count {
                weights.bias[unit] += recurrent.bias[unit]
                recurrent.bias[unit] = 0
            }
        }
        switch (weights.outputs, recurrent.outputs, ofReset?.outputs) {
        case (4 * units, 4 * units, nil): // input, forget, modulation, output
            moveBias(4 * units)
            return .lstm(FloatLSTM(weights: weights, recurrent: recurrent))
        case (3 * units, 3 * units, nil): // update, reset, candidate
            moveBias(2 * units)
            return .gru(FloatGRU(weights: weights, recurrent: recurrent, resetAfter: true))
        case (3 * units, 2 * units, units), (3 * units, 3 * units, units):
            guard let ofReset else { return nil }
            moveBias(2 * units)
            for (unit, value) in ofReset.bias.enumerated() { weights.bias[2 * units + unit] += value }
            let all = FloatWeights(
                inputs: units, outputs: 3 * units, values: Array(recurrent.values.prefix(2 * units * units)) + ofReset.values)
            return .gru(FloatGRU(weights: weights, recurrent: all))
        case (units, units, nil):
            moveBias(units)
            return .gru(.plain(weights, recurrent))
        default: return nil
        }
    }

    // On a few steps of small, usual and large numbers, from states of zero.
    private func isSame(_ operation: FloatOperation, as loop: TFLiteLoop, _ inputs: Int) -> Bool {
        let steps = 8, units = loop.units, body = FloatRunner(graph)
        var layer = FloatGraph(input: FloatShape(width: steps, channels: inputs), output: .logits), random = RandomNumbers(seed: 1)
        layer.append(operation, FloatShape(width: steps, channels: units))
        guard layer.layers[0].fits([layer.input]) else { return false }
        for largest in [0.1, 2, 30] {
            let rows = (0..<steps * inputs).map { _ in Float((2 * random.unit() - 1) * largest) }
            let wanted = FloatRunner(layer).run(rows).tensors[1]
            var states = [Float](repeating: 0, count: loop.states.count * units)
            for step in 0..<steps {
                states = body.run(Array(rows[step * inputs..<(step + 1) * inputs]) + states).tensors.last ?? []
                let differs = states.prefix(units).enumerated().contains { unit, value in
                    !((value - wanted[step * units + unit]).magnitude < 1e-4)
                }
                if differs { return false }
            }
        }
        return true
    }
}
