import Driver
import Models

// gaitway, safetensors, tflite or mlmodel; a fault is as it should be.
Driver.run(ending: Driver.reader == "gaitway" ? "safetensors" : Driver.reader) {
    let path = Driver.path
    switch Driver.reader {
    case "gaitway": _ = try? NetworkFile.load(path)
    case "safetensors": _ = try? SafetensorsImport.graph(path, activation: .relu, steps: 4)
    case "mlmodel": _ = try? CoreMLImport.network(path, steps: 4)
    default: _ = try? TFLiteImport.network(path, ImportOptions(input: .features))
    }
}
