internal import Support

/// The installer's own folder, root's: its state, the packages of a release, and what to go back to.
package struct ProgramFiles: Sendable {
    package let directory: String
    /// The program that is installed, and is kept while another one is tried in its place.
    let program: String

    /// - Parameter program: as the package installs it.
    package init(_ directory: String = ProgramState.directory, program: String = "/usr/bin/gaitway") {
        (self.directory, self.program) = (directory, program)
    }

    func new(_ package: String) -> String { "\(directory)/new/\(package).deb" }

    func old(_ package: String) -> String { "\(directory)/old/\(package).deb" }

    /// board/service/update runs it in the place of the new one.
    private var kept: String { "\(directory)/old/gaitway" }

    /// Keeps the present program, which ends what is interrupted: the new one may not be able to.
    func keepProgram() throws(Fault) {
        let bytes = try Files.read(program, limit: 256 << 20)
        try Files.makeDirectory(around: kept)
        try Files.write(bytes, to: kept)
        try Files.makeExecutable(kept)
        try Files.synchronise(file: kept)
    }

    /// Whether something was begun and not ended: systemd starts the installer while the program is kept.
    var isUnfinished: Bool { Files.exists(kept) }

    /// What was to be installed, which is not needed any more.
    func clearNew() { TemporaryFolder.remove("\(directory)/new") }

    /// What remains is the state.
    func clear() {
        let stays = ["state.json", "keys.json", "lock"]
        for name in (try? Files.list(directory)) ?? [] where !stays.contains(name) { TemporaryFolder.remove("\(directory)/\(name)") }
    }
}
