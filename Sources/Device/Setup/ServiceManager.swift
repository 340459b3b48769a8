internal import Subprocess
package import Support
internal import SystemPackage

/// systemd, where it manages this machine.
package enum ServiceManager {
    package static var isThere: Bool { Files.exists("/run/systemd/system") }

    /// `systemctl` with these arguments.
    ///
    /// - Throws: `.failure` with its exit code.
    package static func ask(_ arguments: [String]) async throws(Fault) {
        let shown = "systemctl " + arguments.joined(separator: " ")
        do {
            let result = try await Subprocess.run(
                .name("systemctl"), arguments: Arguments(arguments), input: .none, output: .currentStandardError,
                error: .currentStandardError)
            guard result.terminationStatus.isSuccess else { throw Fault(.failure, "`\(shown)` ended with \(result.terminationStatus)") }
        } catch let fault as Fault {
            throw fault
        } catch {
            throw Fault(.failure, "cannot run `\(shown)`: \(error)")
        }
    }
}
