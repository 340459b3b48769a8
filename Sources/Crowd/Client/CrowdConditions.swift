internal import Support

/// When a board may take part: nobody should notice it on the battery.
public struct CrowdConditions: Sendable {
    /// Percent; below it only while charging. A board without a battery is on the mains.
    public var leastBattery = 80
    /// Degrees Celsius.
    public var mostTemperature = 70.0

    public init() {}

    /// Why not now; nil when it may.
    public func obstacle(battery: Int?, isCharging: Bool?, temperature: Double?) -> String? {
        if let temperature, temperature > mostTemperature { return "the processor has \(Decimals.text(temperature, places: 0)) degrees" }
        if let battery, isCharging != true, battery < leastBattery { return "the battery has \(battery) %" }
        return nil
    }
}
