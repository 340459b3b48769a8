import Cryptography
import FoundationEssentials
import Glibc
import Support
import Testing
import Transport
import Upload

@testable import ObjectStores
@testable import SwiftyForesight

/// A server that verifies signatures, started and filled by Tests/Cloud/run.
private struct Live: Decodable {
    var endpoint: String, key: String, secret: String
    /// nil where the server knows S3 alone.
    var pool: String?

    static let server: Live? = getenv("GAITWAY_CLOUD_SERVER").flatMap {
        try? JSONDecoder().decode(Live.self, from: Data(String(cString: $0).utf8))
    }

    static func required() throws -> Live { try #require(server) }

    var credentials: Credentials { Credentials(accessKey: key, secretKey: secret) }

    func service(_ name: String = "s3", _ credentials: Credentials? = nil, clock: ServerClock = ServerClock()) -> AWSService {
        AWSService(
            name, region: "us-east-1", client: HTTPClient(patience: 10), clock: clock,
            keeper: CredentialsKeeper(.fixed(credentials ?? self.credentials), identity: nil))
    }

    func bucket(_ name: String, _ credentials: Credentials? = nil, clock: ServerClock = ServerClock()) throws(Fault) -> S3Bucket {
        S3Bucket(name, service: service("s3", credentials, clock: clock), endpoint: try Endpoint(endpoint))
    }

    func table(_ name: String) throws -> DynamoTable {
        let call = JSONCall(
            service: service("dynamodb"), endpoint: try Endpoint(endpoint), type: "application/x-amz-json-1.0", target: "DynamoDB_20120810")
        return DynamoTable(name: name, call: call)
    }

    func manager(user: String, bucket: String, _ source: CredentialsSource? = nil, state: String = "/tmp") -> CloudManager {
        var configuration = AWSConfiguration()
        (configuration.storeEndpoint, configuration.tableEndpoint, configuration.identityEndpoint) = (endpoint, endpoint, endpoint)
        return CloudManager(
            identityID: pool ?? CloudManager.none, userID: user, writeBucket: bucket, readBucket: bucket, configuration: configuration,
            credentials: source ?? .fixed(credentials), stateDirectory: state, patience: 10)
    }

    /// The next requests that `match` fail so.
    func inject(_ fault: String) throws {
        _ = try HTTPClient().sendAndWait(HTTPRequest(method: "POST", url: "\(endpoint)/_fault", body: .bytes(Array(fault.utf8))))
    }
}

private let flag = Stop()

private func failure(_ body: () throws -> Void) -> RemoteFailure? {
    do { try body() } catch { return error as? RemoteFailure }
    return nil
}

private func file(_ bytes: [UInt8], _ name: String = "file") throws -> String {
    var template = Array("/tmp/gaitway-live-XXXXXX".utf8CString)
    let path = String(cString: try #require(mkdtemp(&template))) + "/" + name
    try Files.write(bytes, to: path)
    return path
}

private let oddKeys = [
    "sp ace.csv", "plus+sign.csv", "uni/日本語-é.csv", "tilde~.csv", "paren(1)'!*.csv", "a&b=c?d#e.csv",
    "pct%41.csv", "colon:semi;comma,.csv",
    "at@dollar$.csv", "user_20260101000000_data.csv",
]

@Suite(.serialized, .enabled(if: Live.server != nil, "Tests/Cloud/run starts the server")) struct LiveServerTests {
    @Test func putGetDelete() throws {
        let bucket = try Live.required().bucket("swift"), bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try bucket.put(try file(bytes), as: "a.csv", type: "text/csv", flag)
        #expect(try bucket.get("a.csv", limit: 300_000, flag) == bytes)
        #expect(failure { _ = try bucket.get("a.csv", limit: 299_999, flag) }?.fault.code == .badData)
        #expect(failure { _ = try bucket.get("nope", limit: 10, flag) }?.fault.code == .noInput)
        try bucket.delete("a.csv", flag)
        #expect(failure { _ = try bucket.get("a.csv", limit: 300_000, flag) }?.kind == .refused)
        #expect(failure { _ = try Live.required().bucket("no-such-bucket").get("a", limit: 10, flag) }?.kind == .blocked)
        try bucket.put(try file([]), as: "empty.csv", type: "text/csv", flag)
        #expect(try bucket.get("empty.csv", limit: 0, flag) == [])
    }

    @Test func oddKeysBothWays() throws {
        let ours = try Live.required().bucket("swift"), boto = try Live.required().bucket("boto")
        for key in oddKeys {
            try ours.put(try file(Array("swift: \(key)".utf8)), as: "odd/" + key, type: "text/csv", flag)
            #expect(try ours.get("odd/" + key, limit: 1000, flag) == Array("swift: \(key)".utf8), "\(key)")
            // Tests/Cloud/prepare.py wrote these.
            #expect(try boto.get(key, limit: 1000, flag) == Array("boto: \(key)".utf8), "\(key)")
            #expect(try boto.keys(prefix: String(key.prefix(4)), flag).contains(key), "\(key)")
        }
        #expect(Set(try ours.keys(prefix: "odd/", flag)) == Set(oddKeys.map { "odd/" + $0 }))
        for key in oddKeys.dropFirst(5) { try ours.delete("odd/" + key, flag) }
        #expect(Set(try ours.keys(prefix: "odd/", flag)) == Set(oddKeys.prefix(5).map { "odd/" + $0 }))
    }

    @Test func moreKeysThanAPage() throws {
        let keys = try Live.required().bucket("many").keys(prefix: "", flag)
        #expect(keys.count == 1100 && Set(keys).count == 1100)
    }

    @Test func theSameFileTwiceIsASuccessAnotherOneNot() throws {
        let bucket = try Live.required().bucket("swift"), path = try file(Array("one".utf8))
        try bucket.put(path, as: "twice.csv", type: "text/csv", flag)
        try bucket.put(path, as: "twice.csv", type: "text/csv", flag)
        #expect(failure { try bucket.put(try file(Array("two".utf8)), as: "twice.csv", type: "text/csv", flag) }?.kind == .taken)
        #expect(try bucket.get("twice.csv", limit: 10, flag) == Array("one".utf8))
    }

    @Test func wrongCredentials() throws {
        let live = try Live.required()
        var wrong = [Credentials(accessKey: live.key, secretKey: "nope"), Credentials(accessKey: "AKIDNOPE", secretKey: live.secret)]
        // radosgw calls a token that it does not know an invalid argument.
        if live.pool != nil { wrong.append(Credentials(accessKey: live.key, secretKey: live.secret, sessionToken: "t")) }
        for wrong in wrong {
            let found = failure { _ = try live.bucket("swift", wrong).keys(prefix: "", flag) }
            #expect(found?.kind == .blocked && found?.fault.code == .permission, "\(String(describing: found))")
        }
    }

    @Test func aFileThatChangedSinceItWasWritten() throws {
        let bucket = try Live.required().bucket("swift"), path = try file(Array("whole".utf8))
        #expect(
            failure { try bucket.put(path, as: "changed.csv", type: "text/csv", digest: Digest.text(Array("other".utf8)), flag) }?.kind
                == .refused)
        try bucket.put(path, as: "changed.csv", type: "text/csv", digest: Digest.text(Array("whole".utf8)), flag)
    }

    @Test(arguments: [-1200, 1200, 500_000_000, -500_000_000] as [Int64]) func aClockThatIsOff(_ seconds: Int64) throws {
        let clock = ServerClock(offset: seconds), bucket = try Live.required().bucket("swift", clock: clock)
        #expect(try !bucket.keys(prefix: "", flag).isEmpty)
        #expect(abs(clock.now - ServerClock().now) < 60)
    }
}

@Suite(.serialized, .enabled(if: Live.server?.pool != nil, "Tests/Cloud/run starts moto")) struct LiveServerFaultTests {
    @Test(arguments: [
        "{\"n\":2,\"status\":503,\"code\":\"SlowDown\",\"match\":\"PUT /swift/fault-\"}",
        "{\"n\":1,\"status\":500,\"match\":\"PUT /swift/fault-\"}", "{\"n\":2,\"drop\":true,\"match\":\"PUT /swift/fault-\"}",
    ])
    func serversThatFailForAWhile(_ fault: String) throws {
        let live = try Live.required(), bucket = try live.bucket("swift"), key = "fault-\(fault.count).csv",
            bytes = [UInt8](repeating: 65, count: 3_000_000)
        try live.inject(fault)
        try bucket.put(try file(bytes), as: key, type: "text/csv", flag)
        #expect(try bucket.get(key, limit: bytes.count, flag) == bytes)
    }

    @Test func aServerThatGoesOnFailing() throws {
        let live = try Live.required(), bucket = try live.bucket("swift")
        try live.inject("{\"n\":3,\"status\":503,\"code\":\"SlowDown\",\"match\":\"DELETE /swift/never\"}")
        #expect(failure { try bucket.delete("never.csv", flag) }?.kind == .temporary(retryAfter: nil))
        try bucket.delete("never.csv", flag)
    }

    @Test func anIdentityIsKeptAndItsCredentialsRenewed() throws {
        let live = try Live.required(), state = try file([], "x").replacing("/x", with: ""), pool = try #require(live.pool)
        let manager = live.manager(user: "cog", bucket: "swift", .cognito(pool: pool), state: state)
        for round in 0..<3 {
            try manager.store(file: try file([UInt8(round)]), as: "cog_\(round).csv", flag)
            if round < 2 { Pause.milliseconds(2500) } // credentials live for two seconds here
        }
        let kept = try #require(try Files.list(state).first { $0.hasPrefix("identity-") })
        let identity = try Files.read("\(state)/\(kept)", limit: 1000)
        #expect(try Files.isPrivate("\(state)/\(kept)"))
        // Another start is the same identity.
        try live.manager(user: "cog", bucket: "swift", .cognito(pool: pool), state: state).store(file: try file([9]), as: "cog_9.csv", flag)
        #expect(try Files.read("\(state)/\(kept)", limit: 1000) == identity)
        #expect(
            failure {
                try live.manager(
                    user: "cog", bucket: "swift", .cognito(pool: "us-east-1:00000000-0000-0000-0000-000000000000"), state: state
                ).store(file: try file([]), as: "cog_x", flag)
            }?.kind == .blocked)
    }

