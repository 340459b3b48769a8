internal import Support

/// Heartbeats that come while others are written go together.
actor SharedBeats {
    private var writing: Task<Fault?, Never>?
    private var next: Task<Fault?, Never>?

    /// Returns once what was noted before is written.
    func written(by store: HubStore) async throws(Fault) {
        let task = next ?? begin(store)
        if let fault = await task.value { throw fault }
    }

    private func begin(_ store: HubStore) -> Task<Fault?, Never> {
        let before = writing
        let task = Task { () -> Fault? in
            _ = await before?.value
            return await self.write(store)
        }
        next = task
        return task
    }

    private func write(_ store: HubStore) async -> Fault? {
        (writing, next) = (next, nil)
        do throws(Fault) {
            try await store.writeBeats()
            return nil
        } catch { return error }
    }
}
