internal import Cryptography
internal import Support
internal import Transport
internal import Upload

/// One of AWS's services, or a server that speaks as it does: signs, sends, asks again where that helps.
final class AWSService: Sendable {
    let name: String
    let region: String
    private let client: HTTPClient
    private let clock: ServerClock
    /// nil for what is not signed.
    private let keeper: CredentialsKeeper?
    /// How often a request that fails for the moment is made in all.
    private let attempts: Int

    init(_ name: String, region: String, client: HTTPClient, clock: ServerClock, keeper: CredentialsKeeper?, attempts: Int = 3) {
        (self.name, self.region, self.client, self.clock, self.keeper, self.attempts) = (name, region, client, clock, keeper, attempts)
    }

    struct Request {
        var method: String
        var endpoint: Endpoint
        /// Without percents.
        var path = "/"
        var query: [(name: String, value: String)] = []
        var headers: [(name: String, value: String)] = []
        var body = HTTPRequest.Body.none
        /// SHA-256 of the body in hexadecimal.
        var payloadHash = AWSService.emptyHash
        var limit = 16 << 20
        /// Statuses beside 200 ... 299 that are no failure.
        var accepted: Set<Int> = []
        /// For messages: "storing a.csv in the bucket b".
        var what: String
    }

    static let emptyHash = Digest.text([])

    /// - Throws: also `.blocked` where there are no credentials.
    func send(_ request: Request, _ cancellation: Stop) throws(RemoteFailure) -> HTTPResponse {
        var backOff = BackOff(base: 0.3, cap: 5), random = SystemRandomNumberGenerator()
        while true {
            let failure: RemoteFailure
            do throws(HTTPClient.Interruption) {
                let response = try answer(request, [], cancellation).get()
                if (200..<300).contains(response.status) || request.accepted.contains(response.status) { return response }
                failure = AWSError(response).failure(request.what)
            } catch {
                failure = Self.failure(error)
            }
            guard case .temporary(let least) = failure.kind, backOff.failures + 1 < attempts, least ?? 0 <= 20, !cancellation.isRaised
            else { throw failure }
            Self.sleep(backOff.next(least: least, using: &random), cancellation)
        }
    }

    /// A body that goes on where it was broken off.
    func download(_ request: Request, limit: Int, _ cancellation: Stop) throws(RemoteFailure) -> HTTPResponse {
        do {
            let response = try ResumedDownload.runAndWait(limit: limit) { answer(request, $0, cancellation) }
            guard response.status == 200 || request.accepted.contains(response.status) else {
                throw AWSError(response).failure(request.what)
            }
            return response
        } catch let failure as RemoteFailure {
            throw failure
        } catch let fault as Fault {
            throw Self.failure(HTTPClient.Interruption(fault: fault))
        } catch {
            throw RemoteFailure(.refused, Fault(.failure, "\(error)"))
        }
    }

    // One request; a second one when the first was refused for its time or its credentials, and either could be renewed.
    private func answer(
        _ request: Request, _ more: [(name: String, value: String)], _ cancellation: Stop
    ) -> Result<HTTPResponse, HTTPClient.Interruption> {
        Result { () throws(HTTPClient.Interruption) in
            var isClockMended = false, areCredentialsMended = false
            while true {
                let credentials = try credentials(cancellation)
                let response = try client.sendAndWait(signed(request, more, credentials), cancellation)
                guard [400, 401, 403].contains(response.status) else { return response }
                if !isClockMended, clock.follows(response) {
                    isClockMended = true
                } else if !areCredentialsMended, AWSError(response).isAboutCredentials, let credentials, keeper?.forget(credentials) == true
                {
                    areCredentialsMended = true
                } else {
                    return response
                }
            }
        }
    }

    private func credentials(_ cancellation: Stop) throws(HTTPClient.Interruption) -> Credentials? {
        do throws(Fault) {
            return try keeper?.credentials(now: clock.now, cancellation)
        } catch {
            throw HTTPClient.Interruption(fault: error)
        }
    }

    private func signed(_ request: Request, _ more: [(name: String, value: String)], _ credentials: Credentials?) -> HTTPRequest {
        let wire = SigV4.Request(
            method: request.method, host: request.endpoint.host, path: request.endpoint.path + request.path, query: request.query,
            headers: request.headers + more,
            payloadHash: request.payloadHash)
        let headers =
            credentials.map { SigV4(credentials: $0, region: region, service: name).headers(wire, time: clock.now) } ?? wire.headers
        return HTTPRequest(
            method: request.method, url: request.endpoint.origin + wire.target, headers: headers, body: request.body, limit: request.limit)
    }

    private static func failure(_ interruption: HTTPClient.Interruption) -> RemoteFailure {
        let kind: RemoteFailure.Kind =
            switch interruption.fault.code {
            case .configuration, .permission, .usage: .blocked
            case .badData, .noInput: .refused
            default: .temporary(retryAfter: nil)
            }
        return RemoteFailure(kind, interruption.fault)
    }

    private static func sleep(_ seconds: Double, _ cancellation: Stop) {
        let end = SystemTime.monotonic + Int64(seconds * 1e9)
        // A signal may end a wait early.
        while SystemTime.monotonic < end, !cancellation.isRaised(within: Int((end - SystemTime.monotonic) / 1_000_000) + 1) {}
    }
}
