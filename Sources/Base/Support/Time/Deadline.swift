/// Work that has an end.
package enum Deadline {
    /// Cancels `body` after so many seconds.
    ///
    /// - Throws: those of `body`; once the time is up `.temporary`: "`what` did not come within ... s".
    package static func run<Value: Sendable>(
        within seconds: Double, _ what: String, _ body: @escaping @Sendable () async throws(Fault) -> Value
    ) async throws(Fault) -> Value {
        let work = Task { () -> Result<Value, Fault> in
            do throws(Fault) { return .success(try await body()) } catch { return .failure(error) }
        }
        let late = Stop()
        let clock = Task {
            try? await Task.sleep(for: .seconds(seconds))
            guard !Task.isCancelled else { return }
            late.raise()
            work.cancel()
        }
        let result = await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
        }
        clock.cancel()
        if case .failure = result, late.isRaised {
            throw Fault(
                .temporary, "\(what) did not come within \(Decimals.text(seconds, places: 0)) s", condition: .tookTooLong)
        }
        return try result.get()
    }
}
