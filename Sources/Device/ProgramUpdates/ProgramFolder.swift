internal import Cryptography
internal import HubProtocol
package import Support

/// Where a release of gaitway waits to be installed. The service writes there; what runs as root reads it, and believes nothing of it
/// before it is proved.
package enum ProgramFolder {
    package static var path: String { Places.state + "/program" }

    /// The release, and the signature of it.
    static let release = "release.json", signature = "release.json.sig"

    /// systemd starts the installer when it is there: board/service/gaitway-update.path.
    static let request = "request"

    static func file(of package: String) -> String { package + ".deb" }
}

/// The machine as Debian calls it.
package struct ProgramMachine: Sendable, Equatable {
    package var architecture: String
    package var base: String
    /// Those of ``ProgramRelease/names`` that are installed.
    package var installed: [String]

    package init(architecture: String, base: String, installed: [String]) {
        (self.architecture, self.base, self.installed) = (architecture, base, installed)
    }

    /// - Parameter root: of the file system.
    /// - Throws: `.configuration` where gaitway did not come as a package.
    package init(root: String = "") throws(Fault) {
        let release = (try? Files.read("\(root)/etc/os-release", limit: 1 << 16)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let line = release.split(separator: "\n").first { $0.hasPrefix("VERSION_CODENAME=") }
        let installed = ProgramRelease.names.filter { name in Files.exists("\(root)/var/lib/dpkg/info/\(name).list") }
        guard installed.contains("gaitway"), let line else {
            throw Fault(
                .configuration, "this gaitway did not come as a Debian package, so that none can take its place",
                remedy: "Install the package, or leave updates.program out.")
        }
        base = line.dropFirst("VERSION_CODENAME=".count).filter { $0 != "\"" }
        self.installed = installed
        #if arch(arm64)
            architecture = "arm64"
        #elseif arch(arm)
            architecture = "armhf"
        #else
            architecture = "amd64"
        #endif
    }

    /// The packages of a release that take the place of what is installed here.
    ///
    /// - Throws: `.badData` where one of them is not in it.
    func packages(of release: ProgramRelease) throws(Fault) -> [ProgramRelease.Package] {
        let found = release.packages(architecture: architecture, base: base)
        return try installed.map { name throws(Fault) in
            guard let package = found.first(where: { $0.name == name }) else {
                throw Fault(.badData, "version \(release.version) has no package \(name) for \(architecture) and Debian's \(base)")
            }
            return package
        }
    }
}

extension ProgramRelease.Package {
    /// Whether these are its bytes.
    func isOf(_ bytes: [UInt8]) -> Bool { bytes.count == size && Digest.text(bytes) == sha256 }
}
