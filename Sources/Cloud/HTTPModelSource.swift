internal import CCurl
public import Models
public import Support

/// Models below an HTTP or HTTPS address: BASE/NAME.
public struct HTTPModelSource: ModelSource {
    public let base: String
    /// Seconds to wait for a connection, and for an answer that has stalled.
    public let patience: Int

    /// Errors: `.usage` when the address is neither http:// nor https://.
    public init(_ base: String, patience: Int = 20) throws(Fault) {
        guard base.hasPrefix("http://") || base.hasPrefix("https://"), base.utf8.allSatisfy({ (33..<127).contains($0) }) else {
            throw Fault(.usage, "\"\(base)\" is no address", remedy: "Write it as https://host/path.")
        }
        self.base = base.last == "/" ? String(base.dropLast()) : base
        self.patience = patience
    }

    /// Errors: `.noInput` when the server has no such model, `.badData` when it is larger than `limit`, `.failure` when the server
    /// cannot be reached, answers with an error or breaks off; a cancelled task ends the download.
    public func model(named name: String, limit: Int) async throws(Fault) -> [UInt8] {
        let address = base + "/" + Self.escaped(name), patience = patience
        let cancellation = Flag()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<[UInt8], Fault>, Never>) in
                // libcurl blocks: a thread of its own, not one of the pool.
                Worker.start { continuation.resume(returning: Download.run(address, limit: limit, patience: patience, cancellation)) }
            }
        } onCancel: {
            cancellation.raise()
        }
        return try result.get()
    }

    // Letters, digits and "-._~/" as they are, all else in hexadecimal.
    private static func escaped(_ name: String) -> String {
        name.utf8.map { byte in
            let letter = UnicodeScalar(byte)
            if letter.isASCII, letter.properties.isAlphabetic || (48..<58).contains(byte) || "-._~/".unicodeScalars.contains(letter) { return String(letter) }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.count < 2 ? "0" : "") + digits
        }.joined()
    }
}
