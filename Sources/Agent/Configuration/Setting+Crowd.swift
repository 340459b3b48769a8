extension Setting {
    /// Learning with others.
    static let crowd: [Setting] = [crowdEnabled, crowdDatabase, crowdInterval, crowdEpsilon, crowdBattery, crowdTemperature, crowdQuietHours]

    public static let crowdEnabled = Setting(key: "crowd.enabled", kind: .boolean, fallback: "false", help: "learn with others from this board's own recordings, while it runs")
    public static let crowdDatabase = Setting(key: "crowd.database", kind: .text, fallback: nil, help: "https://HUB/crowd, where it is not at the hub of the registration")
    public static let crowdInterval = Setting(key: "crowd.interval", kind: .integer(1...604_800), fallback: "300", help: "seconds between two gradients")
    public static let crowdEpsilon = Setting(key: "crowd.epsilon_limit", kind: .number(1e-6...1e6), fallback: nil, help: "the most privacy to give away, for good")
    public static let crowdBattery = Setting(key: "crowd.min_battery", kind: .integer(0...100), fallback: "80", help: "percent; below it only while charging")
    public static let crowdTemperature = Setting(key: "crowd.max_temperature", kind: .integer(0...120), fallback: "70", help: "degrees Celsius of the processor")
    public static let crowdQuietHours = Setting(key: "crowd.quiet_hours", kind: .text, fallback: nil, help: "local time in which it does not learn: 07:00-23:00")
}
