package import Recognition
package import Settings

extension Smoothing {
    package init(_ settings: Settings) {
        self.init(agreement: settings.agreement, threshold: Int16(clamping: Int(settings.threshold * 32768)))
    }
}
