internal import NeuralNetwork
internal import Support

/// A loop that is a recurrent layer step by step, as the converter writes those of Keras 3: what it carries from step to step, and what
/// it does to it.
struct TFLiteLoop {
    let reader: TFLiteOperationReader
    let body: TFLiteFile
    private(set) var steps = 0
    private(set) var units = 0
    /// Which of what it carries is the sequence, and which are states, the hidden one first.
    private(set) var sequence = 0
    private(set) var states: [Int] = []
    /// Which of what it gives are the hidden states [steps][units] of all steps, and which those [units] of the last one.
    private(set) var givesAllSteps: [Int] = [], givesLastStep: [Int] = []
    /// The body's tensor that holds a step [inputs] of the sequence.
    private(set) var step = 0
    /// Which operator of the body gives a tensor.
    private let makers: [Int: TFLiteFile.Operator]

    /// - Throws: `.badData` for a loop of another kind.
    init(_ reader: TFLiteOperationReader, condition: Int, body number: Int) throws(Fault) {
        let file = reader.file, given = reader.operation.inputs, body = try file.subgraph(number)
        (self.reader, self.body) = (reader, body)
        makers = Dictionary(
            body.operators.flatMap { operation in operation.outputs.map { ($0, operation) } }, uniquingKeysWith: { first, _ in first })
        guard body.inputs.count == given.count, body.outputs.count == given.count, reader.operation.outputs.count == given.count,
            (body.inputs + body.outputs).allSatisfy({ $0 >= 0 })
        else { throw reader.refused("its body does not carry what it is given") }
        for position in given.indices {
            let count = given[position] < 0 ? 0 : file.tensors[given[position]].count
            guard body.tensors[body.inputs[position]].count == count, body.tensors[body.outputs[position]].count == count,
                reader.operation.outputs[position] >= 0, file.tensors[reader.operation.outputs[position]].count == count
            else { throw reader.refused("what its body carries has other shapes than what it is given") }
        }
        let counters = given.indices.filter { isCounter($0) }
        let kept = given.indices.filter { body.inputs[$0] == body.outputs[$0] && !counters.contains($0) }
        guard kept.count == 1,
            let read = body.operators.first(where: { $0.name == "GATHER" && $0.inputs.first == body.inputs[kept[0]] }),
            read.inputs.count == 2, counters.contains(where: { body.inputs[$0] == read.inputs[1] }),
            try read.options?.number(0, default: Int32(0)) ?? 0 == 0, try read.options?.number(1, default: Int32(0)) ?? 0 == 0,
            let step = read.outputs.first, step >= 0
        else { throw reader.refused("its body does not read a sequence step by step") }
        (sequence, self.step) = (kept[0], step)
        steps = file.tensors[given[sequence]].shape.first ?? 0
        guard steps > 0, try turns(file.subgraph(condition), counters) == steps else {
            throw reader.refused("it does not take every step once")
        }
        let carried = given.indices.filter { !counters.contains($0) && $0 != sequence }
        guard let (rows, hidden, keepsAll) = collected(carried, counters) else { throw reader.refused("its body collects no state") }
        units = body.tensors[body.inputs[hidden]].count
        states = [hidden] + carried.filter { $0 != rows && $0 != hidden }
        (givesAllSteps, givesLastStep) = keepsAll ? ([rows], [hidden]) : ([], [rows, hidden])
        for state in states {
            guard body.tensors[body.inputs[state]].count == units, try isZero(given[state]) else {
                throw reader.refused("its states do not begin at zero, or have different sizes")
            }
        }
    }

    // Begins at zero, and is one more after each turn.
    private func isCounter(_ position: Int) -> Bool {
        guard let maker = makers[body.outputs[position]], maker.name == "ADD", maker.inputs.count == 2,
            let other = maker.inputs.first(where: { $0 != body.inputs[position] }), maker.inputs.contains(body.inputs[position])
        else { return false }
        return whole(body, other) == 1 && whole(reader.file, reader.operation.inputs[position]) == 0
    }

    private func whole(_ file: TFLiteFile, _ tensor: Int) -> Int? {
        guard tensor >= 0, file.tensors[tensor].kind == .int32, !file.tensors[tensor].data.isEmpty, file.tensors[tensor].count == 1 else {
            return nil
        }
        return (try? file.constant(file.tensors[tensor], as: Int32.self))?.first.map(Int.init)
    }

    private func isZero(_ tensor: Int) throws(Fault) -> Bool {
        let file = reader.file, constant = tensor < 0 ? nil : file.operators.first { $0.outputs == [tensor] && $0.name == "DEQUANTIZE" }
        let from = constant?.inputs.first ?? tensor
        guard from >= 0, !file.tensors[from].data.isEmpty else { return false }
        return try file.floats(file.tensors[from]).allSatisfy { $0 == 0 }
    }

