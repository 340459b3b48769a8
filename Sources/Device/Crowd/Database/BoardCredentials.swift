package import Fleet
package import Support

/// A board's registration as its account in the crowd, at the hub where it is registered.
package struct BoardCredentials: CrowdCredentials {
    let client: FleetClient
    let uid: String

    package func session(renewing: Bool) throws(Fault) -> (uid: String, token: String) {
        let client = client
        return (uid, try Awaited.value { () async throws(Fault) in try await client.accessToken(renewing: renewing) })
    }

    /// The crowd of the board's hub, or another one that takes its tokens.
    ///
    /// - Throws: `.configuration` where the board is not registered.
    package static func database(
        _ client: FleetClient?, _ address: String?, allowsHTTP: Bool = false, stop: Stop
    ) throws(Fault) -> CrowdDatabase {
        guard let client, let known = client.registration else {
            throw Fault(
                .configuration, "this board is not registered, and nobody is to be signed in",
                remedy: "gaitway register --hub URL --token T; or, for gaitway crowd, --database URL --email ADDRESS --password-file FILE")
        }
        return try CrowdDatabase(
            address ?? known.hub + "/crowd", BoardCredentials(client: client, uid: known.deviceId),
            allowsHTTP: allowsHTTP || known.allowsHTTP, cancellation: stop)
    }
}
