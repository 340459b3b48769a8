import Cryptography
import FoundationEssentials
import Glibc
import Support
import Testing
import Transport
import Upload

@testable import ObjectStores

private func temporaryFile(_ text: String, mode: mode_t = 0o600) throws -> String {
    var template = Array("/tmp/gaitway-cloud-XXXXXX".utf8CString)
    close(mkstemp(&template))
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    try Files.write(Array(text.utf8), to: path)
    chmod(path, mode)
    return path
}

@Suite struct PartsTests {
    @Test func whoseFileItIs() {
        for key in ["user1_20260101000000_data.csv", "user1_mine.csv", "user1_20260101000000_data.2.csv", "user1_a_b.csv"] {
            #expect(AWSStore.belongs(key, to: "user1"), "\(key)")
        }
        for key in [
            "user10_20260101000000_data.csv", "user1", "user1.csv", "user1_a_20260101000000_data.csv", "xuser1_20260101000000_data.csv",
        ] { #expect(!AWSStore.belongs(key, to: "user1"), "\(key)") }
    }

    @Test func xml() {
        let document = Array("<R><Key>a&amp;b&lt;&#x41;&#66;&bogus;</Key><Key></Key><Key>c".utf8)
        #expect(XMLText.all("Key", in: document) == ["a&b<AB&bogus;", ""])
        #expect(XMLText.first("Code", in: document) == nil)
    }

    @Test(arguments: ["sp ace", "plus+", "uni/日本語-é", "%41", "a&b=c?d#e", "@:;,()'!*~"]) func percents(_ text: String) {
        #expect(PercentEncoding.decoded(PercentEncoding.path(text)) == text)
        #expect(PercentEncoding.path(text).utf8.allSatisfy { $0 < 128 && $0 > 32 })
    }

    @Test func metadataThatNoTableTakes() throws {
        let row = [RowKey.user: "u", RowKey.date: "20260101000000"]
        try DynamoTable.check(row)
        try DynamoTable.check(row.merging([RowKey.field(3): String(repeating: "x", count: 400_000)]) { $1 })
        for name in ["_customAttr", "_left_wrist2"] { try DynamoTable.check(row.merging([name: "x"]) { $1 }) }
        for (wrong, word) in [
            (row.merging(["_a b": "x"]) { $1 }, "_a b"), (row.merging(["_": "x"]) { $1 }, "field _"),
            (row.merging(["_" + String(repeating: "a", count: 60): "x"]) { $1 }, "_aaa"), ([:], "no metadata"),
            ([RowKey.user: "u"], "_eventDate"), (row.merging(["m0": "x"]) { $1 }, "m0"),
            (row.merging([RowKey.user: String(repeating: "x", count: 2049)]) { $1 }, "2049"),
            (row.merging([RowKey.field(3): String(repeating: "x", count: 410_000)]) { $1 }, "_m3"),
        ] as [([String: String], String)] {
            do throws(Fault) {
                try DynamoTable.check(wrong)
                Issue.record("no fault for \(word)")
            } catch {
                #expect(error.message.contains(word), "\(error)")
            }
        }
    }

    @Test func awsconfiguration() throws {
        let path = try temporaryFile(
            """
            {"Version":"1.0","IdentityManager":{"Default":{}},
             "CredentialsProvider":{"CognitoIdentity":{"Default":{"PoolId":"eu-west-1:p","Region":"eu-west-1"}}},
             "S3TransferUtility":{"Default":{"Bucket":"b","Region":"eu-central-1","Endpoint":"https://s"}},
             "DynamoDBObjectMapper":{"Default":{"Region":"us-west-2"}}}
            """)
        let found = try AWSConfiguration(file: path)
        #expect(
            (found.identityPool, found.identityRegion, found.bucket, found.storeRegion) == ("eu-west-1:p", "eu-west-1", "b", "eu-central-1")
        )
        #expect((found.storeEndpoint, found.tableRegion, found.allowsHTTP) == ("https://s", "us-west-2", false))
        #expect(try AWSConfiguration(file: try temporaryFile("{}")) == AWSConfiguration())
        for bad in ["", "[]", "{\"S3TransferUtility\":5}", "{\"S3TransferUtility\":{\"Default\":{\"Bucket\":"] {
            #expect(throws: Fault.self) { try AWSConfiguration(file: try temporaryFile(bad)) }
        }
    }

    @Test func credentialsFiles() throws {
        let text = "[other]\naws_access_key_id = X\n[default]\n# a comment\naws_access_key_id = AK\naws_secret_access_key=s+/=\n"
        let found = try Credentials(file: try temporaryFile(text))
        #expect((found.accessKey, found.secretKey, found.sessionToken) == ("AK", "s+/=", nil))
        #expect(!"\(found)".contains("s+/="))
        #expect(throws: Fault.self) { try Credentials(file: try temporaryFile(text, mode: 0o644)) }
        #expect(throws: Fault.self) { try Credentials(file: try temporaryFile(text), profile: "other") }
    }

    @Test func boardsHaveNames() throws {
        let name = try BoardName.of(machineID: try temporaryFile("0123456789abcdef0123456789abcdef\n"))
        #expect(name.hasPrefix("board-") && name.utf8.count == 18 && !name.contains("0123"))
        #expect(throws: Fault.self) { try BoardName.of(machineID: "/no/such/id") }
    }

    @Test func bucketsInHostAndPath() throws {
        let service = AWSService("s3", region: "eu-west-1", client: HTTPClient(), clock: ServerClock(), keeper: nil)
        // Nothing is reached: the message tells where it would have gone.
        #expect(Endpoint.aws("s3", region: "eu-west-1").sub("b").host == "b.s3.eu-west-1.amazonaws.com")
        #expect(Endpoint.aws("dynamodb", region: "cn-north-1").host == "dynamodb.cn-north-1.amazonaws.com.cn")
        #expect(S3Bucket("b", service: service, endpoint: nil).name == "b")
    }
}