    // How many turns there are: as many as the least number that a counter has to stay below.
    private func turns(_ condition: TFLiteFile, _ counters: [Int]) throws(Fault) -> Int? {
        let comparisons = condition.operators.filter { $0.name == "LESS" }, joins = condition.operators.filter { $0.name == "LOGICAL_AND" }
        let ends = comparisons.compactMap(\.outputs.first)
        guard condition.operators.count == comparisons.count + joins.count, ends.count == joins.count + 1, joins.count < 2,
            joins.isEmpty ? condition.outputs == ends : Set(joins[0].inputs) == Set(ends) && condition.outputs == joins[0].outputs
        else { return nil }
        var least: Int?
        for comparison in comparisons {
            guard comparison.inputs.count == 2, let limit = whole(condition, comparison.inputs[1]),
                counters.contains(where: { condition.inputs.indices.contains($0) && condition.inputs[$0] == comparison.inputs[0] })
            else { return nil }
            least = min(least ?? limit, limit)
        }
        return least
    }

    // What collects the hidden state, of which position it is, and whether all of it is kept.
    private func collected(_ carried: [Int], _ counters: [Int]) -> (rows: Int, hidden: Int, keepsAll: Bool)? {
        for rows in carried {
            guard let maker = makers[body.outputs[rows]] else { continue }
            var from = maker.inputs.first, keepsAll = false
            if maker.name == "CONCATENATION" {
                guard maker.inputs.count == 3, isBefore(maker.inputs[0], counters, of: rows), isBehind(maker.inputs[2], counters, of: rows),
                    isAlongSteps(maker), let middle = makers[maker.inputs[1]], middle.name == "RESHAPE"
                else { continue }
                (from, keepsAll) = (middle.inputs.first, true)
            } else if maker.name != "RESHAPE" {
                continue
            }
            let count = body.tensors[body.inputs[rows]].count
            guard let hidden = carried.first(where: { $0 != rows && body.outputs[$0] == from }) else { continue }
            if count == body.tensors[body.inputs[hidden]].count * (keepsAll ? steps : 1) { return (rows, hidden, keepsAll) }
        }
        return nil
    }

    // What was collected before this step, and what lies behind it: cut at the counter, and at the counter of the next turn.
    private func isBefore(_ tensor: Int, _ counters: [Int], of rows: Int) -> Bool {
        guard let maker = makers[tensor], maker.name == "SLICE", maker.inputs.count == 3, maker.inputs[0] == body.inputs[rows],
            maker.inputs[1] >= 0, let begin = try? body.constant(body.tensors[maker.inputs[1]], as: Int32.self)
        else { return false }
        return begin.allSatisfy { $0 == 0 } && counters.contains { body.inputs[$0] == firstPart(maker.inputs[2]) }
    }

    private func isBehind(_ tensor: Int, _ counters: [Int], of rows: Int) -> Bool {
        guard let maker = makers[tensor], maker.name == "SLICE", maker.inputs.count == 3, maker.inputs[0] == body.inputs[rows] else {
            return false
        }
        return counters.contains { body.outputs[$0] == firstPart(maker.inputs[1]) }
    }

    private func isAlongSteps(_ concatenation: TFLiteFile.Operator) -> Bool {
        (try? concatenation.options?.number(0, default: Int32(0))) ?? 0 == 0
    }

    // A list of numbers whose first is computed.
    private func firstPart(_ list: Int) -> Int? {
        guard let maker = makers[list], maker.name == "CONCATENATION", let first = maker.inputs.first, let shaped = makers[first],
            shaped.name == "RESHAPE"
        else { return nil }
        return shaped.inputs.first
    }

    /// The operators that the next states depend on, in the body's order; with their numbers there.
    var needed: [(offset: Int, element: TFLiteFile.Operator)] {
        var wanted = states.map { body.outputs[$0] }, known = Set(states.map { body.inputs[$0] } + [step])
        while let tensor = wanted.popLast() {
            guard known.insert(tensor).inserted, let maker = makers[tensor] else { continue }
            wanted += maker.inputs
        }
        let arguments = Set(states.map { body.inputs[$0] } + [step])
        return body.operators.enumerated().filter { $0.element.outputs.contains { known.contains($0) && !arguments.contains($0) } }
    }

    /// What an addition or a product is made of, behind what only adds constants or gives another shape.
    func origins(_ tensor: Int) -> Set<Int> {
        var origins: Set<Int> = [], seen: Set<Int> = [], wanted = [tensor]
        while let tensor = wanted.popLast() {
            guard tensor >= 0, seen.insert(tensor).inserted, body.tensors[tensor].data.isEmpty else { continue }
            if let maker = makers[tensor], maker.name == "ADD" || maker.name == "RESHAPE" {
                wanted += maker.name == "ADD" ? maker.inputs : Array(maker.inputs.prefix(1))
            } else {
                origins.insert(tensor)
            }
        }
        return origins
    }
}
