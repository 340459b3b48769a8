internal import Cryptography
internal import FoundationEssentials
internal import Support
internal import Transport
internal import Upload

/// AWS's JSON protocol: the operation in a header, JSON both ways.
struct JSONCall {
    let service: AWSService
    let endpoint: Endpoint
    let type: String
    let target: String

    func send<Answer: Decodable>(
        _ operation: String, _ wish: some Encodable, what: String, _ cancellation: Stop
    ) throws(RemoteFailure) -> Answer {
        let body: [UInt8]
        do { body = Array(try JSONEncoder().encode(wish)) } catch { throw RemoteFailure(.refused, Fault(.badData, "\(what): \(error)")) }
        let response = try service.send(
            AWSService.Request(
                method: "POST", endpoint: endpoint, headers: [("Content-Type", type), ("X-Amz-Target", "\(target).\(operation)")],
                body: .bytes(body),
                payloadHash: Digest.text(body), what: what), cancellation)
        do {
            return try JSONDecoder().decode(Answer.self, from: Data(response.body))
        } catch {
            throw RemoteFailure(.refused, Fault(.badData, "\(what): the server's answer to \(operation) is not what it should be"))
        }
    }
}