    @Test func credentialsThatEnded() throws {
        let live = try Live.required(), state = try file([], "x").replacing("/x", with: "")
        let endpoint = try Endpoint(live.endpoint),
            unsigned = AWSService("cognito-identity", region: "us-east-1", client: HTTPClient(), clock: ServerClock(), keeper: nil)
        let found = try CognitoIdentity(pool: try #require(live.pool), logins: [:], endpoint: endpoint, service: unsigned, directory: state)
            .credentials(flag)
        let bucket = try live.bucket("swift", found)
        try bucket.put(try file([1]), as: "ended.csv", type: "text/csv", flag)
        Pause.milliseconds(2500)
        let ended = failure { try bucket.put(try file([2]), as: "ended2.csv", type: "text/csv", flag) }
        #expect(ended?.kind == .blocked && ended?.fault.message.contains("Expired") == true, "\(String(describing: ended))")
    }

    @Test func rowsOfMetadata() async throws {
        let live = try Live.required(), manager = live.manager(user: "row1", bucket: "swift"),
            other = live.manager(user: "row10", bucket: "swift")
        CloudManager.tableName = "rows"
        for (manager, date) in [
            (manager, "20260101000000"), (manager, "20260102000000"), (manager, "20270101000000"), (other, "20260101000000"),
        ] {
            try manager.store(metadata: [Keys.hash: manager.userID, Keys.range: date, Keys.m0: "é & \"\(date)\"", Keys.m9: "nine"], flag)
        }
        // A row is written as a whole, and again without harm.
        try manager.store(metadata: [Keys.hash: "row1", Keys.range: "20260102000000", Keys.m1: "one"], flag)
        let rows = try manager.metadata(from: "20260101000000", to: "20261231235959", flag)
        #expect(
            rows == [
                [Keys.hash: "row1", Keys.range: "20260101000000", Keys.m0: "é & \"20260101000000\"", Keys.m9: "nine"],
                [Keys.hash: "row1", Keys.range: "20260102000000", Keys.m1: "one"],
            ])
        #expect(
            failure {
                try manager.store(metadata: [Keys.hash: "row1", Keys.range: "x", Keys.m0: String(repeating: "x", count: 500_000)], flag)
            }?.kind == .refused)
        // boto3's, one of them as SwiftyForesight 1.1.1 leaves it, on several pages.
        let boto = try live.manager(user: "boto", bucket: "swift").metadata(from: "20200101000000", to: "20300101000000", flag)
        #expect(
            boto.count == 12 && boto.allSatisfy { $0[Keys.m0]?.utf8.count ?? 0 > 100_000 && $0[Keys.m1] == nil && $0[Keys.m2] == "two" })
        #expect(try await live.manager(user: "gone", bucket: "swift").removeAllUserMetadata() as Int == 3)
        #expect(
            try live.table("rows").rows(user: "gone", dates: nil, flag).isEmpty
                && live.table("rows").rows(user: "gone2", dates: nil, flag).count == 1)
        CloudManager.tableName = "no-such-table"
        #expect(failure { try manager.store(metadata: [Keys.hash: "row1", Keys.range: "x"], flag) }?.kind == .blocked)
        CloudManager.tableName = nil
        #expect(failure { try manager.store(metadata: [Keys.hash: "row1", Keys.range: "x"], flag) }?.fault.code == .configuration)
    }
}

