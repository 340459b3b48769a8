import Agent
import Cloud
import Cryptography
import Models
import Support
import Synchronization

/// A model at one address, looked at again and again: https://HOST/FILE, s3://BUCKET/KEY, or a file. FILE.sig is its signature.
final class AddressUpdates: UpdateSource {
    private let source: any ModelSource
    private let name: String
    let isRemote: Bool
    // Of a download, seconds.
    private let timeout: Double
    private let isSigned: Bool
    // Between looking at it and taking it.
    private let looked: Mutex<[UInt8]> = Mutex([])

    /// Errors: `.usage` for what is no address, `.configuration` for a bucket without credentials.
    init(_ address: String, _ configuration: Configuration) throws(Fault) {
        timeout = configuration[.updatesTimeout].flatMap { Double($0.text) } ?? 300
        isSigned = configuration[.trustedKey] != nil
        let cut = address.lastIndex(of: "/")
        if address.hasPrefix("s3://") {
            let parts = address.dropFirst(5).split(separator: "/", maxSplits: 1)
            guard parts.count == 2 else { throw Fault(.usage, "\"\(address)\" is no s3://BUCKET/KEY") }
            (source, name, isRemote) = (try UploadPlan(configuration).manager(bucket: String(parts[0])), String(parts[1]), true)
        } else if address.contains("://"), let cut {
            (source, name, isRemote) = (try HTTPModelSource(String(address[..<cut])), String(address[address.index(after: cut)...]), true)
        } else {
            let directory = cut.map { String(address[..<$0]) } ?? "."
            (source, name, isRemote) = (DirectoryModelSource(directory.isEmpty ? "/" : directory), cut.map { String(address[address.index(after: $0)...]) } ?? address, false)
        }
    }

    /// The only way to see whether it is new is to fetch it.
    func offer(above version: Int) async throws(Fault) -> ModelOffer? {
        let bytes: [UInt8]
        do throws(Fault) { bytes = try await file(name, limit: NetworkFile.sizeLimit) } catch where error.code == .noInput && !isRemote { return nil }
        looked.withLock { $0 = bytes }
        return ModelOffer(name: name, checksum: Digest.text(bytes), size: bytes.count)
    }

    /// Errors: `.temporary` also where another machine has no signature and one is wanted: it may be on its way, behind the file.
    func fetch(_ offer: ModelOffer, limit: Int) async throws(Fault) -> (model: [UInt8], signature: [UInt8]?) {
        let kept = looked.withLock { looked in
            defer { looked = [] }
            return looked
        }
        return (kept.isEmpty ? try await file(name, limit: limit) : kept, try await signature())
    }

    private func signature() async throws(Fault) -> [UInt8]? {
        let path = ModelSignature.path(of: name)
        do throws(Fault) {
            return try await file(path, limit: ModelSignature.sizeLimit)
        } catch where error.code == .noInput {
            if isRemote && isSigned { throw Fault(.temporary, "\(path) is not there, and trusted_key asks for it", remedy: "gaitway model sign \(name) --key KEY makes it.") }
            return nil
        }
    }

    private func file(_ name: String, limit: Int) async throws(Fault) -> [UInt8] {
        let source = source
        return try await Deadline.run(within: timeout, name) { () async throws(Fault) in try await source.model(named: name, limit: limit) }
    }
}
