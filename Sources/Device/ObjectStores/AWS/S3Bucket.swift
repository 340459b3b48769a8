internal import Cryptography
internal import Support
internal import SystemPackage
internal import Transport
internal import Upload

/// One bucket: what Gaitway does with objects.
struct S3Bucket {
    let name: String
    let service: AWSService
    private let endpoint: Endpoint
    private let prefix: String

    /// - Parameter endpoint: nil for AWS's own; else a server where the bucket is the first part of the path.
    init(_ name: String, service: AWSService, endpoint: Endpoint?) {
        self.name = name
        self.service = service
        let aws = Endpoint.aws("s3", region: service.region)
        // Certificates cover one name in front, so no dots; host names know no capitals.
        let isHostName = name.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "-") }
        if let endpoint {
            (self.endpoint, prefix) = (endpoint, "/" + name)
        } else {
            (self.endpoint, prefix) = isHostName ? (aws.sub(name), "") : (aws, "/" + name)
        }
    }

    private func request(_ method: String, _ key: String, what: String) -> AWSService.Request {
        AWSService.Request(method: method, endpoint: endpoint, path: prefix + "/" + key, what: what)
    }

    /// Puts a file under a key where there is none yet.
    ///
    /// - Parameter digest: SHA-256 that the file had when it was written, in hexadecimal; the server refuses one that has changed since.
    ///   nil takes
    ///   it from the file.
    /// - Throws: `.taken` when something else is there. The very same file there is a success: an earlier attempt did arrive.
    func put(_ path: String, as key: String, type: String, digest: String? = nil, _ cancellation: Stop) throws(RemoteFailure) {
        let what = "storing \(key) in the bucket \(name)"
        let file: FileDescriptor, count: Int64, hash: String
        do {
            file = try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
            (count, hash) = if let digest { (try file.seek(offset: 0, from: .end), digest) } else { try Self.measure(file) }
        } catch {
            throw RemoteFailure(.refused, Fault(.noInput, "cannot read \(path): \(error)"))
        }
        defer { try? file.close() }
        var request = request("PUT", key, what: what)
        request.headers = [("Content-Type", type), ("If-None-Match", "*"), ("x-amz-meta-sha256", hash)]
        request.body = .file(file.rawValue, count: count)
        request.payloadHash = hash
        request.accepted = [412, 501]
        let status = try service.send(request, cancellation).status
        guard status == 412 || status == 501 else { return }
        // The board may not be allowed to look; then the name, which is this file's alone, has to do.
        var look = self.request("HEAD", key, what: what)
        look.accepted = [400, 401, 403, 404]
        let there = try service.send(look, cancellation)
        let same = there.headers["x-amz-meta-sha256"].map { $0 == hash } ?? (there.headers["content-length"] == "\(count)")
        if there.status == 200 && !same {
            throw RemoteFailure(
                .taken, Fault(.failure, "the bucket \(name) has another file called \(key)", remedy: "Give this one another name."))
        }
        // A server that knows no conditions, and has nothing there.
        if status == 501 && there.status != 200 {
            request.headers.removeAll { $0.name == "If-None-Match" }
            request.accepted = []
            _ = try service.send(request, cancellation)
        }
    }

    private static func measure(_ file: FileDescriptor) throws -> (Int64, String) {
        var digest = Digest(), count: Int64 = 0, buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let got = try unsafe buffer.withUnsafeMutableBytes { unsafe try file.read(fromAbsoluteOffset: count, into: $0) }
            if got == 0 { return (count, digest.text) }
            digest.update(buffer[..<got])
            count += Int64(got)
        }
    }

    /// - Throws: `.refused` with `.noInput` when there is no such object, with `.badData` when it is larger than `limit`.
    func get(_ key: String, limit: Int, _ cancellation: Stop) throws(RemoteFailure) -> [UInt8] {
        var request = request("GET", key, what: "fetching \(key) from the bucket \(name)")
        request.limit = limit
        return try service.download(request, limit: limit, cancellation).body
    }

    /// A part of an object, and how long the whole is.
    struct Part {
        var bytes: [UInt8]
        var whole: Int64
        /// Of this state of the object.
        var tag: String?
    }

    /// - Parameter tag: of the parts before, so that all are of one object.
    /// - Throws: `.refused` with `.noInput` when there is no such object, or another one by now; with `.badData` for an answer that is no
    ///   such part.
    func part(_ key: String, from start: Int64, count: Int, tag: String?, _ cancellation: Stop) throws(RemoteFailure) -> Part {
        var request = request("GET", key, what: "fetching \(key) from the bucket \(name)")
        request.headers = [("Range", "bytes=\(start)-\(start + Int64(count) - 1)")] + (tag.map { [("If-Match", $0)] } ?? [])
        request.limit = count
        let answer = try service.send(request, cancellation)
        let range = answer.headers["content-range"], whole = range?.split(separator: "/").last.flatMap { Int64($0) }
        guard answer.status == 206, let whole, range?.hasPrefix("bytes \(start)-") == true,
            Int64(answer.body.count) == min(Int64(count), whole - start)
        else {
            throw RemoteFailure(.refused, Fault(.badData, "\(request.what): the server gave another part than was asked for"))
        }
        return Part(bytes: answer.body, whole: whole, tag: answer.headers["etag"])
    }

    /// All keys that begin with `prefix`, page by page.
    func keys(prefix: String, _ cancellation: Stop) throws(RemoteFailure) -> [String] {
        var keys: [String] = [], token: String?
        repeat {
            // With the bucket in the host the path is "/", else "/bucket".
            var request = AWSService.Request(
                method: "GET", endpoint: endpoint, path: self.prefix.isEmpty ? "/" : self.prefix, what: "listing the bucket \(name)")
            request.query =
                [("list-type", "2"), ("encoding-type", "url"), ("prefix", prefix)] + (token.map { [("continuation-token", $0)] } ?? [])
            let page = try service.send(request, cancellation).body
            guard let isCut = XMLText.first("IsTruncated", in: page) else {
                throw RemoteFailure(.refused, Fault(.badData, "listing the bucket \(name): the server's answer is no list"))
            }
            keys += XMLText.all("Key", in: page).map(PercentEncoding.decoded)
            let next = isCut == "true" ? XMLText.first("NextContinuationToken", in: page) : nil
            guard isCut != "true" || (next != nil && next != token) else {
                throw RemoteFailure(.refused, Fault(.badData, "listing the bucket \(name): the server's list does not go on"))
            }
            token = next
        } while token != nil
        return keys
    }

    func delete(_ key: String, _ cancellation: Stop) throws(RemoteFailure) {
        _ = try service.send(request("DELETE", key, what: "deleting \(key) from the bucket \(name)"), cancellation)
    }
}
