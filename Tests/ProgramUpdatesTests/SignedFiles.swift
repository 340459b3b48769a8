import Cryptography
import HubProtocol
import NeuralNetwork
import Support

@testable import ModelStore
@testable import ProgramUpdates

/// A release of one package with its signature.
struct SignedFiles {
    let release: [UInt8], signature: [UInt8], package: [UInt8]
    let number: Int

    init(
        _ version: String, package: String, with key: SigningKey, url: String = "https://example.org/gaitway.deb", model: String? = nil,
        number: Int? = nil, packaged: String? = nil
    ) throws {
        self.package = Array(package.utf8)
        release = Array(
            """
            {"format":"gaitway.program.1","version":"\(version)","packages":[{"name":"gaitway","architecture":"arm64","base":"bookworm",\
            "version":"\(packaged ?? version)+deb12","url":"\(url)","sha256":"\(Digest.text(self.package))","size":\(self.package.count)}]}
            """.utf8)
        self.number = number ?? ProgramRelease.number(of: version) ?? 0
        signature = try ModelSignature.sign(
            SignedContents(release, name: "release.json"), with: key,
            release: ModelRelease(model: model, version: self.number, length: release.count))
    }

    /// Leaves them as the service does.
    func leave(in folder: String) throws {
        try Files.makeDirectory(folder)
        for (name, bytes) in [("release.json", release), ("release.json.sig", signature), ("gaitway.deb", package), ("request", [0x31])] {
            try Files.write(bytes, to: "\(folder)/\(name)")
        }
    }
}

let arm64 = ProgramMachine(architecture: "arm64", base: "bookworm", installed: ["gaitway"])

func trusting(_ key: SigningKey) -> ModelChecks { ModelChecks(keys: TrustedKeys(key.verifying)) }
