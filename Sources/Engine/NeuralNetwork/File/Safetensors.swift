internal import FoundationEssentials
package import Support

/// The safetensors container: named tensors and a map of texts.
///
/// Layout: a little-endian u64 N, N bytes of JSON, then the tensors' bytes. The JSON maps each name to
/// {"dtype", "shape", "data_offsets": [begin, end]} relative to the end of the JSON, and "__metadata__" to texts. Tensors must
/// cover the data exactly, without holes or overlap. Source: the format's specification (huggingface/safetensors).
package struct Safetensors {
    package enum Kind: String, Codable, CaseIterable {
        case int8 = "I8", int16 = "I16", int32 = "I32", int64 = "I64", float32 = "F32"

        package var size: Int {
            switch self {
            case .int8: 1
            case .int16: 2
            case .int32, .float32: 4
            case .int64: 8
            }
        }
    }

    package struct Tensor {
        package var kind: Kind
        package var shape: [Int]
        /// Little-endian.
        package var bytes: [UInt8]
    }

    package var metadata: [String: String] = [:]
    package var tensors: [String: Tensor] = [:]

    // What other people's networks end with that are imported.
    private static let foreign = [".onnx", ".tflite", ".mlmodel"]

    /// Headers are a few kilobytes; a claimed gigabyte is an attack or an accident.
    package static let headerLimit = 1 << 20

    package init() {}

    /// Takes tensors that belong together out of the file, where all are there.
    mutating func take(_ names: [String]) -> [Tensor]? {
        let found = names.compactMap { tensors[$0] }
        guard found.count == names.count else { return nil }
        for name in names { tensors[name] = nil }
        return found
    }

    /// Reads a whole file's bytes. Everything is checked before a tensor is cut out.
    ///
    /// - Throws: `.badData` with what is wrong.
    package init(_ file: [UInt8], path: String) throws(Fault) {
        func bad(_ what: String) -> Fault {
            let isForeign = Self.foreign.contains(where: path.lowercased().hasSuffix)
            return Fault(
                .badData, "\(path) is not a model: \(what)",
                remedy: isForeign ? "gaitway model import makes a model of such a file." : "Copy or download it again.")
        }
        guard file.count >= 8 else { throw bad("it has \(file.count) bytes, fewer than a header") }
        let length = file[..<8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard length <= UInt64(Self.headerLimit) else {
            throw bad("its header claims \(length) bytes; at most \(Self.headerLimit) are taken")
        }
        guard length <= UInt64(file.count - 8) else { throw bad("its header claims \(length) bytes and \(file.count - 8) are there") }
        let end = 8 + Int(length)
        let header: Header
        do {
            header = try JSONDecoder().decode(Header.self, from: Data(file[8..<end]))
        } catch let fault as UnknownKind {
            throw Fault(
                .badData, "\(path) holds numbers of the type \(fault.name)",
                remedy: """
                    \(Kind.allCases.map(\.rawValue).joined(separator: ", ")) can be read: save a network's weights as F32, .float() in \
                    PyTorch.
                    """)
        } catch {
            throw bad("its header is not the JSON of a safetensors file")
        }
        metadata = header.metadata
        var covered = 0
        for (name, entry) in header.tensors.sorted(by: { $0.value.begin < $1.value.begin }) {
            guard entry.offsets.count == 2, entry.begin == covered, entry.end >= entry.begin, entry.end <= file.count - end else {
                throw bad("tensor \(name) lies at \(entry.offsets), where \(covered) ... \(file.count - end) is free")
            }
            guard entry.byteCount == entry.end - entry.begin else {
                throw bad("tensor \(name) of shape \(entry.shape) does not fill its \(entry.end - entry.begin) bytes")
            }
            tensors[name] = Tensor(kind: entry.dtype, shape: entry.shape, bytes: Array(file[end + entry.begin..<end + entry.end]))
            covered = entry.end
        }
        guard covered == file.count - end else { throw bad("\(file.count - end - covered) bytes belong to no tensor") }
    }

    /// The file's bytes: tensors in order of name, header padded with blanks to a multiple of 8. Equal content gives equal bytes.
    package func encoded() -> [UInt8] {
        var header = Header(metadata: metadata), data: [UInt8] = []
        for (name, tensor) in tensors.sorted(by: { $0.key < $1.key }) {
            header.tensors[name] = Header.Entry(
                dtype: tensor.kind, shape: tensor.shape, offsets: [data.count, data.count + tensor.bytes.count])
            data += tensor.bytes
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Texts and integers only: nothing that the encoder could refuse.
        var json = (try? encoder.encode(header)).map { [UInt8]($0) } ?? []
        json += [UInt8](repeating: UInt8(ascii: " "), count: (8 - json.count % 8) % 8)
        var file = UInt64(json.count).littleEndianBytes
        file += json
        file += data
        return file
    }

    private struct UnknownKind: Error { var name: String }

    private struct Header: Codable {
        package struct Entry: Codable {
            var dtype: Kind
            var shape: [Int]
            var offsets: [Int]

            var begin: Int { offsets.first ?? -1 }
            var end: Int { offsets.last ?? -1 }

            /// Nil when the product is negative or overflows.
            var byteCount: Int? {
                var size = dtype.size
                for extent in shape {
                    let (product, overflow) = size.multipliedReportingOverflow(by: extent)
                    guard extent >= 0, !overflow else { return nil }
                    size = product
                }
                return size
            }

            enum CodingKeys: String, CodingKey {
                case dtype, shape
                case offsets = "data_offsets"
            }

            init(dtype: Kind, shape: [Int], offsets: [Int]) { (self.dtype, self.shape, self.offsets) = (dtype, shape, offsets) }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                let name = try container.decode(String.self, forKey: .dtype)
                guard let dtype = Kind(rawValue: name) else { throw UnknownKind(name: name) }
                self.init(
                    dtype: dtype, shape: try container.decode([Int].self, forKey: .shape),
                    offsets: try container.decode([Int].self, forKey: .offsets))
            }
        }

        package struct Name: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        var metadata: [String: String]
        var tensors: [String: Entry] = [:]

        package init(metadata: [String: String]) { self.metadata = metadata }

        package init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Name.self)
            metadata = [:]
            for key in container.allKeys {
                if key.stringValue == "__metadata__" {
                    metadata = try container.decode([String: String].self, forKey: key)
                } else {
                    tensors[key.stringValue] = try container.decode(Entry.self, forKey: key)
                }
            }
        }

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Name.self)
            try container.encode(metadata, forKey: Name(stringValue: "__metadata__"))
            for (name, entry) in tensors { try container.encode(entry, forKey: Name(stringValue: name)) }
        }
    }
}

