import Glibc

/// libFuzzer's loop around a reader of files.
public enum Driver {
    /// The reader that GAITWAY_FUZZ names.
    public static let reader = getenv("GAITWAY_FUZZ").map { String(cString: $0) } ?? ""
    /// Where each input is put.
    nonisolated(unsafe) public private(set) static var path = ""
    nonisolated(unsafe) private static var body: () -> Void = {}

    /// Calls `body` for every input, which lies in `path`. A crash, a hang or too much memory is libFuzzer's to see.
    public static func run(ending: String, _ body: @escaping () -> Void) -> Never {
        path = "/dev/shm/gaitway-fuzz-\(getpid()).\(ending)"
        Self.body = body
        var count = CommandLine.argc, arguments = CommandLine.unsafeArgv
        let code = runDriver(&count, &arguments) { data, count in
            let file = open(Driver.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            guard file >= 0, write(file, data, count) == count, close(file) == 0 else { return 0 }
            Driver.body()
            return 0
        }
        unlink(path)
        exit(code)
    }
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt
