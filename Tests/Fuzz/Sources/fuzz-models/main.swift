import Glibc
import Models

// The reader that GAITWAY_FUZZ names: gaitway, safetensors, tflite or mlmodel.
let reader = getenv("GAITWAY_FUZZ").map { String(cString: $0) } ?? "tflite"
let path = "/dev/shm/gaitway-fuzz-\(getpid()).\(reader == "gaitway" ? "safetensors" : reader)"

// A crash, a hang or too much memory is libFuzzer's to see; a fault is as it should be.
func read(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    guard file >= 0, write(file, data, count) == count, close(file) == 0 else { return 0 }
    switch reader {
    case "gaitway": _ = try? NetworkFile.load(path)
    case "safetensors": _ = try? SafetensorsImport.graph(path, activation: .relu, steps: 4)
    case "mlmodel": _ = try? CoreMLImport.network(path, steps: 4)
    default: _ = try? TFLiteImport.network(path, ImportOptions(input: .features))
    }
    return 0
}

@_silgen_name("LLVMFuzzerRunDriver")
func runDriver(
    _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

var count = CommandLine.argc, arguments = CommandLine.unsafeArgv
let code = runDriver(&count, &arguments, read)
unlink(path)
exit(code)
