internal import FoundationEssentials
internal import Support

/// Reads the texts of a model's metadata; every fault names the file and the key.
struct MetadataReader {
    var metadata: [String: String]
    var path: String

    func bad(_ what: String) -> Fault {
        Fault(.badData, "\(path) is not a usable model: \(what)", remedy: "Copy or download it again, or train it anew.")
    }

    func text(_ key: String) throws(Fault) -> String {
        guard let value = metadata[key] else { throw bad("its metadata has no \"\(key)\"") }
        return value
    }

    static let format = "gaitway.format", withScaling = "3"

    /// The file is of a form that this program reads.
    func requireFormat() throws(Fault) {
        let value = try text(Self.format)
        guard value == "2" || value == Self.withScaling else {
            throw bad("\"\(Self.format)\" is \"\(value)\"; this program reads \"2\" and \"\(Self.withScaling)\"")
        }
    }

    func require(_ key: String, _ expected: String) throws(Fault) {
        let value = try text(key)
        guard value == expected else { throw bad("\"\(key)\" is \"\(value)\"; this program reads \"\(expected)\"") }
    }

    func integer(_ key: String, in range: ClosedRange<Int>) throws(Fault) -> Int {
        let value = try text(key)
        guard let number = Int(value), range.contains(number) else {
            throw bad("\"\(key)\" is \"\(value)\", not within \(range.lowerBound) ... \(range.upperBound)")
        }
        return number
    }

    func integers<Number: FixedWidthInteger>(_ key: String, as type: Number.Type) throws(Fault) -> [Number] {
        let words = try text(key).split(separator: " ")
        let numbers = words.compactMap { Number($0) }
        guard numbers.count == words.count else { throw bad("\"\(key)\" is not a row of \(type)") }
        return numbers
    }

    func scale(_ key: String) throws(Fault) -> Double {
        let value = try text(key)
        guard let number = Double(value), Quantisation.scales.contains(number) else {
            throw bad("\"\(key)\" is \"\(value)\", not a positive number of single precision")
        }
        return number
    }

    func json<Value: Decodable>(_ key: String, as type: Value.Type) throws(Fault) -> Value {
        let value = try text(key)
        do {
            return try JSONDecoder().decode(type, from: Data(value.utf8))
        } catch {
            throw bad("\"\(key)\" is not the JSON that it should be")
        }
    }

    func layers() throws(Fault) -> [LayerDescription] { try json("layers", as: [LayerDescription].self) }

    func inputMultiplier() throws(Fault) -> Multiplier {
        Multiplier(
            multiplier: Int32(try integer("input_multiplier", in: 0...Int(Int32.max))),
            shift: Int32(try integer("input_shift", in: -31...30)))
    }

    func inputType() throws(Fault) -> IntegerType { try choice("input_type") }

    private func choice<Choice: RawRepresentable>(_ key: String) throws(Fault) -> Choice where Choice.RawValue == String {
        let value = try text(key)
        guard let choice = Choice(rawValue: value) else { throw bad("\"\(key)\" is \"\(value)\", which this program does not know") }
        return choice
    }

    private func input() throws(Fault) -> Tensor {
        let shape = try integers("input_shape", as: Int.self), type = try inputType()
        guard Tensor.canHave(shape) else { throw bad("\"input_shape\" is \(shape)") }
        let quantisation = Quantisation(scale: try scale("input_scale"), zeroPoint: try integer("input_zero_point", in: type.range))
        return Tensor(type, height: shape[0], width: shape[1], channels: shape[2], quantisation: quantisation)
    }

    /// Two to which power each column is multiplied with; nil where none is.
    func inputExponents() throws(Fault) -> [Int]? {
        metadata["input_exponents"] == nil ? nil : try integers("input_exponents", as: Int.self)
    }

    /// Numbers of a row, where the input has copies of some of them.
    func inputWidth() throws(Fault) -> Int { try integer("input_width", in: 1...4096) }

    func network(_ layers: [Layer]) throws(Fault) -> Network {
        try require("rate", "50")
        var network = Network(
            labels: try json("labels", as: [String].self), window: try integer("window", in: 1...1024),
            hop: try integer("hop", in: 1...1024),
            bits: try integer("bits", in: 2...16), version: try integer("version", in: 0...Int.max),
            expires: metadata["expires"] == nil ? nil : try integer("expires", in: 0...Int.max),
            inputKind: try choice("input"), input: try input(), layers: layers, output: try choice("output"), state: try choice("state"),
            golden: GoldenPair(
                input: try integers("golden_input", as: Int16.self), output: try integers("golden_output", as: Int16.self),
                probabilities: try integers("golden_probabilities", as: Int16.self)))
        if metadata["trained_on"] != nil { network.trainedOn = try json("trained_on", as: [String].self) }
        if metadata["placements"] != nil { network.placements = try json("placements", as: [String].self) }
        return network
    }
}

/// Writes them.
enum MetadataWriter {
    static func metadata(of network: Network) -> [String: String] {
        let input = network.input
        var metadata = [
            "gaitway.format": "2", "rate": "50", "input": network.inputKind.rawValue, "window": "\(network.window)",
            "hop": "\(network.hop)",
            "bits": "\(network.bits)", "version": "\(network.version)", "labels": json(network.labels),
            "layers": json(network.layers.map(LayerDescription.init)),
            "input_type": input.type.rawValue, "input_shape": row([input.height, input.width, input.channels]),
            "input_scale": "\(input.quantisation.scale)",
            "input_zero_point": "\(input.quantisation.zeroPoint)", "input_multiplier": "\(network.inputMultiplier.multiplier)",
            "input_shift": "\(network.inputMultiplier.shift)", "output": network.output.rawValue, "state": network.state.rawValue,
        ]
        if network.inputScaling != .none { metadata[MetadataReader.format] = MetadataReader.withScaling }
        if let steps = network.inputScaling.steps { metadata["input_exponents"] = row(steps.exponents) }
        if let copies = network.inputScaling.steps?.copies { metadata["input_width"] = "\(copies.columns)" }
        metadata["expires"] = network.expires.map { "\($0)" }
        if !network.trainedOn.isEmpty { metadata["trained_on"] = json(network.trainedOn) }
        if !network.placements.isEmpty { metadata["placements"] = json(network.placements) }
        if let golden = network.golden {
            metadata["golden_input"] = row(golden.input)
            metadata["golden_output"] = row(golden.output)
            metadata["golden_probabilities"] = row(golden.probabilities)
        }
        return metadata
    }

    private static func row(_ values: [some FixedWidthInteger]) -> String { values.map { "\($0)" }.joined(separator: " ") }

    // Texts, finite numbers and integers: nothing that the encoder could refuse.
    private static func json(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