extension Safetensors.Tensor {
    package init(_ values: [Int8], shape: [Int]) { self.init(.int8, values, shape: shape) }
    package init(_ values: [Int16], shape: [Int]) { self.init(.int16, values, shape: shape) }
    package init(_ values: [Int32], shape: [Int]) { self.init(.int32, values, shape: shape) }
    package init(_ values: [Int64], shape: [Int]) { self.init(.int64, values, shape: shape) }
    package init(_ values: [Float], shape: [Int]) { self.init(.float32, values.map(\.bitPattern), shape: shape) }

    package var int8: [Int8] { integers() }
    package var int16: [Int16] { integers() }
    package var int32: [Int32] { integers() }
    package var int64: [Int64] { integers() }
    package var float32: [Float] { (integers() as [UInt32]).map(Float.init(bitPattern:)) }

    private init<Number: FixedWidthInteger>(_ kind: Safetensors.Kind, _ values: [Number], shape: [Int]) {
        self.init(kind: kind, shape: shape, bytes: [])
        bytes.reserveCapacity(values.count * kind.size)
        for value in values { unsafe withUnsafeBytes(of: value.littleEndian) { unsafe bytes.append(contentsOf: $0) } }
    }

    // The tensor's kind has been asked for; its bytes fill its shape.
    private func integers<Number: FixedWidthInteger>() -> [Number] {
        unsafe bytes.withUnsafeBytes { raw in
            stride(from: 0, to: bytes.count, by: MemoryLayout<Number>.size).map {
                unsafe Number(littleEndian: raw.loadUnaligned(fromByteOffset: $0, as: Number.self))
            }
        }
    }
}
