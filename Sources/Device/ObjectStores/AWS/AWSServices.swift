package import Support
internal import Transport
internal import Upload

/// The services of AWS, or of servers that speak as they do, that one user's data goes to; with one clock and one set of credentials.
package struct AWSServices: Sendable {
    let store: AWSService
    let storeEndpoint: Endpoint?
    let table: JSONCall

    /// - Parameters:
    ///   - pool: a Cognito identity pool, "region:uuid"; nil for none.
    ///   - credentials: nil for an identity of the pool, or, without a pool, the environment's.
    ///   - directory: where the board's identity is kept.
    ///   - bandwidth: bytes a second that are sent; 0 for as many as go.
    ///   - patience: seconds to wait for a connection, and for a transfer that has stalled.
    /// - Throws: `.configuration` for what is no address.
    package init(
        _ configuration: AWSConfiguration, pool: String?, credentials: CredentialsSource?, directory: String, bandwidth: Int = 0,
        patience: Int = 20
    ) throws(Fault) {
        func endpoint(_ text: String?) throws(Fault) -> Endpoint? {
            try text.map { text throws(Fault) in try Endpoint(text, allowsHTTP: configuration.allowsHTTP) }
        }
        let pool = pool ?? configuration.identityPool, client = HTTPClient(patience: patience, sendRate: bandwidth)
        let source = credentials ?? pool.map { .cognito(pool: $0) } ?? .environment
        // A pool's name begins with its region.
        let poolRegion = pool.flatMap { $0.contains(":") ? String($0.prefix { $0 != ":" }) : nil }
        let region = configuration.storeRegion ?? poolRegion ?? "us-east-1", tableRegion = configuration.tableRegion ?? region,
            clock = ServerClock()
        var identity: CognitoIdentity?
        if case .cognito(let pool, let logins) = source {
            let region = configuration.identityRegion ?? poolRegion ?? region
            identity = CognitoIdentity(
                pool: pool, logins: logins,
                endpoint: try endpoint(configuration.identityEndpoint) ?? .aws("cognito-identity", region: region),
                service: AWSService("cognito-identity", region: region, client: client, clock: clock, keeper: nil), directory: directory)
        }
        let keeper = CredentialsKeeper(source, identity: identity)
        store = AWSService("s3", region: region, client: client, clock: clock, keeper: keeper)
        storeEndpoint = try endpoint(configuration.storeEndpoint)
        table = JSONCall(
            service: AWSService("dynamodb", region: tableRegion, client: client, clock: clock, keeper: keeper),
            endpoint: try endpoint(configuration.tableEndpoint) ?? .aws("dynamodb", region: tableRegion),
            type: "application/x-amz-json-1.0", target: "DynamoDB_20120810")
    }

    func bucket(_ name: String) -> S3Bucket { S3Bucket(name, service: store, endpoint: storeEndpoint) }
}
