extension Setting {
    /// What is recorded for training elsewhere, and where it goes.
    static let upload: [Setting] = [
        uploadEnabled, uploadContent, uploadSpool, uploadUser, uploadBucket, uploadTable, uploadRegion, uploadEndpoint, uploadIdentityPool, uploadCredentials,
        uploadConfiguration, uploadMinutes, uploadMegabytes, uploadFiles, uploadDays, uploadKeepFree, uploadBandwidth, uploadQuietHours,
    ]

    public static let uploadEnabled = Setting(key: "upload.enabled", kind: .boolean, fallback: "false", help: "record windows and send them; sensor data is personal")
    public static let uploadContent = Setting(
        key: "upload.content", kind: .choice(["raw", "features-17", "features-80"]), fallback: "raw", help: "what a row says of its window")
    public static let uploadSpool = Setting(key: "upload.spool", kind: .text, fallback: nil, help: "the directory where files wait (STATE/spool)")
    public static let uploadUser = Setting(key: "upload.user", kind: .text, fallback: nil, help: "whose data it is; letters, digits, \"-\" (made of this machine's ID)")
    public static let uploadBucket = Setting(key: "upload.bucket", kind: .text, fallback: nil, help: "the S3 bucket; without one files only wait")
    public static let uploadTable = Setting(key: "upload.table", kind: .text, fallback: nil, help: "the DynamoDB table of metadata; none without")
    public static let uploadRegion = Setting(key: "upload.region", kind: .text, fallback: nil, help: "of bucket and table (us-east-1)")
    public static let uploadEndpoint = Setting(key: "upload.endpoint", kind: .text, fallback: nil, help: "an S3-compatible server instead of AWS, https://host")
    public static let uploadIdentityPool = Setting(key: "upload.identity_pool", kind: .text, fallback: nil, help: "the Cognito identity pool, region:uuid")
    public static let uploadCredentials = Setting(key: "upload.credentials", kind: .text, fallback: nil, help: "a credentials file as AWS's tools write it, mode 600")
    public static let uploadConfiguration = Setting(key: "upload.configuration", kind: .text, fallback: nil, help: "an awsconfiguration.json")
    public static let uploadMinutes = Setting(key: "upload.minutes", kind: .number(0.1...1440), fallback: "10", help: "of windows in a file")
    public static let uploadMegabytes = Setting(key: "upload.max_megabytes", kind: .integer(1...1_000_000), fallback: "1000", help: "that may wait; then the oldest files go")
    public static let uploadFiles = Setting(key: "upload.max_files", kind: .integer(1...1_000_000), fallback: "10000", help: "that may wait")
    public static let uploadDays = Setting(key: "upload.max_days", kind: .integer(0...3650), fallback: "0", help: "that a file may wait; 0 for any")
    public static let uploadKeepFree = Setting(key: "upload.keep_free_megabytes", kind: .integer(0...1_000_000), fallback: "64", help: "that stay free on the disk")
    public static let uploadBandwidth = Setting(key: "upload.kilobytes_per_second", kind: .integer(0...1_000_000), fallback: "0", help: "that are sent at most; 0 for all that go")
    public static let uploadQuietHours = Setting(key: "upload.quiet_hours", kind: .text, fallback: nil, help: "local time in which nothing is sent: 22:00-06:30")
}
