import Agent
import Cloud
import Cryptography
import Support
import Upload

/// What the configuration says of recorded windows and where they go.
struct UploadPlan {
    let isEnabled: Bool
    let content: RecordedContent
    /// Of windows in a file.
    let seconds: Double
    let directory: String
    let user: String
    let limits: SpoolLimits
    let quiet: QuietHours?
    let bucket: String?
    private let configuration: Configuration

    /// Errors: `.configuration`.
    init(_ configuration: Configuration) throws(Fault) {
        self.configuration = configuration
        isEnabled = configuration[.uploadEnabled]?.text == "true"
        content = configuration[.uploadContent].flatMap { RecordedContent(rawValue: $0.text) } ?? .raw
        seconds = (configuration[.uploadMinutes].flatMap { Double($0.text) } ?? 10) * 60
        directory = configuration[.uploadSpool]?.text ?? Places.state + "/spool"
        if let named = configuration[.uploadUser]?.text { user = named } else { user = try BoardName.of() }
        guard !user.isEmpty, user.utf8.count <= 64, user.utf8.allSatisfy({ Self.letters.contains($0) }) else {
            throw Fault(.configuration, "upload.user is \"\(user)\"; it takes up to 64 letters, digits, \"-\", \".\" and \"_\"")
        }
        func number(_ setting: Setting) -> Int64 { configuration[setting].flatMap { Int64($0.text) } ?? 0 }
        let days = number(.uploadDays)
        limits = SpoolLimits(
            bytes: number(.uploadMegabytes) * 1_000_000, files: Int(number(.uploadFiles)), age: days > 0 ? days * 86_400 : nil, keepFree: number(.uploadKeepFree) * 1_000_000)
        quiet = try configuration[.uploadQuietHours].map { value throws(Fault) in try QuietHours(value.text) }
        bucket = configuration[.uploadBucket]?.text
    }

    /// nil where uploads are off, whatever else is set.
    init?(enabledBy configuration: Configuration) throws(Fault) {
        guard configuration[.uploadEnabled]?.text == "true" else { return nil }
        try self.init(configuration)
    }

    private static let letters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._".utf8)

    func spool() throws(Fault) -> Spool { try Spool(directory, user: user, limits: limits) }

    /// The way to bucket and table; nil where no bucket is set.
    ///
    /// Errors: `.configuration` when there is none, or the file it names is wrong.
    ///
    /// - Parameter given: another bucket than the configuration's.
    func manager(bucket given: String? = nil) throws(Fault) -> CloudManager {
        var aws = try configuration[.uploadConfiguration].map { value throws(Fault) in try AWSConfiguration(file: value.text) } ?? AWSConfiguration()
        if let region = configuration[.uploadRegion]?.text { (aws.storeRegion, aws.tableRegion) = (region, region) }
        if let endpoint = configuration[.uploadEndpoint]?.text { aws.storeEndpoint = endpoint }
        guard let bucket = given ?? bucket ?? aws.bucket else {
            throw Fault(.configuration, "no bucket is set, so files only wait", remedy: "Set upload.bucket.")
        }
        CloudManager.tableName = configuration[.uploadTable]?.text
        return CloudManager(
            identityID: configuration[.uploadIdentityPool]?.text ?? CloudManager.none, userID: user, writeBucket: bucket, readBucket: bucket, configuration: aws,
            credentials: configuration[.uploadCredentials].map { .file($0.text) }, stateDirectory: directory,
            bandwidth: (configuration[.uploadBandwidth].flatMap { Int($0.text) } ?? 0) * 1000)
    }
}

extension SpoolStatus {
    /// What waits there; nil where there is no spool, or it cannot be read.
    static func waiting(in spool: String?) -> SpoolStatus? {
        guard let spool, Files.isDirectory(spool + "/pending") else { return nil }
        return try? Spool(spool, user: "").status()
    }
}
