internal import Support
internal import Upload
internal import Synchronization
internal import Transport

/// The way to a user's files in S3 and rows in DynamoDB, with SwiftyForesight's names.
///
/// ```swift
/// let cloudManager = CloudManager(identityID: "<pool>", userID: "<user>", writeBucket: "<bucket>", readBucket: "<bucket>")
/// ```
public final class CloudManager: Sendable {
    /// The table of metadata, for every manager. Set it before metadata is written or read.
    public static var tableName: String? {
        get { table.withLock { $0 } }
        set { table.withLock { $0 = newValue } }
    }
    private static let table: Mutex<String?> = Mutex(nil)

    /// What a bucket that is not there is called.
    public static let none = "N/A"

    /// The identity pool.
    public let identityID: String
    /// Whose data it is; names of files begin with it.
    public let userID: String
    public let writeBucket: String
    public let readBucket: String

    // A wrong configuration is said by the first call that needs it: the initialiser throws nothing.
    private let configured: Result<Services, Fault>

    struct Services {
        let store: AWSService
        let storeEndpoint: Endpoint?
        let table: JSONCall
    }

    /// - Parameters:
    ///   - identityID: a Cognito identity pool, "region:uuid".
    ///   - configuration: of `awsconfiguration.json`; nil reads that file in the current directory, where there is one.
    ///   - credentials: nil for an identity of the pool, or, without a pool, the environment's.
    ///   - stateDirectory: where the board's identity is kept; nil for ``Places/state``.
    ///   - bandwidth: bytes a second that are sent; 0 for as many as go.
    ///   - patience: seconds to wait for a connection, and for a transfer that has stalled.
    public init(
        identityID: String = CloudManager.none, userID: String, writeBucket: String = CloudManager.none, readBucket: String = CloudManager.none,
        configuration: AWSConfiguration? = nil, credentials: CredentialsSource? = nil, stateDirectory: String? = nil, bandwidth: Int = 0, patience: Int = 20
    ) {
        (self.identityID, self.userID, self.writeBucket, self.readBucket) = (identityID, userID, writeBucket, readBucket)
        configured = Result { () throws(Fault) in
            let path = "awsconfiguration.json"
            let settings = if let configuration { configuration } else { Files.exists(path) ? try AWSConfiguration(file: path) : AWSConfiguration() }
            let pool = identityID == Self.none || identityID.isEmpty ? settings.identityPool : identityID
            return try Services(
                settings, credentials: credentials ?? pool.map { .cognito(pool: $0) } ?? .environment, pool: pool, directory: stateDirectory ?? Places.state,
                client: HTTPClient(patience: patience, sendRate: bandwidth))
        }
    }

    func services() throws(RemoteFailure) -> Services {
        do throws(Fault) { return try configured.get() } catch { throw RemoteFailure(.blocked, error) }
    }

    func bucket(_ name: String) throws(RemoteFailure) -> S3Bucket {
        guard name != Self.none, !name.isEmpty else {
            throw RemoteFailure(.blocked, Fault(.configuration, "no bucket is set", remedy: "Give CloudManager a writeBucket and a readBucket, or set upload.bucket."))
        }
        let services = try services()
        return S3Bucket(name, service: services.store, endpoint: services.storeEndpoint)
    }

    func table() throws(RemoteFailure) -> DynamoTable {
        guard let name = Self.tableName, !name.isEmpty else {
            throw RemoteFailure(.blocked, Fault(.configuration, "no table of metadata is set", remedy: "Set CloudManager.tableName, or upload.table."))
        }
        return DynamoTable(name: name, call: try services().table)
    }
}

extension CloudManager.Services {
    init(_ settings: AWSConfiguration, credentials: CredentialsSource, pool: String?, directory: String, client: HTTPClient) throws(Fault) {
        func endpoint(_ text: String?) throws(Fault) -> Endpoint? { try text.map { text throws(Fault) in try Endpoint(text, allowsHTTP: settings.allowsHTTP) } }
        // A pool's name begins with its region.
        let poolRegion = pool.flatMap { $0.contains(":") ? String($0.prefix { $0 != ":" }) : nil }
        let region = settings.storeRegion ?? poolRegion ?? "us-east-1", tableRegion = settings.tableRegion ?? region, clock = ServerClock()
        var identity: CognitoIdentity?
        if case .cognito(let pool, let logins) = credentials {
            let region = settings.identityRegion ?? poolRegion ?? region
            identity = CognitoIdentity(
                pool: pool, logins: logins, endpoint: try endpoint(settings.identityEndpoint) ?? .aws("cognito-identity", region: region),
                service: AWSService("cognito-identity", region: region, client: client, clock: clock, keeper: nil), directory: directory)
        }
        let keeper = CredentialsKeeper(credentials, identity: identity)
        store = AWSService("s3", region: region, client: client, clock: clock, keeper: keeper)
        storeEndpoint = try endpoint(settings.storeEndpoint)
        table = JSONCall(
            service: AWSService("dynamodb", region: tableRegion, client: client, clock: clock, keeper: keeper),
            endpoint: try endpoint(settings.tableEndpoint) ?? .aws("dynamodb", region: tableRegion), type: "application/x-amz-json-1.0", target: "DynamoDB_20120810")
    }
}
