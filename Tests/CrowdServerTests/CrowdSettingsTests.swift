import CrowdLearning
import Support
import Testing

@testable import CrowdServer

@Suite struct CrowdSettingsTests {
    @Test func settingsComeBack() throws {
        var settings = CrowdSettings()
        (settings.parameters.features, settings.parameters.classes, settings.parameters.loss) = (2, 2, .logistic)
        (settings.parameters.algorithm, settings.parameters.rate, settings.parameters.epsilon) = (.rmsProp, 0.25, 0)
        (settings.gradientBatch, settings.radius, settings.isNested, settings.labels) = (7, 2.5, true, ["A", "B"])
        #expect(try CrowdSettings(text: settings.text) == settings)
        for bad in ["", "{}", #"{"parameters":{"D":"many"},"maxGradBatchSize":1,"maxWeightBatchSize":1}"#] {
            #expect(throws: Fault.self) { try CrowdSettings(text: bad) }
        }
    }
}
