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
    // What was there when it was looked at last: the same is nothing new.
    private let last: Mutex<(checksum: String, bytes: [UInt8])?> = Mutex(nil)

    /// Errors: `.usage` for what is no address, `.configuration` for a bucket without credentials.
    init(_ address: String, _ configuration: Configuration) throws(Fault) {
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
        do throws(Fault) { bytes = try await source.model(named: name, limit: NetworkFile.sizeLimit) } catch where error.code == .noInput && !isRemote { return nil }
        let checksum = Digest.text(bytes)
        let isNew = last.withLock { last in
            defer { last = (checksum, bytes) }
            return last?.checksum != checksum
        }
        return isNew ? ModelOffer(name: name, checksum: checksum, size: bytes.count) : nil
    }

    func fetch(_ offer: ModelOffer, limit: Int, within seconds: Double) async throws(Fault) -> (model: [UInt8], signature: [UInt8]?) {
        let kept = last.withLock { last in
            defer { last?.bytes = [] }
            return last?.bytes ?? []
        }
        let bytes = kept.isEmpty ? try await source.model(named: name, limit: limit) : kept
        do throws(Fault) {
            return (bytes, try await source.model(named: ModelSignature.path(of: name), limit: ModelSignature.sizeLimit))
        } catch where error.code == .noInput {
            return (bytes, nil)
        }
    }
}
