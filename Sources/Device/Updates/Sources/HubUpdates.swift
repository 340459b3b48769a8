internal import HubProtocol
package import Fleet
package import ModelStore
package import Support

/// Models of the hub that this board is registered at.
package struct HubUpdates: UpdateSource {
    private let client: FleetClient
    private let model: String
    /// Of a download, seconds.
    private let timeout: Double
    package var isRemote: Bool { true }

    package init(_ client: FleetClient, model: String, timeout: Double) {
        (self.client, self.model, self.timeout) = (client, model, timeout)
    }

    package func offer(above version: Int) async throws(Fault) -> ModelOffer? {
        guard let update = try await client.update(of: model, current: "\(version)") else { return nil }
        guard let number = Int(update.newVersion), number >= 0 else {
            throw Fault(.badData, "\(client.hub) names a version \"\(update.newVersion)\", which is no whole number")
        }
        return ModelOffer(name: "\(model) \(number)", version: number, checksum: update.checksum, size: update.size)
    }

    package func fetch(_ offer: ModelOffer, limit: Int) async throws(Fault) -> (model: [UInt8], signature: [UInt8]?) {
        let version = "\(offer.version ?? 0)"
        let bytes = try await client.download(model, version: version, limit: min(limit, offer.size ?? limit), within: timeout)
        return (bytes, try await client.signature(of: model, version: version, within: timeout))
    }
}
