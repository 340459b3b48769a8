import ArgumentParser
import HubStore
import ObjectStores
import Support

/// How a bucket is reached.
struct BucketOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Region of the bucket.", valueName: "name")) var region: String?
    @Option(help: ArgumentHelp("Another server than AWS: https://HOST.", valueName: "url")) var endpoint: String?
    @Option(
        help: ArgumentHelp("A credentials file as AWS's tools write it, mode 600. (default: the environment's)", valueName: "file"),
        completion: .file())
    var credentials: String?

    func services() throws(Fault) -> AWSServices {
        var configuration = AWSConfiguration()
        (configuration.storeRegion, configuration.storeEndpoint) = (region, endpoint)
        return try AWSServices(configuration, pool: nil, credentials: credentials.map { .file($0) }, directory: Places.state)
    }

    /// - Parameter hub: the hub's file.
    func backups(_ address: String, of hub: String) throws(Fault) -> BackupBucket {
        BackupBucket(try BucketFolder(address, try services()), of: hub)
    }
}

extension BucketFolder: RemoteFolder {}
