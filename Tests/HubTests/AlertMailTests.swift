import Foundation
import HubStore
import Testing

@testable import Hub

/// Alerts as mail.
@Suite struct AlertMailTests {
    /// RFC 2047: an encoded word has at most 75 characters, and no scalar is in two of them.
    @Test(arguments: [
        "kitchen", String(repeating: "ж", count: 50), String(repeating: "👩‍👩‍👧", count: 20), "a\r\nBcc: x@example.org",
    ])
    func aSubjectIsMadeOfShortWords(_ name: String) throws {
        let alert = Alert(device: "d", name: name, identifier: "i", org: "o", reason: .fall, hasBegun: true, since: 0)
        let lines = AlertMail.message([alert, alert], to: "a@b", at: 0).components(separatedBy: "\n")
        #expect(lines[0] == "To: a@b" && lines[1].hasPrefix("Subject: =?UTF-8?B?"))
        #expect(lines.allSatisfy { $0.utf8.count <= 76 })
        let end = try #require(lines.firstIndex { $0.hasPrefix("Auto-Submitted") })
        let words = lines[1..<end].map { $0.trimmingCharacters(in: .whitespaces).replacing("Subject: ", with: "") }
        #expect(words.allSatisfy { $0.utf8.count <= 75 })
        let text = words.map {
            Data(base64Encoded: String($0.dropFirst(10).dropLast(2))).flatMap { String(data: $0, encoding: .utf8) } ?? "?"
        }
        #expect(text.joined().hasSuffix(" (and 1 more)"))
        #expect(lines[end...].filter { $0.contains(":") }.count == 4, "no header of somebody else's")
    }
}
