import Glibc
import ServiceLifecycle
import Support
import TestHelpers
import Testing

@testable import Runtime

/// What `gaitway run` does with the participant's process, played by shell scripts.
@Suite(.timeLimit(.minutes(3))) struct CrowdProcessTests {
    private func process(_ script: String) -> CrowdProcess { CrowdProcess("/bin/sh", ["-c", script], leastWait: 0.05, log: quiet) }

    // Runs it until `isDone`.
    private func run(_ process: CrowdProcess, until isDone: @escaping @Sendable () -> Bool) async {
        let work = Task { await process.run() }
        while !isDone() { try? await Task.sleep(for: .milliseconds(10)) }
        process.end()
        await work.value
    }

    private func doing(_ process: CrowdProcess) -> String? { process.status["doing"]?.text }

    @Test func whatItSaysIsItsStatus() async {
        let process = process(#"echo nonsense; echo '{"other":1}'; echo '{"doing":"learning","counted":3}'; exec sleep 60"#)
        #expect(doing(process) == "it has just begun")
        let work = Task { await process.run() }
        while process.status["counted"] == nil { try? await Task.sleep(for: .milliseconds(10)) }
        #expect(doing(process) == "learning" && process.status["counted"]?.number == 3)
        process.end()
        await work.value
        #expect(doing(process) == "the board has left its hub")
    }

    @Test func whatEndsByItselfIsStartedAgain() async throws {
        let path = temporaryDirectory() + "/starts"
        for end in ["kill -9 $$", "kill -4 $$", "exit 75", "exit 1", "exit 0"] {
            try Files.write([], to: path)
            let process = process("echo x >> \(path); \(end)")
            await run(process) { ((try? Files.read(path, limit: 4096).count) ?? 0) >= 6 }
            #expect(try Files.read(path, limit: 4096).count >= 6, "\(end)")
        }
    }

    @Test(arguments: [64, 65, 66, 77, 78]) func whatPeopleHaveToMendIsTriedRarely(_ code: Int) async throws {
        let path = temporaryDirectory() + "/starts", script = "echo x >> \(path); echo '{\"doing\":\"no\",\"counted\":7}'; exit \(code)"
        let process = process(script), work = Task { await process.run() }
        while doing(process) != "no" { try await Task.sleep(for: .milliseconds(10)) }
        try await Task.sleep(for: .milliseconds(500))
        #expect(try Files.read(path, limit: 4096).count == 2)
        process.end()
        await work.value
        #expect(process.status["counted"]?.number == 7)
        try Files.write([], to: path)
        await run(CrowdProcess("/bin/sh", ["-c", script], mendWait: 0.05, log: quiet)) {
            ((try? Files.read(path, limit: 4096).count) ?? 0) >= 6
        }
        #expect(try Files.read(path, limit: 4096).count >= 6)
    }

    @Test func whatItHadCountedStaysWhenItDies() async {
        let process = process(#"printf '{"doing":"learns \342\200\250 on","counted":3}\n'; kill -9 $$"#),
            work = Task { await process.run() }
        while doing(process)?.contains("is started again") != true { try? await Task.sleep(for: .milliseconds(5)) }
        #expect(process.status["counted"]?.number == 3 && doing(process)?.contains("signal 9") == true)
        process.end()
        await work.value
    }

    @Test func whatDoesNotEndIsKilled() async {
        let process = process("trap '' TERM; echo '{\"doing\":\"waits\",\"counted\":'$$'}'; while :; do sleep 0.1; done")
        let work = Task { await process.run() }
        while doing(process) != "waits" { try? await Task.sleep(for: .milliseconds(10)) }
        let number = process.status["counted"]?.number.map { pid_t($0) } ?? 0
        #expect(number > 1 && kill(number, 0) == 0)
        process.end()
        await work.value
        #expect(kill(number, 0) == -1)
    }

    @Test func withoutAProgramItIsTriedAgain() async {
        let process = CrowdProcess("/nowhere/gaitway", [], leastWait: 0.05, log: quiet)
        await run(process) { [process] in process.status["doing"]?.text?.contains("is started again") == true }
        #expect(doing(process) == "the board has left its hub")
    }
}
