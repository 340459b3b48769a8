/// How falls are looked for.
package struct FallDetection: Sendable {
    package var model: FallModel
    package var sensitivity: FallSensitivity
    /// Seconds down after which a fall is confirmed.
    package var confirmSeconds: Double

    package init(model: FallModel, sensitivity: FallSensitivity = .normal, confirmSeconds: Double = 10) {
        (self.model, self.sensitivity, self.confirmSeconds) = (model, sensitivity, confirmSeconds)
    }
}
