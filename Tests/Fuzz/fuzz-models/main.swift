@testable import Conversion
import Cryptography
import FuzzDriver
import Glibc
@testable import ModelStore
@testable import NeuralNetwork
import Support

let key = SigningKey().verifying

// In memory: every start of a store writes its state.
let store = "/dev/shm/gaitway-fuzz-store-\(getpid())"
let base = Driver.reader == "store" ? try? NetworkFile.load("board/models/activity.safetensors") : nil

// gaitway, safetensors, tflite, mlmodel, signature or store; a fault is as it should be.
Driver.run(ending: Driver.reader == "gaitway" ? "safetensors" : Driver.reader) {
    let path = Driver.path
    switch Driver.reader {
    case "gaitway": _ = try? NetworkFile.load(path)
    case "safetensors": _ = try? SafetensorsImport.graph(path, activation: .relu, steps: 4)
    case "signature":
        if let bytes = try? Files.read(path, limit: 1 << 20) {
            try? ModelSignature.verify(SignedContents(bytes, name: "m"), bytes, by: key)
        }
    case "store":
        guard let base, let bytes = try? Files.read(path, limit: 1 << 20) else { return }
        try? Files.makeDirectory(store)
        try? Files.write(bytes, to: store + "/state.json")
        guard let opened = try? ModelStore(store, checks: ModelChecks(), base: 1) else { return }
        _ = try? opened.start(base: base)
        try? opened.commit()
        try? opened.rollBack()
    case "mlmodel": _ = try? CoreMLImport.network(path, steps: 4)
    default: _ = try? TFLiteImport.network(path, ImportOptions(input: .features))
    }
}
