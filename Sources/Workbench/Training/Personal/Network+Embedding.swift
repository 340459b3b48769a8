internal import NeuralNetwork

extension Network {
    /// What the last layer read, among the tensors of an inference.
    func embedding(in tensors: [[Int16]]) -> [Int16] { tensors[layers.last?.sources.first ?? 0] }

    /// An embedding's integers as real numbers.
    func real(embedding: [Int16]) -> [Float] { embedding.map { Float(lastSource.quantisation.real($0)) } }
}
