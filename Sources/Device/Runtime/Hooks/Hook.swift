internal import Glibc
internal import Subprocess
internal import Support
internal import SystemPackage

/// A program of the user's that is run for an event, with what happened in its environment.
struct Hook: Sendable {
    let path: String
    /// Seconds.
    let timeout: Int

    /// - Throws: `.configuration` for what cannot be run, or what others could change.
    init(_ path: String, timeout: Int) throws(Fault) {
        (self.path, self.timeout) = (path, timeout)
        var status = stat()
        guard path.hasPrefix("/"), unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Fault(.configuration, "\(Printable.text(path)) is no program", remedy: "A hook is an absolute path of a file.")
        }
        guard unsafe access(path, X_OK) == 0 else {
            throw Fault(.configuration, "\(Printable.text(path)) may not be run", remedy: "chmod +x, for the user of this command.")
        }
        guard status.st_mode & S_IWOTH == 0, status.st_uid == 0 || status.st_uid == geteuid() else {
            throw Fault(
                .configuration, "others may change \(Printable.text(path))", remedy: "It has to be this user's or root's: chown, chmod o-w."
            )
        }
    }

    /// Runs it to its end; nothing of it is left after its time.
    ///
    /// - Returns: what went wrong; nil where it ended with 0.
    func run(_ environment: [String: String]) async -> String? {
        var options = PlatformOptions()
        options.createSession = true
        options.teardownSequence = [.send(signal: .terminate, toProcessGroup: true, allowedDurationToNextStep: .seconds(2))]
        let variables = Dictionary(uniqueKeysWithValues: environment.map { (Environment.Key(stringLiteral: $0.key), Optional($0.value)) })
        let (path, timeout, inherited) = (path, timeout, Environment.inherit.updating(variables))
        let program = Task { [options] in
            do {
                let result = try await Subprocess.run(
                    .path(FilePath(path)), environment: inherited, platformOptions: options, input: .none, output: .currentStandardError,
                    error: .currentStandardError)
                return result.terminationStatus.isSuccess ? nil : "\(result.terminationStatus)"
            } catch { return "\(error)" }
        }
        let watch = Task {
            try await Task.sleep(for: .seconds(timeout))
            program.cancel()
        }
        defer { watch.cancel() }
        let problem = await withTaskCancellationHandler {
            await program.value
        } onCancel: {
            program.cancel()
        }
        return program.isCancelled ? "ended after \(timeout) s" : problem
    }
}
