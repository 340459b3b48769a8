internal import FoundationEssentials
public import Support
internal import Transport

/// What `awsconfiguration.json` says, the file of AWS's mobile SDKs; of its configurations the one called Default.
///
/// Beside AWS's own keys each service may have an `Endpoint`: the address of a server that speaks as it does.
public struct AWSConfiguration: Sendable, Equatable {
    /// The Cognito identity pool, region:uuid.
    public var identityPool: String?
    /// Its region.
    public var identityRegion: String?
    /// The S3 bucket.
    public var bucket: String?
    /// The bucket's region.
    public var storeRegion: String?
    /// The DynamoDB table's region.
    public var tableRegion: String?
    /// An address in place of Cognito's.
    public var identityEndpoint: String?
    /// An address in place of S3's.
    public var storeEndpoint: String?
    /// An address in place of DynamoDB's.
    public var tableEndpoint: String?
    /// Whether an endpoint may be plain HTTP beyond this machine.
    public var allowsHTTP = false

    /// With nothing set.
    public init() {}

    private struct File: Decodable {
        struct Sections<Section: Decodable>: Decodable { var Default: Section? }
        struct Provider: Decodable { var CognitoIdentity: Sections<Pool>? }
        struct Pool: Decodable { var PoolId: String?, Region: String?, Endpoint: String? }
        struct Store: Decodable {
            var Bucket: String?, Region: String?, Endpoint: String?, DangerouslyConnectToHTTPEndpointForTesting: Bool?
        }
        struct Mapper: Decodable { var Region: String?, Endpoint: String? }
        var CredentialsProvider: Provider?
        var S3TransferUtility: Sections<Store>?
        var DynamoDBObjectMapper: Sections<Mapper>?
    }

    /// - Throws: `.configuration` when it is not what it should be; those of ``Files/read(_:limit:)``.
    public init(file path: String) throws(Fault) {
        let bytes = try Files.read(path, limit: 1 << 20), file: File
        do {
            file = try JSONDecoder().decode(File.self, from: Data(bytes))
        } catch {
            throw Fault(
                .configuration, "\(path) is no awsconfiguration.json",
                remedy: "It is JSON with the sections CredentialsProvider, S3TransferUtility and DynamoDBObjectMapper.")
        }
        let pool = file.CredentialsProvider?.CognitoIdentity?.Default, store = file.S3TransferUtility?.Default,
            mapper = file.DynamoDBObjectMapper?.Default
        (identityPool, identityRegion, identityEndpoint) = (pool?.PoolId, pool?.Region, pool?.Endpoint)
        (bucket, storeRegion, storeEndpoint) = (store?.Bucket, store?.Region, store?.Endpoint)
        (tableRegion, tableEndpoint) = (mapper?.Region, mapper?.Endpoint)
        allowsHTTP = store?.DangerouslyConnectToHTTPEndpointForTesting ?? false
    }
}
