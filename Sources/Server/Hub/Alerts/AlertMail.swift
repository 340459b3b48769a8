internal import FoundationEssentials
package import HubStore
internal import Subprocess
package import Support
internal import SystemPackage

/// Alerts as mail, through the system's sendmail.
package struct AlertMail: AlertChannel {
    package let name = "mail"
    private let receiver: String
    private let program: String
    // Seconds for the program.
    private static let patience = 60.0

    /// - Parameters:
    ///   - receiver: name@host.
    ///   - program: takes a message as `sendmail -t` does: sendmail, msmtp, dma.
    /// - Throws: `.configuration` for what is no address of mail, and where there is no such program.
    package init(to receiver: String, program: String) throws(Fault) {
        let parts = receiver.split(separator: "@", omittingEmptySubsequences: false)
        // Nothing that ends a line of the message, or names a second address.
        let isAddress = receiver.utf8.allSatisfy { (33..<127).contains($0) && !",;:<>()[]\\\"".utf8.contains($0) }
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), isAddress, !receiver.hasPrefix("-") else {
            throw Fault(.configuration, "\(Printable.text(receiver)) is no address of mail", remedy: "Write it as name@host.")
        }
        guard program.hasPrefix("/"), Files.isFile(program) else {
            throw Fault(
                .configuration, "there is no program \(Printable.text(program)) to send mail with",
                remedy: "apt-get install msmtp-mta, or name another one with --sendmail.")
        }
        (self.receiver, self.program) = (receiver, program)
    }

    package func send(_ alerts: [Alert], at now: Double) async throws(Fault) -> Bool {
        let message = try Self.file(Self.message(alerts, to: receiver, at: now))
        var options = PlatformOptions()
        options.teardownSequence = [.send(signal: .terminate, toProcessGroup: false, allowedDurationToNextStep: .seconds(2))]
        let run = Task { [program, options] in
            try await Subprocess.run(
                .path(FilePath(program)), arguments: ["-t", "-i"], platformOptions: options,
                input: .fileDescriptor(message, closeAfterSpawningProcess: true),
                output: .discarded,
                error: .currentStandardError)
        }
        let watch = Task {
            try await Task.sleep(for: .seconds(Self.patience))
            run.cancel()
        }
        defer { watch.cancel() }
        do {
            let result = try await withTaskCancellationHandler {
                try await run.value
            } onCancel: {
                run.cancel()
            }
            guard result.terminationStatus.isSuccess else {
                throw Fault(.temporary, "\(program) does not take the mail of alerts: \(result.terminationStatus)")
            }
        } catch let fault as Fault {
            throw fault
        } catch { throw Fault(.temporary, "\(program) does not take the mail of alerts: \(error)") }
        return true
    }

    // From a file: a program that ends before it has read all of it breaks no pipe, which swift-subprocess 1.0 does not survive.
    private static func file(_ text: String) throws(Fault) -> FileDescriptor {
        let path = "\(Places.state)/mail.\(UInt64.random(in: 0...UInt64.max)).part"
        try Files.makeDirectory(around: path)
        defer { try? Files.remove(path) }
        try Files.write(Array(text.utf8), to: path, isPrivate: true)
        do { return try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec) } catch {
            throw Fault(.temporary, "cannot read \(path): \(error)")
        }
    }

    static func message(_ alerts: [Alert], to receiver: String, at now: Double) -> String {
        let first = alerts.first.map(\.line) ?? "", more = alerts.count > 1 ? " (and \(alerts.count - 1) more)" : ""
        let lines = alerts.map { "\($0.line) (\(ISOTime.text($0.hasBegun ? $0.since : now)))" }
        return """
            To: \(receiver)
            Subject: \(encoded(first.prefix(40) + more))
            Auto-Submitted: auto-generated
            MIME-Version: 1.0
            Content-Type: text/plain; charset=utf-8
            Content-Transfer-Encoding: base64

            \(base64(lines.joined(separator: "\r\n") + "\r\n"))

            """
    }

    // RFC 2047: words of at most 75 characters, on lines of at most 76, the first behind "Subject: ".
    private static func encoded(_ text: String) -> String {
        var words: [[UInt8]] = [[]]
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if words[words.count - 1].count + bytes.count > 39 { words.append([]) }
            words[words.count - 1] += bytes
        }
        return words.map { "=?UTF-8?B?\(Data($0).base64EncodedString())?=" }.joined(separator: "\n ")
    }

    // Lines of mail have an end.
    private static func base64(_ text: String) -> String {
        let all = Array(Data(text.utf8).base64EncodedString())
        return stride(from: 0, to: all.count, by: 76).map { String(all[$0..<min($0 + 76, all.count)]) }.joined(separator: "\n")
    }
}
