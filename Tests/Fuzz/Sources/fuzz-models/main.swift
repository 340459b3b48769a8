import Cryptography
import Driver
import Models
import Support

let key = SigningKey().verifying

// gaitway, safetensors, tflite, mlmodel or signature; a fault is as it should be.
Driver.run(ending: Driver.reader == "gaitway" ? "safetensors" : Driver.reader) {
    let path = Driver.path
    switch Driver.reader {
    case "gaitway": _ = try? NetworkFile.load(path)
    case "safetensors": _ = try? SafetensorsImport.graph(path, activation: .relu, steps: 4)
    case "signature": if let bytes = try? Files.read(path, limit: 1 << 20) { try? ModelSignature.verify(SignedContents(bytes, name: "m"), bytes, by: key) }
    case "mlmodel": _ = try? CoreMLImport.network(path, steps: 4)
    default: _ = try? TFLiteImport.network(path, ImportOptions(input: .features))
    }
}
