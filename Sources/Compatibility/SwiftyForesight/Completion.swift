internal import Support

/// SwiftyForesight's way of telling: a handler that is told whether it worked, and a message of what did not.
enum Completion {
    /// - Parameter function: for the message: "LibraData.uploadDataToRemote".
    static func run(
        _ completion: (@Sendable (Bool) -> Void)?, of function: String, _ body: @escaping @Sendable () async throws(Fault) -> Void
    ) {
        Task.detached {
            do throws(Fault) {
                try await body()
                completion?(true)
            } catch {
                StandardError.write("Error in \(function)(): \(error.message)")
                completion?(false)
            }
        }
    }
}
