package import Settings
package import Support
package import Upload

extension AWSStore {
    /// The bucket and table of the settings.
    ///
    /// - Parameters:
    ///   - plan: whose files they are, and where the board's identity is kept.
    ///   - given: another bucket than that of the settings.
    /// - Throws: `.configuration` when there is no bucket, or the file that the settings name is wrong.
    package init(_ settings: Settings, _ plan: UploadPlan, bucket given: String? = nil) throws(Fault) {
        let upload = settings.upload
        var aws = try upload.configuration.map { path throws(Fault) in try AWSConfiguration(file: path) } ?? AWSConfiguration()
        if let region = upload.region { (aws.storeRegion, aws.tableRegion) = (region, region) }
        if let endpoint = upload.endpoint { aws.storeEndpoint = endpoint }
        guard let bucket = given ?? upload.bucket ?? aws.bucket else {
            throw Fault(.configuration, "no bucket is set, so files only wait", remedy: "Set upload.bucket.")
        }
        let services = try AWSServices(
            aws, pool: upload.identityPool, credentials: upload.credentials.map { .file($0) }, directory: plan.directory,
            bandwidth: upload.kilobytesPerSecond * 1000)
        self.init(user: plan.user, bucket: bucket, table: upload.table, at: aws.storeEndpoint, services)
    }
}
