import Glibc
import Support
import Testing

@testable import ObjectStores

/// Requests that AWS's own signer signed (Tests/Vectors/sigv4_vectors.py). GAITWAY_SIGV4 names a larger file.
@Suite struct SigV4Tests {
    @Test func asAWSSigns() throws {
        let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let path = getenv("GAITWAY_SIGV4").map { String(cString: $0) } ?? "\(root)/Tests/Fixtures/sigv4/awscrt.tsv"
        let lines = String(decoding: try Files.read(path, limit: 64 << 20), as: UTF8.self).split(separator: "\n")
        #expect(lines.count >= 60)
        for line in lines {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            try #require(fields.count == 10)
            func pairs(_ text: String) -> [(name: String, value: String)] {
                text.split(separator: "\u{1f}").map { pair in
                    let parts = pair.split(separator: "\u{1e}", omittingEmptySubsequences: false)
                    return (String(parts[0]), String(parts.count > 1 ? parts[1] : ""))
                }
            }
            let request = SigV4.Request(
                method: fields[0], host: fields[1], path: fields[2], query: pairs(fields[3]), headers: pairs(fields[4]),
                payloadHash: fields[5])
            let credentials = Credentials(accessKey: "AKIDEX", secretKey: "sEcrEt/+=", sessionToken: fields[7].isEmpty ? nil : fields[7])
            let headers = SigV4(credentials: credentials, region: "us-west-2", service: fields[6]).headers(
                request, time: try #require(Int64(fields[8])))
            #expect(headers.last?.value == fields[9], "\(line)")
        }
    }
}
