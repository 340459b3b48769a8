internal import Conversion
internal import Cryptography
internal import HTTPTypes
internal import HubStore
internal import Hummingbird
internal import NeuralNetwork
internal import Serving
internal import Support

/// A version's file in a format that a client asks for.
struct FormattedFile {
    var format: String
    /// SHA-256, 64 hexadecimal digits, by which the file is sent.
    var checksum: String
    var size: Int
}

extension HubServices {
    /// What the hub makes of a Gaitway model; a model may have a layer that one of them lacks.
    private static let makes: [ExportFormat] = [.cHeader, .onnx, .tflite]
    // A file of floats has four times the bytes, and is made in memory.
    private static let largestMade = 8 << 20
    // By which clients mean whatever there is, and other words for the same.
    private static let any = ["auto", "gaitway"]
    private static let synonyms = ["tensorflow_lite": "tflite", "c_header": "c-header", "torch": "pytorch", "numpy": "npy"]

    /// What ``made(_:in:)`` has.
    func formats(of version: ModelVersion) async throws -> [String] {
        guard version.isGaitways, version.size <= Self.largestMade, let bytes = try await file(version.checksum) else {
            return [version.format]
        }
        let network = try NetworkFile.read(bytes, name: version.model)
        let made = Self.makes.filter { (try? $0.bytes(network, name: version.model)) != nil }
        return [version.format] + made.map(\.rawValue)
    }

    /// - Parameter wanted: nil for the file as it was uploaded.
    /// - Throws: 404 for a format that there is not, so that clients ask for another.
    func made(_ version: ModelVersion, in wanted: String?) async throws -> FormattedFile {
        let format = wanted.flatMap { $0.isEmpty ? nil : Self.synonyms[$0] ?? $0 } ?? version.format
        if format == version.format || Self.any.contains(format) {
            return FormattedFile(format: version.format, checksum: version.checksum, size: version.size)
        }
        func missing(_ why: String) -> APIError {
            .missing("version_not_found", "version \(version.shown) is not there as \(format): \(why)")
        }
        guard let made = Self.makes.first(where: { $0.rawValue == format }), version.isGaitways, version.size <= Self.largestMade,
            let bytes = try await file(version.checksum)
        else {
            throw missing(try await formats(of: version).joined(separator: ", "))
        }
        let network = try NetworkFile.read(bytes, name: version.model), result: [UInt8]
        do throws(Fault) { result = try made.bytes(network, name: version.model) } catch { throw missing(error.message) }
        let checksum = Digest.text(result)
        keep(result, checksum: checksum)
        return FormattedFile(format: format, checksum: checksum, size: result.count)
    }

    /// An address of this hub. Behind a proxy the caller knows its name better than the hub does.
    func url(_ path: String, _ request: Request) -> String {
        let host = request.head.authority ?? "\(options.listening.host):\(options.listening.port)"
        let forwarded = HTTPField.Name("x-forwarded-proto").flatMap { request.headers[$0] }
        return "\(options.listening.certificate != nil || forwarded == "https" ? "https" : "http")://\(host)\(path)"
    }

    /// - Throws: 403 for an address that this hub did not give, or not for now.
    func checkSignature(of what: String, _ request: Request) throws {
        let page = try QueryParameters(request, most: 1)
        guard let expires = try page.number("expires").flatMap({ Int(exactly: $0) }), Double(expires) > now,
            let given = try page.text("signature"), isSignature(given, of: what, expires: expires)
        else { throw APIError(.forbidden, "forbidden", "this address is not valid, or not any more") }
    }
}
