import Cryptography
import Glibc
import Support
import TestHelpers
import Testing

@testable import NeuralNetwork

@Suite struct SignatureTests {
    private func directory(_ files: [String: String]) throws -> String {
        var template = Array("/tmp/gaitway-sign-XXXXXX".utf8CString)
        let path = String(cString: try #require(mkdtemp(&template))) + "/model"
        try Files.makeDirectory(path + "/deep")
        for (name, text) in files { try Files.write(Array(text.utf8), to: "\(path)/\(name)") }
        return path
    }

    @Test func whatIsSignedIsAllAndOnlyThat() throws {
        let path = try directory(["a.safetensors": "weights", "deep/labels.txt": "A,B", ".gitignore": "x"]), key = SigningKey()
        let contents = try SignedContents(path), signature = try ModelSignature.sign(contents, with: key)
        #expect(contents.files.map(\.name) == ["a.safetensors", "deep/labels.txt"])
        try ModelSignature.verify(contents, signature, by: key.verifying)
        try ModelSignature.verify(contents, signature, by: try VerifyingKey(pem: key.verifying.pem, path: "k"))
        #expect(
            refusal { () throws(Fault) in try ModelSignature.verify(contents, signature, by: SigningKey().verifying) }?.code == .permission)

        for (change, word) in [("a.safetensors", "is not what was signed"), ("more.txt", "was not signed")] {
            let other = try directory(["a.safetensors": "weights", "deep/labels.txt": "A,B"])
            try Files.write(Array("other".utf8), to: "\(other)/\(change)")
            let found = refusal { () throws(Fault) in try ModelSignature.verify(try SignedContents(other), signature, by: key.verifying) }
            #expect(found?.code == .badData && found?.message.contains(word) == true)
        }
        let fewer = try directory(["a.safetensors": "weights"])
        #expect(
            refusal { () throws(Fault) in try ModelSignature.verify(try SignedContents(fewer), signature, by: key.verifying) }?.message
                .contains("is not there") == true)
        symlink("/etc/passwd", "\(fewer)/link")
        #expect(refusal { () throws(Fault) in _ = try SignedContents(fewer) }?.message.contains("is a link") == true)
    }

    @Test func anyChangedByteIsRefused() throws {
        let contents = SignedContents(Array("weights".utf8), name: "m"), key = SigningKey(),
            signature = try ModelSignature.sign(contents, with: key)
        for place in stride(from: 0, to: signature.count, by: 3) {
            var changed = signature
            changed[place] ^= 1
            // What is not signed over may change: white space, the hint, names that nobody reads.
            if (try? ModelSignature.verify(contents, changed, by: key.verifying)) != nil {
                let text = String(decoding: signature, as: UTF8.self), envelope = try #require(text.firstRange(of: "\"payload\":\"")),
                    end = try #require(text[envelope.upperBound...].firstIndex(of: "\""))
                let signed =
                    text.utf8.distance(from: text.startIndex, to: envelope.upperBound)..<text.utf8.distance(from: text.startIndex, to: end)
                #expect(!signed.contains(place), "byte \(place) of the payload")
            }
        }
        for length in stride(from: 0, to: signature.count, by: 7) {
            #expect(
                refusal { () throws(Fault) in try ModelSignature.verify(contents, Array(signature.prefix(length)), by: key.verifying) }
                    != nil)
        }
    }

    // Made by model_signing 1.1.1 and openssl 3.0 (Tests/Vectors/model_signing_compare).
    @Test func signaturesOfTheRealTool() throws {
        let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/Tests/Fixtures/signatures"
        let key = try VerifyingKey(
            pem: String(decoding: try Files.read("\(root)/public.pem", limit: 10_000), as: UTF8.self), path: "public.pem")
        for name in ["model", "model/a.txt"] {
            let signature = try Files.read("\(root)/\(name == "model" ? "directory" : "file").sig", limit: 1 << 20)
            try ModelSignature.verify(try SignedContents("\(root)/\(name)"), signature, by: key)
            #expect(
                refusal { () throws(Fault) in try ModelSignature.verify(SignedContents([1], name: "x"), signature, by: key) }?.code
                    == .badData)
        }
    }

    @Test func keys() throws {
        let key = SigningKey()
        #expect(
            try SigningKey(pem: "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n" + key.pem, path: "k")
                .verifying.pem == key.verifying.pem)
        for bad in ["", key.verifying.pem, "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"] {
            #expect(refusal { () throws(Fault) in _ = try SigningKey(pem: bad, path: "k") }?.code == .badData)
        }
        #expect(refusal { () throws(Fault) in _ = try VerifyingKey(pem: key.pem, path: "k") }?.code == .badData)
    }

    /// While a key is changed both are trusted.
    @Test func anyOfSeveralKeysWillDo() throws {
        let contents = try SignedContents(try directory(["a.safetensors": "weights"])), old = SigningKey(), new = SigningKey()
        let both = try VerifyingKey(pem: old.verifying.pem + new.verifying.pem, path: "k")
        #expect(both.count == 2 && both.pem == old.verifying.pem + new.verifying.pem)
        for key in [old, new] { try ModelSignature.verify(contents, try ModelSignature.sign(contents, with: key), by: both) }
        let other = try ModelSignature.sign(contents, with: SigningKey())
        #expect(refusal { () throws(Fault) in try ModelSignature.verify(contents, other, by: both) }?.code == .permission)
        let broken = old.verifying.pem + "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"
        #expect(refusal { () throws(Fault) in _ = try VerifyingKey(pem: broken, path: "k") }?.code == .badData)
    }

    /// What a file has to be that is not here yet.
    @Test func aSignatureNamesTheOneFileThatItIsOf() throws {
        let bytes = Array("model".utf8), key = SigningKey()
        let signature = try ModelSignature.sign(SignedContents(bytes, name: "m"), with: key)
        #expect(try ModelSignature.promised(signature, by: key.verifying, name: "m").digest == Digest.text(bytes))
        #expect(
            refusal { () throws(Fault) in _ = try ModelSignature.promised(signature, by: SigningKey().verifying, name: "m") }?.code
                == .permission)
        #expect(refusal { () throws(Fault) in _ = try ModelSignature.promised([], by: key.verifying, name: "m") }?.code == .permission)
        let several = try ModelSignature.sign(try SignedContents(try directory(["a": "1", "b": "2"])), with: key)
        #expect(refusal { () throws(Fault) in _ = try ModelSignature.promised(several, by: key.verifying, name: "m") }?.code == .badData)
    }

    @Test func aBoardWithAKeyRunsWhatItSigned() throws {
        let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/"), key = SigningKey()
        let path = try directory([:]) + "/m.safetensors",
            bytes = try Files.read("\(root)/board/models/activity.safetensors", limit: 1 << 20)
        try Files.write(bytes, to: path)
        #expect(refusal { () throws(Fault) in _ = try NetworkFile.load(path, trusting: key.verifying) }?.code == .permission)
        try Files.write(try ModelSignature.sign(try SignedContents(path), with: key), to: ModelSignature.path(of: path))
        #expect(try NetworkFile.load(path, trusting: key.verifying).labels.contains("WALKING"))
        #expect(refusal { () throws(Fault) in _ = try NetworkFile.load(path, trusting: SigningKey().verifying) }?.code == .permission)
        try Files.write(bytes + [0], to: path)
        #expect(
            refusal { () throws(Fault) in _ = try NetworkFile.load(path, trusting: key.verifying) }?.message.contains(
                "is not what was signed") == true)
    }
}
