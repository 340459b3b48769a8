internal import Support

/// When a board may take part: nobody should notice it on the battery.
package struct CrowdConditions: Sendable {
    /// Percent; below it only while charging. A board without a battery is on the mains.
    package var leastBattery: Int
    /// Degrees Celsius.
    package var mostTemperature: Double

    package init(leastBattery: Int, mostTemperature: Double) { (self.leastBattery, self.mostTemperature) = (leastBattery, mostTemperature) }

    /// Why not now; nil when it may.
    package func obstacle(battery: Int?, isCharging: Bool?, temperature: Double?) -> String? {
        if let temperature, temperature > mostTemperature { return "the processor has \(Decimals.text(temperature, places: 0)) degrees" }
        if let battery, isCharging != true, battery < leastBattery { return "the battery has \(battery) %" }
        return nil
    }
}
