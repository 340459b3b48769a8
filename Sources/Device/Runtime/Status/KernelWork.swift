internal import Glibc
internal import Support

/// What the kernel does for this program: what user-space wake-ups alone do not show.
package struct KernelWork: Sendable, Equatable {
    /// Of the sensor's chip, its trigger and its bus; nil where the kernel names none of them.
    package var interrupts: Int64?
    /// Of this process, wanted and forced.
    package var switches: Int64
    /// Of this process, user and system.
    package var processorSeconds = 0.0
    /// Of the whole machine.
    package var energy = EnergyCounter()
    /// Joules since another reading; nil where nothing measures them.
    package var joules: Double?

    /// So far.
    ///
    /// - Parameter names: those under which the kernel counts the sensor's interrupts.
    package static func now(of names: [String]) -> KernelWork {
        var usage = rusage()
        unsafe getrusage(CInt(RUSAGE_SELF.rawValue), &usage)
        func time(_ t: timeval) -> Double { Double(t.tv_sec) + Double(t.tv_usec) * 1e-6 }
        let text = (try? Files.read("/proc/interrupts", limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) }
        return KernelWork(
            interrupts: text.flatMap { sum($0, of: names) }, switches: Int64(usage.ru_nvcsw) + Int64(usage.ru_nivcsw),
            processorSeconds: time(usage.ru_utime) + time(usage.ru_stime), energy: .now())
    }

    package func since(_ before: KernelWork) -> KernelWork {
        KernelWork(
            interrupts: interrupts.map { $0 - (before.interrupts ?? 0) }, switches: switches - before.switches,
            processorSeconds: processorSeconds - before.processorSeconds, joules: energy.joules(since: before.energy))
    }

    // "mxc4005_consumer0" of mxc4005, "lsm6dsx" of st_lsm6dsx.
    private static func isSame(_ word: String, _ name: String) -> Bool {
        word.hasPrefix(name) || word.count > 3 && name.hasSuffix("_" + word)
    }

    /// The lines of /proc/interrupts that have one of the names: "27: 512 0 gaitway0 0 Edge mxc4005_consumer0".
    static func sum(_ text: String, of names: [String]) -> Int64? {
        var total: Int64?
        for line in text.split(separator: "\n") where line.contains(":") {
            let words = line.split(separator: " ").dropFirst()
            let counts = words.prefix { Int64($0) != nil }, rest = words.dropFirst(counts.count)
            guard rest.contains(where: { word in names.contains { isSame(String(word), $0) } }) else { continue }
            total = counts.reduce(total ?? 0) { $0 &+ (Int64($1) ?? 0) }
        }
        return total
    }
}
