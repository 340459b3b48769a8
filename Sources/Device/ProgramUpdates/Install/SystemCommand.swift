internal import Glibc
internal import Subprocess
internal import Support
internal import SystemPackage

/// A program of the system, run to its end.
struct SystemCommand: Sendable {
    var program: String
    var arguments: [String]
    /// Nothing but these and the search path, where they are given.
    var environment: [String: String]?

    init(_ program: String, _ arguments: [String], environment: [String: String]? = nil) {
        (self.program, self.arguments, self.environment) = (program, arguments, environment)
    }

    // Bytes of what it prints.
    private static let limit = 8 << 20
    private static let searchPath = "/usr/sbin:/usr/bin:/sbin:/bin"

    /// What it prints.
    ///
    /// - Parameter seconds: after which it is ended; nil for what must not be.
    /// - Throws: `.failure` where it ends with an exit code, with the last line of what it said, or crashes; `.temporary` where it is
    ///   killed, takes too long or cannot be started.
    func output(within seconds: Double?) async throws(Fault) -> [UInt8] {
        guard let seconds else { return try await output() }
        return try await Deadline.run(within: seconds, shown) { () async throws(Fault) in try await output() }
    }

    func run(within seconds: Double?) async throws(Fault) { _ = try await output(within: seconds) }

    private var shown: String { ([program] + arguments).joined(separator: " ") }

    private func output() async throws(Fault) -> [UInt8] {
        var variables: [Environment.Key: String] = ["PATH": Self.searchPath, "LC_ALL": "C.UTF-8"]
        for (name, value) in environment ?? [:] { variables[Environment.Key(stringLiteral: name)] = value }
        var options = PlatformOptions()
        options.createSession = true
        options.teardownSequence = [.send(signal: .terminate, toProcessGroup: true, allowedDurationToNextStep: .seconds(5))]
        do {
            let result = try await Subprocess.run(
                program.contains("/") ? .path(FilePath(program)) : .name(program), arguments: Arguments(arguments),
                environment: .custom(variables), platformOptions: options, input: .none, output: .bytes(limit: Self.limit),
                error: .string(limit: Self.limit))
            switch result.terminationStatus {
            case .exited(0): return result.standardOutput
            case .exited(let code):
                let last = result.standardError.split(separator: "\n").last { !$0.allSatisfy(\.isWhitespace) }
                throw Fault(.failure, "`\(shown)` ended with exit code \(code)\(last.map { ": \($0)" } ?? "")")
            case .signaled(let number):
                // Killed by the system, which has no memory left, or by who ends this program; else it crashed.
                let isEnded = number == SIGKILL || number == SIGTERM
                throw Fault(isEnded ? .temporary : .failure, "`\(shown)` was ended by signal \(number)")
            }
        } catch let fault as Fault {
            throw fault
        } catch {
            throw Fault(.temporary, "cannot run `\(shown)`: \(error)")
        }
    }
}
