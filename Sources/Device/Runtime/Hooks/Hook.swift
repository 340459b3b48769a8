internal import Glibc
internal import Subprocess
internal import Support
internal import Synchronization
internal import SystemPackage

/// A program of the user's that is run for an event, with what happened in its environment.
struct Hook: Sendable {
    let path: String
    /// Seconds.
    let timeout: Int

    /// - Throws: `.configuration` for what cannot be run, or what others could change.
    init(_ path: String, timeout: Int) throws(Fault) {
        (self.path, self.timeout) = (path, timeout)
        try check()
    }

    // Before each run: what was another user's file meanwhile is not run.
    private func check() throws(Fault) {
        let shown = Printable.text(path)
        guard path.hasPrefix("/"), let real = unsafe realpath(path, nil) else {
            throw Fault(.configuration, "\(shown) is no program", remedy: "A hook is an absolute path of a file.")
        }
        defer { unsafe free(real) }
        var place = unsafe String(cString: real), status = stat()
        guard unsafe stat(place, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Fault(.configuration, "\(shown) is no program", remedy: "A hook is an absolute path of a file.")
        }
        guard unsafe access(place, X_OK) == 0 else {
            throw Fault(.configuration, "\(shown) may not be run", remedy: "chmod +x, for the user of this command.")
        }
        // The file, and every directory above it, in which it could be replaced; in one with the sticky bit only its owner can.
        while true {
            let isShared = status.st_mode & (S_IWGRP | S_IWOTH) != 0 && status.st_mode & S_ISVTX == 0
            guard status.st_uid == 0 || status.st_uid == geteuid(), !isShared else {
                throw Fault(
                    .configuration, "others may change \(shown)",
                    remedy: "\(Printable.text(place)) has to be this user's or root's: chown, chmod go-w.")
            }
            guard place != "/" else { return }
            place = place.lastIndex(of: "/").map { $0 == place.startIndex ? "/" : String(place[..<$0]) } ?? "/"
            guard unsafe stat(place, &status) == 0 else { throw Fault(.configuration, "\(shown) is no program") }
        }
    }

    /// Runs it to its end; nothing of its session is left after its time, or after its own end.
    ///
    /// - Returns: what went wrong; nil where it ended with 0.
    func run(_ environment: [String: String]) async -> String? {
        do throws(Fault) { try check() } catch { return error.message }
        var options = PlatformOptions()
        options.createSession = true
        options.teardownSequence = [.send(signal: .terminate, toProcessGroup: true, allowedDurationToNextStep: .seconds(2))]
        let variables = Dictionary(uniqueKeysWithValues: environment.map { (Environment.Key(stringLiteral: $0.key), Optional($0.value)) })
        let (path, inherited) = (path, Environment.inherit.updating(variables)), isLate = Atomic(false)
        let program = Task { [options] in
            do {
                let result = try await Subprocess.run(
                    .path(FilePath(path)), environment: inherited, platformOptions: options, input: .none, output: .currentStandardError,
                    error: .currentStandardError
                ) { _ in }
                // What it started and left behind: the group is its own, and nobody else's process is in it.
                kill(-result.processIdentifier.value, SIGKILL)
                return result.terminationStatus.isSuccess ? nil : "\(result.terminationStatus)"
            } catch { return "\(error)" }
        }
        let watch = Task { [timeout] in
            try await Task.sleep(for: .seconds(timeout))
            isLate.store(true, ordering: .relaxed)
            program.cancel()
        }
        defer { watch.cancel() }
        let problem = await withTaskCancellationHandler {
            await program.value
        } onCancel: {
            program.cancel()
        }
        if isLate.load(ordering: .relaxed) { return "ended after \(timeout) s" }
        return program.isCancelled ? nil : problem
    }
}
