internal import Support

/// A layer of a Core ML network; the numbers are the fields of Core ML's Model.proto.
struct CoreMLLayer {
    enum Kind: Int, CaseIterable {
        case activation = 130, innerProduct = 140, batchnorm = 160, softmax = 175, add = 230, reshape = 300, flatten = 301, gru = 410,
            uniDirectionalLSTM = 420
    }

    let name: String
    let inputs: [String]
    let outputs: [String]
    /// Nil: one that cannot be run.
    let kind: Kind?
    let parameters: WireMessage

    init(_ message: WireMessage) throws(Fault) {
        name = message.texts(1).last ?? ""
        inputs = message.texts(2)
        outputs = message.texts(3)
        kind = Kind.allCases.first { message.has($0.rawValue) }
        parameters = try kind.map { kind throws(Fault) in try message.message(kind.rawValue) } ?? message
    }
}

/// What is said of a network beside its layers.
struct CoreMLDescription {
    /// Name and shape of each input.
    let inputs: [(name: String, shape: [Int64])]
    let outputs: [String]

    init(_ model: WireMessage) throws(Fault) {
        let description = try model.message(2)
        var found: [(name: String, shape: [Int64])] = []
        for feature in try description.messages(1) {
            found.append((feature.texts(1).last ?? "", try feature.message(3).message(5).integers(1)))
        }
        inputs = found
        outputs = try description.messages(10).map { $0.texts(1).last ?? "" }
    }
}
