internal import Cryptography
package import NeuralNetwork
package import Support

/// The network that decides.
public struct ActivityModel: Sendable {
    private enum Place {
        case embedded
        case file(String, key: String?)
    }

    private let place: Place

    /// The one that comes with Gaitway: walking, stairs up and down, running, cycling, sitting, standing, lying, with the sensor any way up
    /// at waist, pocket, thigh, chest or wrist.
    public static let shipped = ActivityModel(place: .embedded)

    /// A model file, as `gaitway train` and `gaitway model import` write it.
    ///
    /// - Parameters:
    ///   - path: the safetensors file.
    ///   - key: public keys, a PEM file, or a signed list of them: without its signature beside the model iterating throws `.permission`.
    public static func file(_ path: String, trusting key: String? = nil) -> ActivityModel { ActivityModel(place: .file(path, key: key)) }

    /// - Throws: `.noInput`, `.permission`, `.badData`.
    package func load() throws(Fault) -> Network {
        switch place {
        case .embedded: try NetworkFile.read(PackageResources.activity_safetensors, name: "the shipped model")
        case .file(let path, let key):
            try NetworkFile.load(path, trusting: try key.map { path throws(Fault) in try KeyList.read(path).key })
        }
    }
}
