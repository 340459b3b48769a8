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

    /// What the settings and the machine say; looked up only for a new release: going back needs none of it.
    package struct Board: Sendable {
        var machine: ProgramMachine
        /// Whose releases are installed.
        var keys: TrustedKeys
        /// The hub's name of releases: what was signed under another one is not installed.
        var name: String

        package init(_ machine: ProgramMachine, _ keys: TrustedKeys, name: String) {
            (self.machine, self.keys, self.name) = (machine, keys, name)
        }
    }

    let files: ProgramFiles
    let packages: any PackageManager
    let watch: ProgramWatch
    let board: @Sendable () throws(Fault) -> Board
    /// Of the version that is installed.
    let own: Int
    let progress: @Sendable (String) -> Void
    /// What is wrong with a program's file; nil for nothing.
    let trial: @Sendable (_ program: String, _ directory: String) async throws(Fault) -> String?

    // What could not be installed so often, with longer and longer waits, is not tried again: that takes more than a day.
    private static let mostAttempts = 8

    /// - Parameters:
    ///   - files: root's own.
    ///   - progress: gets what is being done.
    ///   - board: what the settings and the machine say.
    package init(
        _ files: ProgramFiles, _ packages: any PackageManager, _ watch: ProgramWatch, own: String = gaitwayVersion,
        trial: (@Sendable (String, String) async throws(Fault) -> String?)? = nil,
        progress: @escaping @Sendable (String) -> Void, board: @escaping @Sendable () throws(Fault) -> Board
    ) {
        (self.files, self.packages, self.watch, self.board) = (files, packages, watch, board)
        self.progress = progress
        if let trial {
            self.trial = trial
        } else {
            self.trial = { program, directory async throws(Fault) in
                try await ProgramTrial.run(program, beside: files.program, in: directory)
            }
        }
        self.own = ProgramRelease.number(of: own) ?? 0
    }

    /// Ends what was interrupted, else does what is asked for.
    ///
    /// - Parameter folder: where the service leaves a release.
    /// - Throws: `.temporary` for what may work later, as the state then says; `.failure` for what keeps it from going back: that has to be
    ///   tried again.
    package func run(_ folder: String) async throws(Fault) -> Outcome {
        try Files.makeDirectory(files.directory, isPrivate: false)
        guard let lock = try FileLock(files.directory + "/lock", Stop()) else { return .nothing }
        defer { lock.release() }
        do throws(Fault) {
            // First of all: while it is there, systemd starts this again.
            let handed = try HandedOver(folder), isAsked = handed?.remove(ProgramFolder.request, by: files.directory) == true
            var state = try ProgramState.read(files.directory)
            if let pending = state.pending { return try await resume(pending, &state) }
            files.clear()
            guard isAsked, let handed else { return .nothing }
            return try await begin(handed, &state)
        } catch {
            // What was begun is gone on with, whatever the reason.
            if files.isUnfinished { throw Fault(.failure, error.message, remedy: error.remedy) }
            throw error
        }
    }

    private func begin(_ handed: borrowing HandedOver, _ state: inout ProgramState) async throws(Fault) -> Outcome {
        let board: Board, release: ProgramRelease
        do throws(Fault) {
            board = try self.board()
            release = try proved(handed, board, state)
        } catch {
            state.obstacle = error.message
            try? settle(&state)
            throw error
        }
        var pending = ProgramState.Pending(number: release.number, version: release.version, before: [:], after: [:])
        do throws(Fault) {
            guard watch.decides() else {
                throw Fault(.temporary, "the board decides nothing at present, so that nothing could show whether a new version does")
            }
            try await take(release, handed, board.machine, &pending)
            try files.keepProgram()
            (state.pending, state.obstacle) = (pending, nil)
            try state.write(files.directory)
        } catch {
            state.pending = nil
            if error.code == .badData { return try refuse(pending, error.message, &state) }
            return try postpone(pending, error.message, &state)
        }
        return try await tryOut(pending, &state)
    }

    // The service's user may lie in all of it: what is installed is what was proved here, out of copies that are root's.
    private func proved(_ handed: borrowing HandedOver, _ board: Board, _ state: ProgramState) throws(Fault) -> ProgramRelease {
        let bytes = try handed.read(ProgramFolder.release, limit: ProgramRelease.sizeLimit),
            signature = try handed.read(ProgramFolder.signature, limit: 1 << 20)
        let release = try SignedProgram(
            bytes, signature, ModelOffer(name: ProgramFolder.release, model: board.name), ModelChecks(keys: board.keys), isForBoard: false,
            now: SystemTime.wallSeconds
        ).release
        guard release.number > max(state.highest, own) else {
            throw Fault(.badData, "version \(release.version) of gaitway is no newer than what this board has or had")
        }
        return release
    }

    private func take(
        _ release: ProgramRelease, _ handed: borrowing HandedOver, _ machine: ProgramMachine, _ pending: inout ProgramState.Pending
    ) async throws(Fault) {
        for package in try machine.packages(of: release) {
            let name = package.name, file: [UInt8]
            guard package.version.hasPrefix(release.version + "+") else {
                throw Fault(.badData, "the release is \(release.version), and its package \(name) \(package.version)")
            }
            do throws(Fault) { file = try handed.read(ProgramFolder.file(of: name), limit: package.size) } catch {
                throw Fault(.temporary, error.message)
            }
            guard package.isOf(file) else {
                throw Fault(.temporary, "\(name) of version \(release.version) is not the file that was signed")
            }
            try Files.makeDirectory(around: files.new(name))
            try Files.write(file, to: files.new(name))
            guard let before = try await packages.version(of: name) else { throw Fault(.temporary, "\(name) is not wholly installed") }
            let identity = try await packages.identity(of: files.new(name))
            guard identity == (name, package.version), package.version != before else {
                throw Fault(.badData, "the file of \(name) is \(identity.name) \(identity.version); \(before) is installed")
            }
            (pending.before[name], pending.after[name]) = (before, package.version)
        }
    }

    private func tryOut(_ pending: ProgramState.Pending, _ state: inout ProgramState) async throws(Fault) -> Outcome {
        progress("version \(pending.version) of gaitway is tried on a simulated wearer")
        do throws(Fault) {
            // Not in /tmp, from which programs may not be run everywhere.
            let scratch = try TemporaryFolder(for: "release", in: files.directory), tree = scratch.path + "/tree"
            defer { withExtendedLifetime(scratch) {} } // it takes the folder away
            try await packages.unpack(files.new("gaitway"), to: tree)
            if let reason = try await trial(tree + "/usr/bin/gaitway", scratch.path) { return try refuse(pending, reason, &state) }
            try await keepWhatIsInstalled(pending)
        } catch {
            return try postpone(pending, error.message, &state)
        }
        return try await install(pending, &state)
    }

    // What to go back to is on the disk, and proved, before anything is changed.
    private func keepWhatIsInstalled(_ pending: ProgramState.Pending) async throws(Fault) {
        for (name, version) in pending.before {
            let kept = files.old(name)
            try Files.makeDirectory(around: kept)
            try await packages.pack(name, to: kept)
            guard try await packages.identity(of: kept) == (name, version) else {
                throw Fault(.failure, "the package \(name) that is installed could not be kept")
            }
            try Files.synchronise(file: kept)
        }
        try Files.synchronise(directory: files.directory + "/old")
    }

    private func install(_ pending: ProgramState.Pending, _ state: inout ProgramState) async throws(Fault) -> Outcome {
        state.pending?.stage = .installed
        try state.write(files.directory)
        progress("version \(pending.version) of gaitway is installed")
        let began = watch.now()
        do throws(Fault) { try await packages.install(pending.after.keys.sorted().map(files.new)) } catch {
            return try await goBack(pending, "it could not be installed: \(error.message)", mayPass: true, &state)
        }
        return try await judge(pending, since: began, &state)
    }

    private func judge(
        _ pending: ProgramState.Pending, since start: Double?, _ state: inout ProgramState
    ) async throws(Fault) -> Outcome {
        progress("version \(pending.version) of gaitway is watched for \(Int(watch.seconds)) s")
        if let fault = await watch.verdict(since: start) {
            return try await goBack(pending, fault.message, mayPass: fault.code == .temporary, &state)
        }
        (state.current, state.highest) = (pending.number, pending.number)
        (state.attempts, state.obstacle) = ([:], nil)
        try settle(&state)
        return .installed(version: pending.version)
    }

    // - Parameter mayPass: whether the reason may be the board's, as a full disk is.
    private func goBack(
        _ pending: ProgramState.Pending, _ reason: String, mayPass: Bool, _ state: inout ProgramState
    ) async throws(Fault) -> Outcome {
        // What was judged stays so: a power cut from here on does not give it another chance.
        state.pending?.stage = .goingBack(reason: reason, mayPass: mayPass)
        state.obstacle = reason
        // A full disk does not keep it from going back.
        files.clearNew()
        try? state.write(files.directory)
        progress("version \(pending.version) of gaitway is taken back: \(reason)")
        await packages.repair()
        if try await !isInstalled(pending.before) { try await packages.putBack(pending.before.keys.sorted().map(files.old)) }
        if mayPass { return try postpone(pending, reason, &state) }
        // Where the one before does no better, the board is at fault: a sensor that was pulled out, a card that does not keep up.
        if let problem = await watch.verdict(since: nil) {
            return try postpone(pending, "\(reason); and the version before it does no better: \(problem.message)", &state)
        }
        return try refuse(pending, reason, wasRunning: true, &state)
    }

    private func isInstalled(_ versions: [String: String]) async throws(Fault) -> Bool {
        for (name, version) in versions where try await packages.version(of: name) != version { return false }
        return true
    }

    // The power was cut, or this was killed.
    private func resume(_ pending: ProgramState.Pending, _ state: inout ProgramState) async throws(Fault) -> Outcome {
        progress("version \(pending.version) of gaitway was being installed when that was interrupted")
        switch pending.stage {
        case .trial: return try postpone(pending, "its trial was interrupted", &state)
        case .goingBack(let reason, let mayPass): return try await goBack(pending, reason, mayPass: mayPass, &state)
        case .installed:
            await packages.repair()
            if try await isInstalled(pending.after) { return try await judge(pending, since: nil, &state) }
            return try await goBack(pending, "its installation was interrupted", mayPass: true, &state)
        }
    }

    // Nothing of it is installed: it is tried again later, up to a point.
    private func postpone(
        _ pending: ProgramState.Pending, _ reason: String, _ state: inout ProgramState
    ) throws(Fault) -> Outcome {
        let attempts = (state.attempts["\(pending.number)"] ?? 0) + 1
        guard attempts < Self.mostAttempts else { return try refuse(pending, reason, &state) }
        state.attempts = ["\(pending.number)": attempts]
        state.obstacle = reason
        try settle(&state)
        throw Fault(.temporary, "version \(pending.version): \(reason)")
    }

    private func refuse(
        _ pending: ProgramState.Pending, _ reason: String, wasRunning: Bool = false, _ state: inout ProgramState
    ) throws(Fault) -> Outcome {
        state.refuse(pending.number, pending.version, reason, wasRunning: wasRunning)
        state.obstacle = nil
        try settle(&state)
        return .refused(version: pending.version, reason: reason)
    }

    // Nothing is pending any more. The files go once the disk says so.
    private func settle(_ state: inout ProgramState) throws(Fault) {
        var settled = state
        settled.pending = nil
        settled.answered += 1
        settled.answeredAt = SystemTime.wallTime
        try settled.write(files.directory)
        state = settled
        files.clear()
    }
}
