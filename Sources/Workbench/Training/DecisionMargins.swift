internal import NeuralNetwork
internal import Support

/// By how much a network in float decides: the largest output of each row, and the one behind it.
struct DecisionMargins {
    /// Places of the two largest outputs of each row; equal where there is one output.
    private(set) var largest: [(first: Int, second: Int)] = []
    private var margins: [Double] = []
    /// The smallest of the rows' largest outputs.
    private(set) var smallest = Double.infinity
    // So many rows of like margins show what errors there are.
    private static let alike = 50

    /// - Parameter outputs: the last layer's numbers of a row.
    mutating func take(_ outputs: [Float]) {
        let first = outputs.indexOfLargest
        let second = outputs.indices.filter { $0 != first }.max { outputs[$0] < outputs[$1] } ?? first
        largest.append((first, second))
        smallest = min(smallest, Double(outputs[first]))
        margins.append(Double(outputs[first]) - Double(outputs[second]))
    }

    /// What a network in fixed point has between the same two outputs of a row.
    func margin(_ row: Int, of integers: [Int16], _ quantisation: Quantisation) -> Double {
        quantisation.real(integers[largest[row].first]) - quantisation.real(integers[largest[row].second])
    }

    /// The share of the rows that fixed point is expected to decide as float does: each with the errors of the rows of like margins, not
    /// with its own alone. Where 1,500 rows are counted, one that is decided otherwise or five are luck.
    ///
    /// - Parameter fixed: ``margin(_:of:_:)`` of every row.
    func expectedShare(_ fixed: [Double]) -> Double {
        guard !fixed.isEmpty else { return 1 }
        let order = margins.indices.sorted { (margins[$0], $0) < (margins[$1], $1) }
        let errors = order.map { margins[$0] - fixed[$0] }, near = min(Self.alike, order.count)
        let otherwise = order.indices.reduce(0) { sum, place in
            let start = min(max(place - near / 2, 0), order.count - near)
            return sum + errors[start..<start + near].count { $0 > margins[order[place]] }
        }
        return 1 - Double(otherwise) / (Double(near) * Double(order.count))
    }
}
