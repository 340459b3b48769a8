internal import Support

/// What takes long to find of a large fleet, by key. What is found within a fifth of a second is looked for each time; the rest is kept for
/// a while, given out at once after that, and looked for anew meanwhile: one thing at a time, with a fifth of the time at most.
actor Remembered<Value: Sendable> {
    private struct Found {
        var value: Value
        /// ``SystemTime/uptime``, and the seconds that it took.
        var at: Double
        var took: Double
        /// When somebody asked for it last.
        var asked: Double
    }

    private static var least: Double { 0.2 }
    // Of the time that it took, over all of what is kept: how long it is good, and how long it is better than nothing.
    private static var share: Double { 4 }
    private static var patience: Double { 20 }
    // Seconds.
    private static var forgotten: Double { 60 }
    private static var most: Int { 100 }

    private var found: [String: Found] = [:]
    private var looking: [String: Task<Result<Value, Fault>, Never>] = [:]
    private var last: Task<Void, Never>?
    private let uptime: @Sendable () -> Double

    /// - Parameter uptime: seconds.
    init(uptime: @escaping @Sendable () -> Double = { SystemTime.uptime }) { self.uptime = uptime }

    func of(_ key: String, _ look: @escaping @Sendable () async throws(Fault) -> Value) async throws(Fault) -> Value {
        if let kept = kept(key, look) { return kept }
        return try await begin(key, look).value.get()
    }

    /// - Parameter limit: after that it is nil, and looked for meanwhile.
    func of(
        _ key: String, within limit: Duration, _ look: @escaping @Sendable () async throws(Fault) -> Value
    ) async throws(Fault) -> Value? {
        if let kept = kept(key, look) { return kept }
        let task = begin(key, look), (first, feed) = AsyncStream.makeStream(of: Result<Value, Fault>?.self)
        Task { _ = feed.yield(await task.value) }
        let clock = Task {
            try? await Task.sleep(for: limit)
            _ = feed.yield(nil)
        }
        defer { clock.cancel() }
        for await result in first { return try result?.get() }
        return nil
    }

    private func kept(_ key: String, _ look: @escaping @Sendable () async throws(Fault) -> Value) -> Value? {
        // What nobody asks for any more is gone, and takes no time.
        let now = uptime()
        found = found.filter { now - $0.value.asked < max(Self.forgotten, Self.patience * $0.value.took) }
        found[key]?.asked = now
        guard let found = found[key] else { return nil }
        let age = now - found.at, good = Self.share * self.found.values.reduce(0) { $0 + $1.took }
        if age < good { return found.value }
        guard age < good + Self.patience * found.took else { return nil }
        _ = begin(key, look)
        return found.value
    }

    private func begin(
        _ key: String, _ look: @escaping @Sendable () async throws(Fault) -> Value
    ) -> Task<Result<Value, Fault>, Never> {
        if let task = looking[key] { return task }
        let before = last
        let task = Task { () -> Result<Value, Fault> in
            await before?.value
            let began = self.uptime(), result: Result<Value, Fault>
            do throws(Fault) { result = .success(try await look()) } catch { result = .failure(error) }
            self.end(key, result, took: self.uptime() - began)
            return result
        }
        looking[key] = task
        last = Task { _ = await task.value }
        return task
    }

    private func end(_ key: String, _ result: Result<Value, Fault>, took: Double) {
        looking[key] = nil
        found[key] = nil
        guard took >= Self.least, case .success(let value) = result else { return }
        if found.count >= Self.most { found.removeAll() }
        found[key] = Found(value: value, at: uptime(), took: took, asked: uptime())
    }
}