@Suite(.serialized, .enabled(if: Live.server != nil, "Tests/Cloud/run starts the server")) struct LiveServerManagerTests {
    @Test func aUsersFilesGoAndOthersStay() async throws {
        let live = try Live.required(), bucket = try live.bucket("users")
        let keys = try await live.manager(user: "user1", bucket: "users").removeAllUserFiles() as [String]
        #expect(keys.count == 1003)
        #expect(
            Set(try bucket.keys(prefix: "", flag)) == ["user10_20260101000000_data.csv", "user1_a_20260101000000_data.csv", "other.csv"])
    }

    @Test func libraDataAndModels() async throws {
        let live = try Live.required(), manager = live.manager(user: "libra", bucket: "swift")
        let directory = try file([], "x").replacing("/x", with: "")
        let data = LibraData(
            hasTimestamp: true, featureVectors: 1, labelVectorLength: 2, withManager: manager, documents: URL(filePath: directory))
        data.addFeatures([[1, 2], [0.5, -0.25]])
        data.addLabels([[0, 1], [1, 0]])
        let (bytes, url) = try await data.formatData(saveFileName: "libra_swift.csv")
        try await data.uploadDataToRemote(fromLocalFile: url)
        #expect(!Files.exists(url.path))
        #expect(try await manager.model(named: "libra_swift.csv", limit: 1000) == Array(bytes))
        try await manager.downloadFile(withRemoteFilename: "libra_swift.csv", toLocalPath: url)
        await #expect(throws: Fault.self) { try await manager.downloadFile(withRemoteFilename: "libra_swift.csv", toLocalPath: url) }
        await #expect(throws: Fault.self) { _ = try await manager.model(named: "nope", limit: 10) }
        let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        try await manager.uploadFile(
            fromLocalPath: URL(filePath: "\(root)/Tests/Fixtures/coreml/relu.mlmodel"), toRemoteFilename: "libra_model0.mlmodel")
        let model = FeedforwardModel(numInputFeatures: 5, localFilepath: "\(directory)/model.mlmodel", withManager: manager)
        try await model.fetchFromRemote(withRemoteFilename: "libra_model0.mlmodel")
        #expect(try model.predict(forInputs: [1, 1, 1, 1, 1]).count == 3)
        await #expect(throws: Fault.self) {
            try await CloudManager(userID: "u", configuration: AWSConfiguration()).uploadFile(fromLocalPath: url)
        }
    }
}
