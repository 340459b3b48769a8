import Glibc
import Testing

@testable import Runtime

@Suite(.serialized) struct ServiceNotifierTests {
    /// What systemd would hear.
    private func messages(socket name: String, _ body: () -> Void) -> [String] {
        let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un(), path = Array(name.utf8)
        if path[0] == UInt8(ascii: "@") { path[0] = 0 }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        unlink(name)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(2 + path.count)) }
        }
        #expect(bound == 0)
        setenv("NOTIFY_SOCKET", name, 1)
        setenv("WATCHDOG_USEC", "200000", 1)
        body()
        unsetenv("NOTIFY_SOCKET")
        unsetenv("WATCHDOG_USEC")
        var heard: [String] = [], buffer = [UInt8](repeating: 0, count: 512)
        while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 {
            heard.append(String(decoding: buffer.prefix(count), as: UTF8.self))
        }
        return heard
    }

    @Test(arguments: ["/tmp/gaitway-notify-test.sock", "@gaitway-notify-test"]) func systemdHears(socket: String) {
        let heard = messages(socket: socket) {
            var notifier = ServiceNotifier()
            notifier.ready("lis3dh")
            notifier.progress()
            notifier.progress() // too soon: not said again
            usleep(120_000)
            notifier.progress()
            notifier.stopping()
        }
        #expect(heard == ["READY=1\nSTATUS=lis3dh", "WATCHDOG=1", "WATCHDOG=1", "STOPPING=1"])
    }

    @Test(arguments: [(getpid(), true), (getpid() + 1, false)]) func aWatchdogOfAnotherProcessIsNotFed(process: Int32, isFed: Bool) {
        setenv("WATCHDOG_PID", "\(process)", 1)
        defer { unsetenv("WATCHDOG_PID") }
        let sent = messages(socket: "@gaitway-notify-test") {
            var notifier = ServiceNotifier()
            notifier.progress()
        }
        #expect(sent == (isFed ? ["WATCHDOG=1"] : []))
    }

    @Test func theWatchdogWaitsForASensorThatSleeps() {
        let sent = messages(socket: "@gaitway-notify-test") {
            var notifier = ServiceNotifier()
            notifier.progress()
            notifier.progress(nextIsLate: true)
            notifier.progress(nextIsLate: true) // too soon
            notifier.progress()
        }
        #expect(sent == ["WATCHDOG=1", "WATCHDOG_USEC=420000000\nWATCHDOG=1", "WATCHDOG_USEC=200000\nWATCHDOG=1"])
    }

    /// A beat that was not due at one step must not be missed at the next: 30 s of patience, steps every 21.3 s at most.
    @Test(arguments: [("30000000", 20.0, 20.0), ("10000000", 20, 2), ("6000000", 20, 0), ("30000000", 0, 0)])
    func theLoopWaitsNoLongerThanTheWatchdog(patience: String, asked: Double, given: Double) {
        _ = messages(socket: "@gaitway-notify-test") {
            setenv("WATCHDOG_USEC", patience, 1)
            var notifier = ServiceNotifier()
            #expect(notifier.allow(waits: asked) == given)
            guard given > 0, let seconds = Double(patience) else { return }
            #expect(Double(notifier.beat) * 1e-9 + given + 3 < seconds * 1e-6)
        }
    }

    @Test func withoutSystemdNothingHappens() {
        var notifier = ServiceNotifier()
        notifier.ready("x")
        notifier.progress()
    }
}
