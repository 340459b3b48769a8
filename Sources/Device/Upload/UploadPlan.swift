internal import Cryptography
package import Settings
package import Support

/// What the settings say of recorded windows.
package struct UploadPlan: Sendable {
    package let isEnabled: Bool
    package let content: SettingValues.Content
    /// Of windows in a file.
    package let seconds: Double
    package let directory: String
    package let user: String
    package let limits: SpoolLimits
    package let quiet: QuietHours?
    package let bucket: String?
    /// The file of the public key that recorded windows are sealed to; nil for none.
    private let publicKey: String?

    /// - Throws: `.configuration`.
    package init(_ settings: Settings) throws(Fault) {
        let upload = settings.upload
        (isEnabled, content, seconds, quiet, bucket) = (
            upload.enabled, upload.content, upload.minutes * 60, upload.quietHours, upload.bucket
        )
        (directory, publicKey) = (upload.directory, upload.publicKey)
        if let named = upload.user { user = named } else { user = try BoardName.of() }
        guard !user.isEmpty, user.utf8.count <= 64, user.utf8.allSatisfy({ Self.letters.contains($0) }) else {
            throw Fault(.configuration, "upload.user is \"\(user)\"; it takes up to 64 letters, digits, \"-\", \".\" and \"_\"")
        }
        limits = SpoolLimits(
            bytes: Int64(upload.maxMegabytes) * 1_000_000, files: upload.maxFiles,
            age: upload.maxDays > 0 ? Int64(upload.maxDays) * 86_400 : nil,
            keepFree: Int64(upload.keepFreeMegabytes) * 1_000_000)
    }

    /// nil where uploads are off, whatever else is set.
    package init?(enabledBy settings: Settings) throws(Fault) {
        guard settings.upload.enabled else { return nil }
        try self.init(settings)
    }

    private static let letters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._".utf8)

    /// To look at what waits, to send it and to delete it.
    package func spool() throws(Fault) -> Spool { try Spool(directory, user: user, limits: limits) }

    /// To record into.
    ///
    /// - Throws: also those of the public key: without it nothing is recorded.
    package func recordingSpool() throws(Fault) -> Spool {
        let key = try publicKey.map { path throws(Fault) in try SealingKey(file: path) }
        return try Spool(directory, user: user, limits: limits, sealing: key)
    }
}

extension SpoolStatus {
    /// What waits there; nil where there is no spool, or it cannot be read.
    package static func waiting(in spool: String?) -> SpoolStatus? {
        guard let spool, Files.isDirectory(spool + "/pending") else { return nil }
        return try? Spool(spool, user: "").status()
    }
}
