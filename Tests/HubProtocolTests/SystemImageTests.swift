import Cryptography
import Support
import TestHelpers
import Testing

@testable import HubProtocol

@Suite struct SystemImageTests {
    private func digests(of text: String) throws -> FileDigests {
        let path = temporaryDirectory() + "/image"
        try Files.write(Array(text.utf8), to: path)
        return try FileDigests(ofFile: path)
    }

    /// As sha256sum, sha1sum and md5sum print them.
    @Test func digestsAreThoseOfOthers() throws {
        let digests = try digests(of: "abc")
        #expect(digests.size == 3 && digests.md5 == "900150983cd24fb0d6963f7d28e17f72")
        #expect(digests.sha1 == "a9993e364706816aba3e25717850c26c9cd0d89d")
        #expect(digests.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(throws: Fault.self) { _ = try FileDigests(ofFile: "/nowhere") }
        #expect(throws: Fault.self) { _ = try FileDigests(ofFile: "/tmp") }
    }

    @Test func isReadAsItWasWritten() throws {
        let image = try SystemImage(name: "os-1.2.swu", version: "1.2", url: "https://x.example/os%20.swu", digests: try digests(of: "abc"))
        #expect(SystemImage.isMarked(image.bytes) && UploadedFile(name: "", bytes: image.bytes).format == UploadedFile.image)
        #expect(try SystemImage(image.bytes, name: "it") == image)
    }

    @Test(arguments: [
        ("os.swu", "os/1.swu"), ("\"1.2\"", "\"\""), ("\"1.2\"", "\"..\""), ("https://x", "file://x"), ("https://x", "https://x\\u000ay"),
        ("\"size\":3", "\"size\":0"), ("\"size\":3", "\"size\":1099511627777"), ("\"size\":3", "\"size\":99999999999999999999"),
        ("9001", "900"), ("9001", "900A"), ("image.1", "image.2"), ("{", "["),
    ])
    func whatIsNoneIsRefused(part: String, instead: String) throws {
        let image = try SystemImage(name: "os.swu", version: "1.2", url: "https://x.example/os", digests: try digests(of: "abc"))
        let text = String(decoding: image.bytes, as: UTF8.self)
        #expect(text.contains(part))
        #expect(throws: Fault.self) { _ = try SystemImage(Array(text.replacing(part, with: instead).utf8), name: "it") }
    }
}
