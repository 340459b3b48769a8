internal import CCurl
package import Support
internal import Synchronization

/// libcurl as plain transport: connections are kept and used again, certificates checked, proxies taken from the environment.
///
/// All transfers of a program are worked on by one thread, ``TransferLoop``; nothing else waits for the network inside an `async` call.
package struct HTTPClient: Sendable {
    /// Seconds to wait for a connection, and for a transfer that has stalled.
    let patience: Int
    /// Bytes a second that are sent; 0 for as many as go.
    let sendRate: Int

    package init(patience: Int = 20, sendRate: Int = 0) {
        self.patience = patience
        self.sendRate = sendRate
    }

    /// What became of a request that was broken off: what had come by then.
    package struct Interruption: Error, Sendable {
        package var fault: Fault
        package var response: HTTPResponse

        package init(fault: Fault, response: HTTPResponse = HTTPResponse()) { (self.fault, self.response) = (fault, response) }
    }

    /// Does one request; any status is an answer. A cancelled task ends it.
    package func send(_ request: HTTPRequest) async throws(Interruption) -> HTTPResponse {
        let cancellation = Stop()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<HTTPResponse, Interruption>, Never>) in
                Transfer.begin(request, client: self, cancellation) { continuation.resume(returning: $0) }
            }
        } onCancel: {
            cancellation.raise()
            TransferLoop.shared?.wake()
        }
        return try result.get()
    }

    /// The same for threads that may wait: returns with the answer.
    ///
    /// - Parameters:
    ///   - cancellation: ends it.
    ///   - receive: gets the body as it comes, on the transfers' thread, which it must not keep; the answer is without it then.
    package func sendAndWait(
        _ request: HTTPRequest, _ cancellation: Stop? = nil, receive: (@Sendable ([UInt8]) -> Void)? = nil
    ) throws(Interruption) -> HTTPResponse {
        let outcome = Outcome(), ended = WakeEvent()
        Transfer.begin(
            request, client: self, cancellation ?? Stop(), stop: cancellation.map { $0.descriptor < 0 ? -2 : $0.descriptor } ?? -1,
            receive: receive
        ) { result in
            outcome.result.withLock { $0 = result }
            ended.raise()
        }
        while true {
            if let result = outcome.result.withLock({ $0 }) { return try result.get() }
            ended.wait(milliseconds: 60_000)
        }
    }
}
