package import Support
internal import SystemPackage
internal import Upload

/// Files of any size below a prefix of a bucket, as `s3://BUCKET/PREFIX`.
package struct BucketFolder: Sendable {
    /// `s3://BUCKET/PREFIX`.
    package let place: String
    private let bucket: S3Bucket, prefix: String
    // Of one request.
    private static let partSize = 8 << 20
    private static let scheme = "s3://"

    package static func isOne(_ address: String) -> Bool { address.hasPrefix(scheme) }

    /// - Throws: `.usage` for what is no such address.
    package init(_ address: String, _ services: AWSServices) throws(Fault) {
        let parts = address.dropFirst(Self.scheme.count).split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let inner = parts.dropFirst().last == "" ? parts.dropFirst().dropLast() : parts.dropFirst()
        guard Self.isOne(address), let name = parts.first, !name.isEmpty, !inner.contains(where: { ["", ".", ".."].contains($0) }) else {
            throw Fault(.usage, "\"\(address)\" names no bucket", remedy: "Write it as s3://BUCKET or s3://BUCKET/PREFIX.")
        }
        bucket = services.bucket(name)
        prefix = inner.map { $0 + "/" }.joined()
        place = ([Self.scheme + name] + inner).joined(separator: "/")
    }

    /// Of the files right below the prefix.
    ///
    /// - Throws: `.temporary` where the server does not answer, `.permission` where it refuses.
    package func names() throws(Fault) -> [String] {
        try remote { stop throws(RemoteFailure) in
            try bucket.keys(prefix: prefix, stop).map { String($0.dropFirst(prefix.count)) }.filter { !$0.contains("/") }
        }
    }

    /// Puts a file there, whole or not at all. A name that another file has is a failure.
    package func put(_ path: String, as name: String) throws(Fault) {
        try remote { stop throws(RemoteFailure) in try bucket.put(path, as: prefix + name, type: "application/octet-stream", stop) }
    }

    package func remove(_ name: String) throws(Fault) {
        try remote { stop throws(RemoteFailure) in try bucket.delete(prefix + name, stop) }
    }

    /// Fetches a file part by part, for its owner alone. What was begun is removed where it fails.
    ///
    /// - Throws: also those of the disk.
    package func fetch(_ name: String, to path: String) throws(Fault) {
        if Files.exists(path) { try Files.remove(path) }
        do {
            let file = try FileDescriptor.open(
                FilePath(path), .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec], permissions: [.ownerReadWrite])
            defer { try? file.close() }
            var taken: Int64 = 0, tag: String?
            while true {
                let part = try remote { [taken, tag] stop throws(RemoteFailure) in
                    try bucket.part(prefix + name, from: taken, count: Self.partSize, tag: tag, stop)
                }
                try file.writeAll(part.bytes)
                taken += Int64(part.bytes.count)
                tag = tag ?? part.tag
                if taken >= part.whole { break }
            }
        } catch {
            try? Files.remove(path)
            throw error as? Fault ?? Fault(.failure, "cannot write \(path): \(error)")
        }
    }

    private func remote<Value>(_ body: (Stop) throws(RemoteFailure) -> Value) throws(Fault) -> Value {
        do throws(RemoteFailure) { return try body(Stop()) } catch { throw error.fault }
    }
}
