internal import HubProtocol
package import Fleet
package import ModelStore
package import Support

/// Models of the hub that this board is registered at.
package struct HubUpdates: UpdateSource {
    private let client: FleetClient
    private let model: String
    private let format: String
    /// Of a download, seconds.
    private let timeout: Double
    package var isRemote: Bool { true }

    package init(_ client: FleetClient, model: String, format: String = UploadedFile.gaitways, timeout: Double) {
        (self.client, self.model, self.format, self.timeout) = (client, model, format, timeout)
    }

    package func offer(above version: Int) async throws(Fault) -> ModelOffer? {
        guard let update = try await client.update(of: model, current: "\(version)", format: format) else { return nil }
        guard let number = Int(update.newVersion), number >= 0 else {
            throw Fault(.badData, "\(client.hub) names a version \"\(update.newVersion)\", which is no whole number")
        }
        return ModelOffer(name: "\(model) \(number)", version: number, checksum: update.checksum, size: update.size, model: model)
    }

    package func signature(of offer: ModelOffer) async throws(Fault) -> [UInt8]? {
        try await client.signature(of: model, version: "\(offer.version ?? 0)", within: timeout)
    }

    package func model(of offer: ModelOffer, limit: Int) async throws(Fault) -> [UInt8] {
        try await client.download(model, version: "\(offer.version ?? 0)", limit: min(limit, offer.size ?? limit), within: timeout)
    }
}
