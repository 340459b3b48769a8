internal import CRecognition
package import NeuralNetwork

extension Prototypes {
    /// How far each embedding lies from the nearest prototype, Q8, as the loop measures it.
    ///
    /// - Parameter embeddings: each of as many integers as there are scales.
    package func distances(_ embeddings: [[Int16]]) -> [Int32] {
        let novelty = Novelty(self)
        return embeddings.map { embedding in
            precondition(embedding.count == scales.count)
            return unsafe embedding.withUnsafeBytes { unsafe gw_prototypes_distance(novelty.raw, $0.baseAddress, GW_INT16) }
        }
    }
}
