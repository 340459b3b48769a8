/// An arm swings once where the legs take two steps. In a run the swing may be all that is found at the wrist.
enum ArmSwing {
    private static let running = "RUNNING", wrist = "wrist"
    /// Steps a minute: half of what runners have is below, their steps are above.
    private static let slowestRun = 100

    /// How many steps each one stands for that was found.
    static func steps(_ label: String, at placement: String?, cadence: Int?) -> Int {
        guard label == running, placement == wrist, let cadence else { return 1 }
        return cadence < slowestRun ? 2 : 1
    }
}
