import Support
import TestHelpers
import Testing

@testable import Updates

@Suite struct HawkBitTests {
    private let digest = String(repeating: "ab", count: 32)

    private func artifact(_ name: String, size: String = "5", hashes: String? = nil) -> String {
        let hashes = hashes ?? #"{"sha256": "\#(digest)"}"#
        return #"{"filename": "\#(name)", "size": \#(size), "hashes": \#(hashes), "_links": {"download": {"href": "https://h/\#(name)"}}}"#
    }

    private func action(_ artifacts: [String], id: String = "\"12\"", download: String = "forced") throws -> HawkBitAction {
        let chunks = #"[{"part": "bApp", "name": "n", "version": "1", "artifacts": [\#(artifacts.joined(separator: ","))]}]"#
        let text = #"{"id": \#(id), "deployment": {"download": "\#(download)", "update": "forced", "chunks": \#(chunks)}}"#
        return try HawkBitAction(try #require(JSONValue(parsing: Array(text.utf8))))
    }

    @Test func oneModelAndItsSignature() throws {
        let found = try action([artifact("readme.txt"), artifact("m.safetensors.sig"), artifact("m.safetensors")])
        #expect(found.id == "12" && found.mayDownload)
        #expect(found.model == .init(name: "m.safetensors", address: "https://h/m.safetensors", size: 5, checksum: digest))
        #expect(found.signature?.name == "m.safetensors.sig")
        #expect(try action([artifact("m.safetensors")], download: "skip").mayDownload == false)
        #expect(try action([artifact("m.safetensors")], id: "12").id == "12")
    }

    @Test func whatIsNotOneModel() throws {
        #expect(try action([]).model == nil)
        #expect(try action([artifact("a.safetensors"), artifact("b.safetensors")]).model == nil)
        #expect(try action([artifact("../m.safetensors")]).model == nil)
        #expect(try action([artifact("m.safetensors", hashes: #"{"sha1": "00"}"#)]).model?.checksum == nil)
        #expect(try action([artifact("m.safetensors", hashes: "7")]).model?.checksum == nil)
        #expect(
            try action([artifact("m.safetensors", hashes: #"{"sha256": "\#(String(repeating: "zz", count: 32))"}"#)]).model?.checksum == nil
        )
        for size in ["-1", "1e300", "0.5", "\"x\"", "null"] {
            #expect(try action([artifact("m.safetensors", size: size)]).model?.size == nil)
        }
        #expect(try action((0..<200).map { artifact("\($0).txt") } + [artifact("m.safetensors")]).model == nil)
    }

    @Test(arguments: ["\"../7\"", "\"\"", "null", "{}", "\"\(String(repeating: "7", count: 65))\"", "\"a b\""])
    func whatCanBeNoPartOfAnAddress(_ id: String) { #expect(throws: Fault.self) { try action([artifact("m.safetensors")], id: id) } }

    @Test func whatIsNoAction() {
        for text in ["{}", "[]", #"{"id": "1"}"#, #"{"id": "1", "deployment": 5, "chunks": {}}"#] {
            let document = JSONValue(parsing: Array(text.utf8)) ?? .null
            #expect((try? HawkBitAction(document))?.model == nil)
        }
    }

    @Test(arguments: [
        ("00:05:00", 300), ("12:00:00", 43_200), ("00:00:10", 10), ("5", nil), ("-1:00:00", nil), ("99999999999999999999:0:0", nil),
        ("", nil), (":00:05:00", nil), ("x:00:05:00", nil),
    ])
    func pauses(_ text: String, _ seconds: Int?) { #expect(HawkBitActions.seconds(text) == seconds) }

    @Test func theTokenStaysWithItsServer() async throws {
        let file = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"
        let other = try Server(file), own = try Server(file)
        let server = try HawkBitServer("\(own.address)/default/controller/v1/b", token: "secret")
        // Not over http, wherever it is; and not with the token.
        await #expect(throws: Fault.self) { try await server.file("\(other.address)/m", limit: 10) }
        await #expect(throws: Fault.self) { _ = try await server.document("\(other.address)/default/controller/v1/b") }
        await #expect(throws: Fault.self) { try await server.send("POST", "\(other.address)/x", .null) }
        #expect(other.requests.isEmpty)
        #expect(try await server.file("\(server.base)/m", limit: 10) == Array("hello".utf8))
        #expect(own.requests.first?.contains("Authorization: TargetToken secret\r\n") == true)
    }

    @Test(arguments: [
        "https://h/default/controller/v1", "https://h/controller/v1/b", "https://h/controller/v2/b",
        "http://h.example.org/default/controller/v1/b", "h", "https://h/",
        "",
    ])
    func whatIsNoAddress(_ address: String) { #expect(throws: Fault.self) { try HawkBitServer(address, token: nil) } }
}
