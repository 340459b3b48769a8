extension Setting {
    /// Models that come while the board runs, and what is told to the hub.
    static let fleet: [Setting] = [
        updatesEnabled, updatesSource, updatesModel, updatesInterval, updatesShadow, updatesProbation, updatesMemory, updatesTimeout, updatesRetry, updatesUnsigned, updatesQuietHours,
        fleetTelemetry,
    ]

    public static let updatesEnabled = Setting(key: "updates.enabled", kind: .boolean, fallback: "true", help: "fetch new models and change to them while running")
    public static let updatesSource = Setting(key: "updates.source", kind: .text, fallback: nil, help: "https://HOST/FILE, s3://BUCKET/KEY or a file instead of the hub")
    public static let updatesModel = Setting(key: "updates.model", kind: .text, fallback: "activity", help: "the hub's name of this board's model")
    public static let updatesInterval = Setting(key: "updates.interval", kind: .integer(1...604_800), fallback: "3600", help: "seconds between looking for a new one")
    public static let updatesShadow = Setting(key: "updates.shadow_windows", kind: .integer(1...100_000), fallback: "64", help: "in which a new model classifies unheard beside the old one")
    public static let updatesProbation = Setting(key: "updates.probation_windows", kind: .integer(1...1_000_000), fallback: "256", help: "in which it decides and is watched")
    public static let updatesMemory = Setting(key: "updates.max_kilobytes", kind: .integer(1...1_000_000), fallback: "4096", help: "of memory that a new model may take")
    public static let updatesTimeout = Setting(key: "updates.timeout", kind: .integer(1...86_400), fallback: "300", help: "seconds that a download may take")
    public static let updatesRetry = Setting(key: "updates.retry", kind: .integer(1...86_400), fallback: "60", help: "seconds until a failed download is tried again, twice at the most")
    public static let updatesUnsigned = Setting(key: "updates.allow_unsigned", kind: .boolean, fallback: "false", help: "take models from elsewhere without a trusted_key")
    public static let updatesQuietHours = Setting(key: "updates.quiet_hours", kind: .text, fallback: nil, help: "local time in which none is fetched: 07:00-23:00")
    public static let fleetTelemetry = Setting(key: "fleet.telemetry", kind: .boolean, fallback: "true", help: "tell the hub each change of activity")
}
