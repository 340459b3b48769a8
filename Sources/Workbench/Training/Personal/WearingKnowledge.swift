package import Recognition
package import Sensing

/// What is known of how the sensor was worn, beside recordings.
package struct WearingKnowledge: Sendable {
    package var configured: ConfiguredWearing
    /// Counts where nobody walks in the recordings.
    package var learnt: Orientation?

    package init(configured: ConfiguredWearing = ConfiguredWearing(), learnt: Orientation? = nil) {
        (self.configured, self.learnt) = (configured, learnt)
    }
}
