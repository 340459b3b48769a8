import Support
import Testing

@testable import HubProtocol

@Suite struct ProgramReleaseTests {
    private func text(
        version: String = "1.2.3", name: String = "gaitway", url: String = "https://example.org/gaitway.deb",
        sha256: String = String(repeating: "a", count: 64), size: String = "5", packageVersion: String = "1.2.3+deb12"
    ) -> [UInt8] {
        Array(
            """
            {"format":"gaitway.program.1","version":"\(version)","packages":[{"name":"\(name)","architecture":"arm64","base":"bookworm",\
            "version":"\(packageVersion)","url":"\(url)","sha256":"\(sha256)","size":\(size)}]}
            """.utf8)
    }

    @Test func aReleaseIsRead() throws {
        let release = try ProgramRelease(text(), name: "r")
        #expect(release.number == 1_002_003)
        #expect(release.packages(architecture: "arm64", base: "bookworm").map(\.version) == ["1.2.3+deb12"])
        #expect(release.packages(architecture: "arm64", base: "trixie").isEmpty)
        #expect(UploadedFile(name: "release.json", bytes: text()).format == UploadedFile.program)
    }

    @Test func whatIsNoneIsRefused() {
        let wrong = [
            text(version: "1.2"), text(version: "0.0.0"), text(version: "0.02.0"), text(name: "gaitway-dashboard"),
            text(version: "1.2.1000"), text(version: "2000.0.0"), text(version: "+1.2.3"), text(version: "1.-2.3"),
            text(version: "99999999999.0.0"), text(name: "../../etc/passwd"), text(name: "bash"), text(url: "file:///etc/passwd"),
            text(url: "https://a b"), text(url: "https://" + String(repeating: "a", count: 500)), text(sha256: "aa"),
            text(sha256: String(repeating: "A", count: 64)), text(size: "0"), text(size: "67108865"), text(size: "1e30"),
            text(packageVersion: "1;reboot"), text(packageVersion: ""), [], Array("{}".utf8),
        ]
        for bytes in wrong { #expect(throws: Fault.self) { try ProgramRelease(bytes, name: "r") } }
    }

    @Test func onePackageForEachMachine() {
        let once = String(decoding: text(), as: UTF8.self)
        let package = once.dropFirst(once.firstIndex(of: "[")!.utf16Offset(in: once) + 1).dropLast(2)
        let twice = once.dropLast(2) + "," + package + "]}"
        #expect(throws: Fault.self) { try ProgramRelease(Array(twice.utf8), name: "r") }
    }

    @Test func numbersAreInTheOrderOfVersions() {
        let numbers = ["0.0.1", "0.1.0", "0.1.999", "0.2.0", "1.0.0", "1999.999.999"].map { ProgramRelease.number(of: $0) }
        #expect(numbers == numbers.compactMap(\.self).sorted())
        #expect(numbers.compactMap(\.self).map(ProgramRelease.version) == ["0.0.1", "0.1.0", "0.1.999", "0.2.0", "1.0.0", "1999.999.999"])
        // Of 32 bits.
        #expect(numbers.last == 1_999_999_999)
    }

    @Test func aReportSaysWhatFilesItIsOf() throws {
        var report = ModelReport(model: "gaitway", highest: 3, versions: [])
        #expect(ModelReport(report.json)?.format == "safetensors")
        report.format = UploadedFile.program
        #expect(ModelReport(report.json)?.format == "program")
        report.format = "onnx"
        #expect(ModelReport(report.json)?.format == "safetensors")
    }
}
