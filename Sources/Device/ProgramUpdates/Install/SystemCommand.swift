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
    /// - Parameter seconds: after which it is ended.
    /// - Throws: `.failure` where it does not end well, with the last line of what it said; `.temporary` where it takes too long.
    func output(within seconds: Double) async throws(Fault) -> [UInt8] {
        let (program, arguments) = (program, arguments), shown = ([program] + arguments).joined(separator: " ")
        var variables: [Environment.Key: String] = ["PATH": Self.searchPath, "LC_ALL": "C.UTF-8"]
        for (name, value) in environment ?? [:] { variables[Environment.Key(stringLiteral: name)] = value }
        var options = PlatformOptions()
        options.createSession = true
        options.teardownSequence = [.send(signal: .terminate, toProcessGroup: true, allowedDurationToNextStep: .seconds(5))]
        return try await Deadline.run(within: seconds, shown) { [variables, options] () async throws(Fault) in
            do {
                let result = try await Subprocess.run(
                    program.contains("/") ? .path(FilePath(program)) : .name(program), arguments: Arguments(arguments),
                    environment: .custom(variables), platformOptions: options, input: .none, output: .bytes(limit: Self.limit),
                    error: .string(limit: Self.limit))
                guard result.terminationStatus.isSuccess else {
                    let last = result.standardError.split(separator: "\n").last { !$0.allSatisfy(\.isWhitespace) }
                    throw Fault(.failure, "`\(shown)` ended with \(result.terminationStatus)\(last.map { ": \($0)" } ?? "")")
                }
                return result.standardOutput
            } catch let fault as Fault {
                throw fault
            } catch {
                throw Fault(.failure, "cannot run `\(shown)`: \(error)")
            }
        }
    }

    func run(within seconds: Double) async throws(Fault) { _ = try await output(within: seconds) }
}
