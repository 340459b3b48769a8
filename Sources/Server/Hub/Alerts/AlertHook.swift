package import HubStore
package import Support
internal import Transport

/// Where alerts go: an address that takes JSON, as Slack's, Mattermost's and Home Assistant's webhooks do.
package struct AlertHook: AlertChannel {
    package let name = "the webhook"
    private let address: String
    private let client = HTTPClient(patience: 10)

    /// - Parameter file: its first line is the address, which may hold a secret.
    /// - Throws: those of the file; `.configuration` for what is no https address, and for plain http to another machine.
    package init(file: String) throws(Fault) {
        let text = String(decoding: try Files.read(file, limit: 1 << 16), as: UTF8.self)
        var line = text.prefix { !$0.isNewline }
        while line.last?.isWhitespace == true { line.removeLast() }
        address = String(line)
        do throws(Fault) {
            _ = try Endpoint(String(address.prefix { $0 != "?" && $0 != "#" }))
            guard address.utf8.allSatisfy({ (33..<127).contains($0) }) else { throw Fault(.configuration, "") }
        } catch {
            // The address is not repeated: it may hold a secret.
            throw Fault(.configuration, "the first line of \(file) is no address of a webhook", remedy: "Write it as https://host/path.")
        }
    }

    package func send(_ alerts: [Alert], at now: Double) async throws(Fault) -> Bool {
        let request = HTTPRequest(
            method: "POST", url: address, headers: [("Content-Type", "application/json")], body: .bytes(Self.body(alerts, at: now).bytes),
            limit: 4 << 10)
        var status = 0
        do throws(HTTPClient.Interruption) {
            status = try await client.send(request).status
        } catch {
            // An answer that is longer than anybody reads is an answer.
            guard error.response.status != 0 else { throw Self.silent(error.fault) }
            status = error.response.status
        }
        switch status {
        case 200..<300: return true
        case 400, 413, 415, 422: return false
        default: throw Fault(.temporary, "the webhook for alerts answers with HTTP \(status)")
        }
    }

    // libcurl's messages name the address.
    private static func silent(_ fault: Fault) -> Fault {
        if fault.code == .configuration { return fault }
        return Fault(
            fault.code, "the webhook for alerts cannot be reached", remedy: "Is the network up, and the address in the file right?")
    }

    private static func body(_ alerts: [Alert], at now: Double) -> JSONValue {
        [
            "text": .string(alerts.map(line).joined(separator: "\n")), "alerts": .array(alerts.map { $0.json(at: now) }),
        ]
    }

    // Names are what boards and people call them: they end no line, and are no markup of Slack's.
    private static func line(_ alert: Alert) -> String {
        var line = ""
        for scalar in alert.line.unicodeScalars {
            switch scalar {
            case "&": line += "&amp;"
            case "<": line += "&lt;"
            case ">": line += "&gt;"
            default: line.unicodeScalars.append(scalar)
            }
        }
        return line
    }
}
