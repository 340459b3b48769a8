internal import HubProtocol
package import ModelStore
package import Support

/// Installs the release that the service left, as root: proved again, tried beside the program that runs, installed, watched, and taken
/// back where it does not decide. The state on the disk says how far it is, so that a power cut at any moment ends in one of the two.
package struct ProgramInstaller: Sendable {
    package enum Outcome: Equatable {
        case nothing
        case installed(version: String)
        case refused(version: String, reason: String)
    }

    let folder: String, directory: String
    /// The hub's of releases; nil for any.
    let name: String?
    let machine: ProgramMachine
    let checks: ModelChecks
    let packages: any PackageManager
    let watch: ProgramWatch
    /// Of the version that is installed.
    let own: Int
    let progress: @Sendable (String) -> Void
    /// What is wrong with a program's file; nil for nothing.
    let trial: @Sendable (_ program: String, _ directory: String) async throws(Fault) -> String?

    // What could not be installed so often in a row is not tried again.
    private static let mostAttempts = 3

    /// - Parameters:
    ///   - folder: where the service left the release.
    ///   - name: the hub's of releases: what was signed under another one is not installed.
    ///   - directory: root's own, for its state and the packages.
    ///   - progress: gets what is being done.
    package init(
        _ machine: ProgramMachine, _ checks: ModelChecks, _ packages: any PackageManager, _ watch: ProgramWatch,
        folder: String = ProgramFolder.service, directory: String = ProgramState.directory, name: String? = nil,
        own: String = gaitwayVersion,
        trial: @escaping @Sendable (String, String) async throws(Fault) -> String? = { program, directory async throws(Fault) in
            try await ProgramTrial.run(program, beside: Programs.own, in: directory)
        },
        progress: @escaping @Sendable (String) -> Void
    ) {
        (self.machine, self.checks, self.packages, self.watch) = (machine, checks, packages, watch)
        (self.folder, self.directory, self.trial, self.progress) = (folder, directory, trial, progress)
        self.name = name
        self.own = ProgramRelease.number(of: own) ?? 0
    }

    /// Does what there is to do.
    ///
    /// - Throws: `.temporary` for what may work later, as the state then says; what keeps it from going back.
    package func run() async throws(Fault) -> Outcome {
        try Files.makeDirectory(directory, isPrivate: false)
        guard let lock = try FileLock("\(directory)/lock") else { throw Fault(.temporary, "another one installs a release") }
        defer { lock.release() }
        var state = try ProgramState.read(directory)
        if let pending = state.pending { return try await resume(pending, &state) }
        guard let handed = try HandedOver(folder), (try? handed.read(ProgramFolder.request, limit: 4096)) != nil else { return .nothing }
        do throws(Fault) {
            state.obstacle = nil
            let release = try take(handed, state)
            // The service looks whether it is still there: the state says by then what became of it.
            defer { handed.remove(ProgramFolder.request) }
            return try await install(release, &state)
        } catch {
            handed.remove(ProgramFolder.request)
            state.obstacle = error.message
            try state.write(directory)
            throw error
        }
    }

    // The service's user may lie in all of it: what is installed is what was proved here, out of copies that are root's.
    private func take(_ handed: borrowing HandedOver, _ state: ProgramState) throws(Fault) -> ProgramRelease {
        let bytes = try handed.read(ProgramFolder.release, limit: ProgramRelease.sizeLimit),
            signature = try handed.read(ProgramFolder.signature, limit: 1 << 20)
        let release = try SignedProgram(
            bytes, signature, ModelOffer(name: ProgramFolder.release, model: name), checks, now: SystemTime.wallSeconds
        ).release
        guard release.number > max(state.highest, own) else {
            throw Fault(.badData, "version \(release.version) of gaitway is no newer than what this board has or had")
        }
        try Files.makeDirectory(place(new: ""))
        for package in try machine.packages(of: release) {
            let file = try handed.read(ProgramFolder.file(of: package.name), limit: package.size)
            guard package.isOf(file) else {
                throw Fault(.temporary, "\(package.name) of version \(release.version) is not the file that was signed")
            }
            try Files.write(file, to: place(new: package.name))
        }
        return release
    }

    private func place(new package: String) -> String { "\(directory)/new" + (package.isEmpty ? "" : "/\(package).deb") }
    private func place(old package: String) -> String { "\(directory)/old" + (package.isEmpty ? "" : "/\(package).deb") }

    private func install(_ release: ProgramRelease, _ state: inout ProgramState) async throws(Fault) -> Outcome {
        guard watch.decides() else {
            throw Fault(.temporary, "the board decides nothing at present, so that nothing could show whether a new version does")
        }
        var pending = ProgramState.Pending(number: release.number, version: release.version, before: [:], after: [:])
        for name in machine.installed {
            let identity = try await packages.identity(of: place(new: name))
            guard identity.name == name else { throw Fault(.badData, "the file of \(name) is the package \(identity.name)") }
            pending.after[name] = identity.version
            pending.before[name] = try await packages.version(of: name)
        }
        progress("version \(release.version) of gaitway is tried on a simulated wearer")
        if let reason = try await tryOut() { return try refuse(pending, reason, wasRunning: false, &state) }
        try Files.makeDirectory(place(old: ""))
        for name in machine.installed { try await packages.pack(name, to: place(old: name)) }
        state.pending = pending
        try state.write(directory)
        progress("version \(release.version) of gaitway is installed")
        let began = watch.now()
        do throws(Fault) {
            try await packages.install(machine.installed.map { place(new: $0) })
        } catch {
            return try await takeBack(pending, "it could not be installed: \(error.message)", mayPass: true, &state)
        }
        return try await judge(pending, since: began, &state)
    }

    private func tryOut() async throws(Fault) -> String? {
        // Not in /tmp, from which programs may not be run everywhere.
        let scratch = try TemporaryFolder(for: "release", in: directory), tree = scratch.path + "/tree"
        try await packages.unpack(place(new: "gaitway"), to: tree)
        return try await trial(tree + "/usr/bin/gaitway", scratch.path)
    }

    private func judge(
        _ pending: ProgramState.Pending, since start: Double?, _ state: inout ProgramState
    ) async throws(Fault) -> Outcome {
        progress("version \(pending.version) of gaitway is watched for \(Int(watch.seconds)) s")
        if let reason = await watch.verdict(since: start) { return try await takeBack(pending, reason, mayPass: false, &state) }
        (state.current, state.highest, state.pending, state.obstacle) = (pending.number, pending.number, nil, nil)
        state.attempts = [:]
        try state.write(directory)
        clear()
        return .installed(version: pending.version)
    }

    // - Parameter mayPass: whether the reason may be the board's, as a full disk is: it is then tried again, a few times.
    private func takeBack(
        _ pending: ProgramState.Pending, _ reason: String, mayPass: Bool, _ state: inout ProgramState
    ) async throws(Fault) -> Outcome {
        progress("version \(pending.version) of gaitway is taken back: \(reason)")
        await packages.repair()
        if try await !isInstalled(pending.before) { try await packages.install(machine.installed.map { place(old: $0) }) }
        let attempts = (state.attempts["\(pending.number)"] ?? 0) + 1
        if mayPass && attempts < Self.mostAttempts {
            state.attempts["\(pending.number)"] = attempts
            state.pending = nil
            clear()
            throw Fault(.temporary, "version \(pending.version): \(reason)")
        }
        let outcome = try refuse(pending, reason, wasRunning: !mayPass, &state)
        if let problem = await watch.verdict(since: nil) { progress("the version before it does not do well either: \(problem)") }
        return outcome
    }

    private func refuse(
        _ pending: ProgramState.Pending, _ reason: String, wasRunning: Bool, _ state: inout ProgramState
    ) throws(Fault) -> Outcome {
        state.refuse(pending.number, pending.version, reason, wasRunning: wasRunning)
        try state.write(directory)
        clear()
        return .refused(version: pending.version, reason: reason)
    }

    private func isInstalled(_ versions: [String: String]) async throws(Fault) -> Bool {
        for (name, version) in versions where try await packages.version(of: name) != version { return false }
        return true
    }

    // The power was cut, or this was killed.
    private func resume(_ pending: ProgramState.Pending, _ state: inout ProgramState) async throws(Fault) -> Outcome {
        progress("version \(pending.version) of gaitway was being installed when that was interrupted")
        await packages.repair()
        do throws(Fault) {
            if try await isInstalled(pending.after) { return try await judge(pending, since: nil, &state) }
            return try await takeBack(pending, "its installation was interrupted", mayPass: true, &state)
        } catch {
            state.obstacle = error.message
            try state.write(directory)
            throw error
        }
    }

    private func clear() {
        for folder in [place(new: ""), place(old: "")] {
            for name in (try? Files.list(folder)) ?? [] { try? Files.remove("\(folder)/\(name)") }
            Files.removeDirectory(folder)
        }
    }
}
