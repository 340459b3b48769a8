internal import NeuralNetwork
internal import Support

extension NetworkInput {
    /// Refuses windows of other signals than x, y and z, which would be read as longer windows of those.
    ///
    /// - Parameter shape: of the network's input, as its file has it.
    /// - Throws: `.usage`.
    func requireThreeSignals(_ shape: [Int], path: String) throws(Fault) {
        let extents = shape.filter { $0 > 1 }
        guard self == .raw || self == .shifted, extents.count > 1, !extents.contains(3) else { return }
        throw Fault(
            .usage, "\(path) takes windows of the shape \(shape), and no axis of it has the three signals that gaitway gives (x, y, z)",
            remedy: """
                Train it on these; where it takes them put together, as [8, 48], have it take [1, 384] and reshape that. With --input \
                features it can predict.
                """)
    }

    func requireThreeSignals(_ shape: FloatShape, path: String) throws(Fault) {
        try requireThreeSignals([shape.height, shape.width, shape.channels], path: path)
    }
}
