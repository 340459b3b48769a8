internal import Cryptography
package import ModelStore
internal import NeuralNetwork
internal import ObjectStores
package import Settings
package import Support
internal import Synchronization
internal import Upload

/// A model at one address, looked at again and again: https://HOST/FILE, s3://BUCKET/KEY, or a file. FILE.sig is its signature.
package final class AddressUpdates: UpdateSource {
    private let source: any ModelSource
    private let name: String
    package let isRemote: Bool
    // Of a download, seconds.
    private let timeout: Double
    private let isSigned: Bool
    // Between looking at it and taking it.
    private let looked: Mutex<[UInt8]> = Mutex([])

    /// - Throws: `.usage` for what is no address, `.configuration` for a bucket without credentials.
    package init(_ address: String, _ settings: Settings) throws(Fault) {
        timeout = Double(settings.updates.timeout)
        isSigned = settings.trustedKey != nil
        let cut = address.lastIndex(of: "/")
        if address.hasPrefix("s3://") {
            let parts = address.dropFirst(5).split(separator: "/", maxSplits: 1)
            guard parts.count == 2 else { throw Fault(.usage, "\"\(address)\" is no s3://BUCKET/KEY") }
            let store = try AWSStore(settings, try UploadPlan(settings), bucket: String(parts[0]))
            (source, name, isRemote) = (BucketModelSource(store), String(parts[1]), true)
        } else if address.contains("://"), let cut {
            (source, name, isRemote) = (try HTTPModelSource(String(address[..<cut])), String(address[address.index(after: cut)...]), true)
        } else {
            let directory = cut.map { String(address[..<$0]) } ?? "."
            (source, name, isRemote) = (
                DirectoryModelSource(directory.isEmpty ? "/" : directory),
                cut.map { String(address[address.index(after: $0)...]) } ?? address, false
            )
        }
    }

    /// The only way to see whether it is new is to fetch it.
    package func offer(above version: Int) async throws(Fault) -> ModelOffer? {
        let bytes: [UInt8]
        do throws(Fault) { bytes = try await file(name, limit: NetworkFile.sizeLimit) } catch  where error.code == .noInput && !isRemote {
            return nil
        }
        looked.withLock { $0 = bytes }
        return ModelOffer(name: name, checksum: Digest.text(bytes), size: bytes.count)
    }

    package func model(of offer: ModelOffer, limit: Int) async throws(Fault) -> [UInt8] {
        let kept = looked.withLock { looked in
            defer { looked = [] }
            return looked
        }
        return kept.isEmpty ? try await file(name, limit: limit) : kept
    }

    /// - Throws: `.temporary` also where another machine has no signature and one is wanted: it may be on its way, behind the file.
    package func signature(of offer: ModelOffer) async throws(Fault) -> [UInt8]? {
        let path = ModelSignature.path(of: name)
        do throws(Fault) {
            return try await file(path, limit: ModelSignature.sizeLimit)
        } catch  where error.code == .noInput {
            if isRemote && isSigned {
                throw Fault(
                    .temporary, "\(path) is not there, and trusted_key asks for it",
                    remedy: "gaitway model sign \(name) --key KEY makes it.")
            }
            return nil
        }
    }

    private func file(_ name: String, limit: Int) async throws(Fault) -> [UInt8] {
        let source = source
        return try await Deadline.run(within: timeout, name) { () async throws(Fault) in try await source.model(named: name, limit: limit) }
    }
}
