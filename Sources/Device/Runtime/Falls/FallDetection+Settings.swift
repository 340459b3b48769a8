package import Recognition
package import Settings
package import Support

extension FallDetection {
    /// As the settings say; nil where no falls are looked for.
    ///
    /// - Throws: those of the model's file.
    package init?(_ settings: Settings) throws(Fault) {
        guard settings.falls.enabled else { return nil }
        let model = try FallModel.chosen(settings.falls.model)
        self.init(model: model, sensitivity: settings.falls.sensitivity, confirmSeconds: settings.falls.confirmSeconds)
    }
}
