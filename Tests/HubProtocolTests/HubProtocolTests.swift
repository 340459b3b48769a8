import Support
import Testing

@testable import HubProtocol

private let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

@Suite struct HubProtocolTests {
    @Test func aReportArrivesAsItWasSent() throws {
        let versions = ModelState.allCases.enumerated().map {
            ModelReport.Version(version: $0.offset, state: $0.element, reason: "because \"\($0.offset)\"")
        }
        let report = ModelReport(model: "activity", highest: 9, versions: versions)
        let wire = try #require(JSONValue(parsing: report.json.bytes))
        #expect(ModelReport(wire) == report)
        let beat = HeartbeatMessage(modelVersion: 7, models: [report]),
            members = try #require(JSONValue(parsing: JSONValue.members(beat.members).bytes))
        #expect(HeartbeatMessage(members) { nil } == beat)
        #expect(members["model_status"]?.text == "shadow")
    }

    @Test func reportsFromElsewhereAreBounded() throws {
        func report(_ json: String) -> ModelReport? { JSONValue(parsing: Array(json.utf8)).flatMap { ModelReport($0) } }
        for bad in [
            "{}", "[]", #"{"model_id":"m"}"#, #"{"model_id":"m","highest_version":-1}"#,
            #"{"model_id":"\#(String(repeating: "m", count: 201))","highest_version":1}"#, #"{"model_id":"m","highest_version":1e30}"#,
        ] {
            #expect(report(bad) == nil, "\(bad)")
        }
        let long = String(repeating: "x", count: 10_000)
        let odd = try #require(
            report(
                #"{"model_id":"m","highest_version":"3","versions":[{"version":1,"state":"dancing"},"#
                    + #"{"version":-2,"state":"refused"},{"version":2,"state":"refused","reason":"\#(long)"}]}"#
            ))
        #expect(odd.highest == 3 && odd.versions.map(\.version) == [2] && odd.versions[0].reason.utf8.count == 500)
    }

    @Test func elderClientsTellTheVersionElsewhere() {
        let metadata: JSONValue = ["model_version": "4"]
        #expect(HeartbeatMessage([:]) { metadata }.modelVersion == 4)
        #expect(HeartbeatMessage(["active_model_version": .integer(5)]) { metadata }.modelVersion == 5)
        #expect(HeartbeatMessage(["active_model_version": "new"]) { nil } == HeartbeatMessage())
    }

    @Test func answersOfAHeartbeat() throws {
        #expect(HeartbeatAnswer.updates([:]) == nil)
        let updates = try #require(HeartbeatAnswer.updates(["activity": 3]))
        let answer = HeartbeatAnswer(["updates": updates, "server_time": "2026-11-22T09:03:05Z", "heartbeat_interval_seconds": "60"])
        #expect(answer.updates == ["activity": "3"] && answer.serverTime == 1_795_338_185 && answer.interval == 60)
        for bad: JSONValue in ["0", "86401", "soon", .number(.infinity), .integer(-5), .null] {
            #expect(HeartbeatAnswer(["heartbeat_interval_seconds": bad]).interval == nil, "\(bad)")
        }
    }

    @Test func offersArriveAsTheyWereSent() throws {
        let update = ModelUpdate(newVersion: "3", checksum: "ab", size: 7, releaseNotes: "better")
        #expect(ModelUpdate(try #require(JSONValue(parsing: update.json(current: "1").bytes))) == update)
        #expect(ModelUpdate(["size": .integer(1)]) == nil)
        for assigned in [
            AssignedVersion(version: "1.4.0", number: 3, rollout: 12, bucket: 40),
            AssignedVersion(version: "3", number: 3, experiment: "e", variant: "control", bucket: 7),
        ] {
            #expect(AssignedVersion(.members(assigned.members)) == assigned)
        }
        #expect(JSONValue.members(AssignedVersion(version: "3", rollout: 12, bucket: 40).members)["rollout_id"] == .integer(12))
        let tokens = TokenAnswer(
            access: "a", refresh: "r", lifetime: 900, expires: 1_770_372_900, org: "o", identifier: "d", scopes: ["devices:write"])
        #expect(TokenAnswer(try #require(JSONValue(parsing: tokens.json.bytes))) == tokens)
    }

    /// What the hub's page and its API's description say of a model's state is what boards say.
    @Test func pageAndDescriptionUseTheseWords() throws {
        let page = String(decoding: try Files.read("\(root)/Sources/Server/Hub/Page/boards.js", limit: 1 << 20), as: UTF8.self)
        let description = try #require(JSONValue(parsing: try Files.read("\(root)/Sources/Server/Hub/API/openapi.json", limit: 1 << 22)))
        let schema = try #require(description["components"]?["schemas"]?["ModelState"]?["enum"])
        #expect(schema == .array(ModelState.allCases.map { .string($0.rawValue) }))
        // The page shows those that are under way: [...].includes(heartbeat?.model_status).
        let end = try #require(page.firstRange(of: "].includes(heartbeat?.model_status)")),
            begin = try #require(page[..<end.lowerBound].lastIndex(of: "["))
        let words = page[page.index(after: begin)..<end.lowerBound].split(separator: ",").map { $0.filter { $0.isLetter || $0 == "_" } }
        #expect(words == [ModelState.shadow, .probation].map(\.rawValue))
    }

    /// Falls: those that are not over come first in the page's list.
    @Test func thePageKnowsEveryStateOfAFall() throws {
        let page = String(decoding: try Files.read("\(root)/Sources/Server/Hub/Page/page.js", limit: 1 << 20), as: UTF8.self)
        let words = FallState.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        #expect(page.contains("const falls = [\(words)];"))
    }

    private func form(_ parts: [(String, String)], boundary: String = "b7") -> [UInt8] {
        Array(
            (parts.map { "--\(boundary)\r\nContent-Disposition: form-data; \($0.0)\r\n\r\n\($0.1)\r\n" }.joined() + "--\(boundary)--\r\n")
                .utf8)
    }

    @Test func formsAsClientsSendThem() throws {
        let type = "multipart/form-data; boundary=b7"
        let bytes = form([("name=\"version\"", "1.4.0"), ("name=\"file\"; filename=\"a.onnx\"", "x\r\n--b\r\ny"), ("name=\"empty\"", "")])
        let found = try #require(MultipartForm(bytes, contentType: type)), file = try #require(found.file(named: "file"))
        #expect(found.text("version") == "1.4.0" && found.text("empty") == "" && found.text("file") == nil && found.text("no") == nil)
        #expect(file.name == "a.onnx" && file.bytes == Array("x\r\n--b\r\ny".utf8) && file.format == "onnx")
        #expect(MultipartForm(bytes, contentType: "multipart/form-data; boundary=\"b7\"")?.text("version") == "1.4.0")
        for end in 0..<bytes.count - 4 { #expect(MultipartForm(Array(bytes.prefix(end)), contentType: type) == nil, "\(end)") }
        for wrong in ["multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=b8"] {
            #expect(MultipartForm(bytes, contentType: wrong) == nil)
        }
        #expect(MultipartForm(form([(String, String)](repeating: ("name=\"a\"", "b"), count: 40)), contentType: type) == nil)
        #expect(MultipartForm(form([("name=\"long\"", String(repeating: "a", count: 1001))]), contentType: type)?.text("long") == nil)
    }

    @Test(
        arguments: [
            ([0x93, 0x4E, 0x55, 0x4D, 0x50, 0x59, 1], "m.bin", "npy"), ([0x50, 0x54, 0x54, 0x48], "", "ptth"),
            ([28, 0, 0, 0, 0x54, 0x46, 0x4C, 0x33], "m.onnx", "tflite"), ([1, 2, 3], "M.ONNX", "onnx"), ([1], "m.pth", "pytorch"),
            ([1], "onnx", "safetensors"), ([], "m.safetensors", "safetensors"),
        ] as [([UInt8], String, String)]) func whatAFileIs(_ bytes: [UInt8], _ name: String, _ format: String)
    {
        #expect(UploadedFile(name: name, bytes: bytes).format == format)
    }
}
