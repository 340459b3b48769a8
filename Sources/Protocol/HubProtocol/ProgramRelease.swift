internal import Cryptography
internal import FoundationEssentials
package import Support

/// A release of gaitway itself, as a hub rolls it out: its version and Debian's packages of it, each with its digest. The file is signed
/// as models are.
package struct ProgramRelease: Codable, Sendable, Equatable {
    /// A package of one processor and one release of Debian.
    package struct Package: Codable, Sendable, Equatable {
        /// One of ``names``.
        package var name: String
        /// Debian's names: arm64, armhf, amd64.
        package var architecture: String
        /// The release of Debian that it was built for: bookworm, trixie.
        package var base: String
        package var version: String
        /// Its folder's address and its name, which is encoded when it is asked for.
        package var url: String
        /// 64 hexadecimal digits.
        package var sha256: String
        /// Bytes.
        package var size: Int
    }

    private var format: String
    /// What `gaitway --version` prints: three numbers.
    package private(set) var version: String
    package private(set) var packages: [Package]

    /// Packages that belong to a board's program; what else lies there is not installed.
    package static let names = ["gaitway", "gaitway-dashboard"]
    /// Bytes of the file, and of one package.
    package static let sizeLimit = 1 << 16, packageLimit = 64 << 20

    private static let mark = "gaitway.program.1", mostPackages = 64, longestAddress = 500

    /// - Throws: `.badData` for what is none.
    package init(_ bytes: [UInt8], name: String) throws(Fault) {
        func bad(_ what: String) -> Fault { Fault(.badData, "\(name) is no release of gaitway: \(what)") }
        guard bytes.count <= Self.sizeLimit, let found = try? JSONDecoder().decode(Self.self, from: Data(bytes)), found.format == Self.mark
        else { throw bad("it is not of the format \(Self.mark)") }
        guard let number = Self.number(of: found.version), number > 0 else { throw bad("its version is \"\(found.version)\"") }
        guard (1...Self.mostPackages).contains(found.packages.count) else { throw bad("it names \(found.packages.count) packages") }
        var places: Set<String> = []
        for package in found.packages {
            guard package.isWellFormed(longestAddress: Self.longestAddress) else {
                throw bad("its package \"\(package.name)\" is not well formed: see its version, url, sha256 and size")
            }
            guard places.insert("\(package.name) \(package.architecture) \(package.base)").inserted else {
                throw bad("it names \(package.name) for \(package.architecture) and \(package.base) twice")
            }
        }
        guard found.packages.contains(where: { $0.name == Self.names[0] }) else { throw bad("it has no package \(Self.names[0])") }
        self = found
    }

    /// Whether a file may be one: whoever takes it reads it.
    package static func isMarked(_ bytes: [UInt8]) -> Bool {
        bytes.count <= sizeLimit && JSONValue(parsing: bytes)?["format"]?.text == mark
    }

    /// Boards and hubs go by it: 1.2.3 is 1002003.
    package var number: Int { Self.number(of: version) ?? 0 }

    /// The number of a version of three numbers, the last two below 1000 and the first below 2000; nil for what is none.
    package static func number(of version: String) -> Int? {
        let parts = version.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in part.utf8.allSatisfy { (48...57).contains($0) } && part.utf8.count <= 4 ? Int(part) : nil }
        // One version has one number: none is written with zeros before it.
        guard parts.allSatisfy({ $0 == "0" || !$0.hasPrefix("0") }) else { return nil }
        guard numbers.count == 3, parts.count == 3, numbers[0] < 2000, numbers[1] < 1000, numbers[2] < 1000 else { return nil }
        return (numbers[0] * 1000 + numbers[1]) * 1000 + numbers[2]
    }

    /// The version of a number.
    package static func version(of number: Int) -> String { "\(number / 1_000_000).\(number / 1000 % 1000).\(number % 1000)" }

    /// Those of a machine, one a name.
    package func packages(architecture: String, base: String) -> [Package] {
        Self.names.compactMap { name in packages.first { $0.name == name && $0.architecture == architecture && $0.base == base } }
    }
}

extension ProgramRelease.Package {
    fileprivate func isWellFormed(longestAddress: Int) -> Bool {
        let isAddress = (url.hasPrefix("https://") || url.hasPrefix("http://")) && url.utf8.allSatisfy { (33..<127).contains($0) }
        return ProgramRelease.names.contains(name) && url.utf8.count <= longestAddress && isAddress
            && Hexadecimal.bytes(sha256)?.count == 32 && sha256 == sha256.lowercased() && (1...ProgramRelease.packageLimit).contains(size)
            && !version.isEmpty && version.utf8.count <= 100
            && version.utf8.allSatisfy { byte in
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || ".+~:-".utf8.contains(byte)
            }
    }
}
