/// Where `gaitway train` puts what it learnt from one's own recordings, and `gaitway guess` looks for it.
package enum TrainedModel {
    package static func path(_ directory: String) -> String { "\(directory)/model.safetensors" }
    /// Where `gaitway personalise` puts what it adapted.
    package static func personalPath(_ directory: String) -> String { "\(directory)/personal.safetensors" }
    package static func compatiblePath(_ directory: String) -> String { "\(directory)/swift-har.json" }
}
