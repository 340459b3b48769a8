package import Support

/// What installs packages on this machine.
package protocol PackageManager: Sendable {
    /// What is installed; nil where it is not, or not wholly.
    ///
    /// - Throws: where that cannot be found out.
    func version(of package: String) async throws(Fault) -> String?

    /// Name and version that a package's file says.
    func identity(of file: String) async throws(Fault) -> (name: String, version: String)

    /// Unpacks the files of a package for a look.
    func unpack(_ file: String, to directory: String) async throws(Fault)

    /// Makes a file of a package as it is installed, to go back to.
    func pack(_ package: String, to file: String) async throws(Fault)

    /// Installs these files together, also where what is there is newer. Nothing else is removed, and the settings stay.
    func install(_ files: [String]) async throws(Fault)

    /// The same of what was there before, in whatever state the packages are.
    func putBack(_ files: [String]) async throws(Fault)

    /// Ends what was interrupted.
    func repair() async
}

/// Debian's: dpkg and apt.
package struct DebianPackages: PackageManager {
    package init() {}

    // s, of what changes nothing: what does must not be ended half-way.
    private static let lookDeadline = 120.0, packDeadline = 900.0
    // s, of what was interrupted: a package's script that hangs would hang again.
    private static let repairDeadline = 300.0
    private static let packer = "/usr/lib/gaitway/repack"
    private static let keepsSettings = ["--force-confdef", "--force-confold"]

    package func version(of package: String) async throws(Fault) -> String? {
        let format = "${db:Status-Status} ${Version}"
        let found = try await SystemCommand("dpkg-query", ["--show", "--showformat", format, package]).output(within: Self.lookDeadline)
        let words = String(decoding: found, as: UTF8.self).split(separator: " ")
        return words.count == 2 && words[0] == "installed" ? String(words[1]) : nil
    }

    package func identity(of file: String) async throws(Fault) -> (name: String, version: String) {
        let found = try await SystemCommand("dpkg-deb", ["--show", "--showformat", "${Package} ${Version}", file]).output(
            within: Self.lookDeadline)
        let words = String(decoding: found, as: UTF8.self).split(separator: " ").map(String.init)
        guard words.count == 2 else { throw Fault(.badData, "\(file) is no package") }
        return (words[0], words[1])
    }

    package func unpack(_ file: String, to directory: String) async throws(Fault) {
        try await SystemCommand("dpkg-deb", ["--extract", file, directory]).run(within: Self.lookDeadline)
    }

    package func pack(_ package: String, to file: String) async throws(Fault) {
        try await SystemCommand(Self.packer, [package, file]).run(within: Self.packDeadline)
    }

    package func install(_ files: [String]) async throws(Fault) {
        let options = ["DPkg::Lock::Timeout=600"] + Self.keepsSettings.map { "Dpkg::Options::=\($0)" }
        try await SystemCommand(
            "apt-get",
            options.flatMap { ["-o", $0] }
                + ["install", "--yes", "--no-install-recommends", "--allow-downgrades", "--reinstall", "--no-remove"] + files,
            environment: Self.silent
        ).run(within: nil)
    }

    package func putBack(_ files: [String]) async throws(Fault) {
        do throws(Fault) { try await install(files) } catch {
            // apt does nothing where another package's dependencies are not met.
            try await SystemCommand("dpkg", Self.keepsSettings + ["--force-downgrade", "--install"] + files, environment: Self.silent).run(
                within: nil)
        }
    }

    package func repair() async {
        // What cannot be ended is replaced by what is installed next.
        try? await SystemCommand("dpkg", Self.keepsSettings + ["--configure", "--pending"], environment: Self.silent).run(
            within: Self.repairDeadline)
    }

    private static let silent = ["DEBIAN_FRONTEND": "noninteractive"]
}
