@testable import Conversion
import Cryptography
import FuzzDriver
import Glibc
@testable import ModelStore
@testable import NeuralNetwork
import Recognition
import Sensing
import Support

let key = SigningKey().verifying

// In memory: every start of a store writes its state.
let store = "/dev/shm/gaitway-fuzz-store-\(getpid())"
let base = Driver.reader == "store" ? try? NetworkFile.load("board/models/activity.safetensors") : nil

// The table of a recording set beside tables and samples that are in order.
let recordings = "/dev/shm/gaitway-fuzz-recordings-\(getpid())"
if Driver.reader == "recordings" {
    let files: [(String, [UInt8])] = [
        ("set.csv", Array("name,rate_hz,counts_per_g\na,50,2048\n".utf8)), ("labels.csv", Array("activity,label\nwalk,WALKING\n".utf8)),
        ("p.i16", [UInt8](repeating: 1, count: 6000)),
    ]
    try? Files.makeDirectory(recordings)
    for (name, bytes) in files { try? Files.write(bytes, to: recordings + "/" + name) }
}

// gaitway, falls, safetensors, tflite, onnx, mlmodel, signature, keys, store, swiftai, xgboost or recordings; a fault is as it should be.
Driver.run(ending: ["gaitway", "falls"].contains(Driver.reader) ? "safetensors" : Driver.reader) {
    let path = Driver.path
    switch Driver.reader {
    case "gaitway": _ = try? NetworkFile.load(path)
    case "falls": _ = try? FallModel.load(path)
    case "safetensors": _ = try? SafetensorsImport.graph(path, activation: .relu, steps: 4)
    case "signature":
        if let bytes = try? Files.read(path, limit: 1 << 20) {
            try? ModelSignature.verify(SignedContents(bytes, name: "m"), bytes, by: key)
            for list in (try? ModelSignature.lists(bytes, name: "m")) ?? [] { try? list.prove("m") }
        }
    case "keys":
        if let bytes = try? Files.read(path, limit: 1 << 20) { try? KeyList(bytes, name: "k").prove("k") }
    case "store":
        guard let base, let bytes = try? Files.read(path, limit: 1 << 20) else { return }
        try? Files.makeDirectory(store)
        try? Files.write(bytes, to: store + "/state.json")
        guard let opened = try? ModelStore(store, checks: ModelChecks(), base: 1) else { return }
        _ = try? opened.start(base: base)
        try? opened.commit()
        try? opened.rollBack()
    case "recordings":
        guard let bytes = try? Files.read(path, limit: 1 << 20) else { return }
        try? Files.write(bytes, to: recordings + "/index.csv")
        guard let set = try? RecordingSet(directory: recordings) else { return }
        for entry in set.entries.prefix(4) { _ = (try? set.stream(of: entry)).flatMap { LifeStream.chained($0, seed: 1) } }
    case "swiftai":
        guard let bytes = try? Files.read(path, limit: 1 << 20) else { return }
        _ = (try? SwiftAIFile(bytes, path: path))?.graph
    case "xgboost":
        guard let bytes = try? Files.read(path, limit: 1 << 20) else { return }
        _ = try? XGBoostFile(bytes, path: path)
    case "onnx": _ = try? ONNXImport.network(path, input: .features, steps: 4)
    case "mlmodel": _ = try? CoreMLImport.network(path, steps: 4)
    default: _ = try? TFLiteImport.network(path, ImportOptions(input: .features))
    }
}
