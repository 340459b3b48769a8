internal import CCurl
package import Support
internal import Synchronization

package struct HTTPRequest {
    package enum Body {
        case none
        case bytes([UInt8])
        /// An open file, from its beginning.
        case file(CInt, count: Int64)
    }

    package var method: String
    package var url: String
    package var headers: [(name: String, value: String)]
    package var body: Body
    /// Redirects are followed, to https only. Never with credentials: they would go along.
    package var follows: Bool
    /// Bytes of the answer.
    package var limit: Int

    package init(
        method: String = "GET", url: String, headers: [(name: String, value: String)] = [], body: Body = .none, follows: Bool = false,
        limit: Int = 1 << 20
    ) {
        (self.method, self.url, self.headers, self.body, self.follows, self.limit) = (method, url, headers, body, follows, limit)
    }
}

package struct HTTPResponse: Sendable {
    package var status = 0
    /// By lower-case name.
    package var headers: [String: String] = [:]
    package var body: [UInt8] = []

    package init() {}
}

/// libcurl as plain transport: connections are kept and used again, certificates checked, proxies taken from the environment.
@safe package final class HTTPClient: Sendable {
    /// Seconds to wait for a connection, and for a transfer that has stalled.
    let patience: Int
    /// Bytes a second that are sent; 0 for as many as go.
    let sendRate: Int
    private let idle: Mutex<[Handle]> = Mutex([])

    package init(patience: Int = 20, sendRate: Int = 0) {
        self.patience = patience
        self.sendRate = sendRate
    }

    // For one thread at a time.
    @safe private final class Handle: @unchecked Sendable {
        let raw: OpaquePointer
        init?() {
            guard let raw = unsafe gw_http_open() else { return nil }
            unsafe self.raw = raw
        }
        deinit { unsafe gw_http_close(raw) }
    }

    // What a transfer writes into.
    private final class Answer {
        var response = HTTPResponse()
        let cancellation: Stop
        // Who takes the body piece by piece; nobody where it is kept.
        let receive: (([UInt8]) -> Void)?
        init(_ cancellation: Stop, _ receive: (([UInt8]) -> Void)?) { (self.cancellation, self.receive) = (cancellation, receive) }

        func take(_ bytes: [UInt8]) { if let receive { receive(bytes) } else { response.body += bytes } }

        func take(header line: String) {
            if line.hasPrefix("HTTP/") { response = HTTPResponse() } // the last answer counts, not "100 Continue" or a redirect
            guard let colon = line.firstIndex(of: ":") else { return }
            response.headers[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].trimmed)
        }
    }

    /// What became of a request that was broken off: what had come by then.
    package struct Interruption: Error {
        package var fault: Fault
        package var response: HTTPResponse

        package init(fault: Fault, response: HTTPResponse) { (self.fault, self.response) = (fault, response) }
    }

    /// Does one request, on this thread. Any status is an answer.
    ///
    /// - Parameter receive: gets the body as it comes, which the answer is without then: of streams that do not end.
    package func send(
        _ request: HTTPRequest, _ cancellation: Stop = Stop(), receive: (([UInt8]) -> Void)? = nil
    ) throws(Interruption) -> HTTPResponse {
        guard let handle = idle.withLock({ $0.popLast() }) ?? Handle() else {
            throw Interruption(
                fault: Fault(.configuration, "libcurl cannot be loaded", remedy: "sudo apt install libcurl4"), response: HTTPResponse())
        }
        defer { idle.withLock { $0.append(handle) } }
        let answer = Answer(cancellation, receive)
        var transfer = unsafe gw_transfer()
        let status = unsafe run(handle, request, answer, &transfer)
        answer.response.status = unsafe Int(transfer.http_status)
        guard status != GW_TRANSFER_OK else { return answer.response }
        let reason = unsafe withUnsafeBytes(of: transfer.message) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        throw Interruption(fault: Self.fault(status, reason, request), response: answer.response)
    }

    private func run(_ handle: Handle, _ request: HTTPRequest, _ answer: Answer, _ transfer: inout gw_transfer) -> gw_transfer_status {
        unsafe transfer.follows = request.follows
        unsafe transfer.file = -1
        unsafe transfer.send_rate = Int64(sendRate)
        unsafe transfer.limit = Int64(request.limit)
        unsafe transfer.connect_ms = Int32(clamping: patience * 1000)
        // Streams are silent for long, but not for ever.
        unsafe transfer.stall_seconds = Int32(clamping: answer.receive == nil ? patience : 300)
        unsafe transfer.context = Unmanaged.passUnretained(answer).toOpaque()
        unsafe transfer.sink = { context, bytes, count in
            guard let context = unsafe context, let bytes = unsafe bytes else { return false }
            unsafe Unmanaged<Answer>.fromOpaque(context).takeUnretainedValue().take(
                Array(UnsafeBufferPointer(start: bytes, count: Int(count))))
            return true
        }
        unsafe transfer.header = { context, bytes, count in
            guard let context = unsafe context, let bytes = unsafe bytes else { return }
            let line = unsafe bytes.withMemoryRebound(to: UInt8.self, capacity: Int(count)) {
                unsafe String(decoding: UnsafeBufferPointer(start: $0, count: Int(count)), as: UTF8.self)
            }
            unsafe Unmanaged<Answer>.fromOpaque(context).takeUnretainedValue().take(header: line)
        }
        unsafe transfer.cancelled = { context in
            guard let context = unsafe context else { return false }
            return unsafe Unmanaged<Answer>.fromOpaque(context).takeUnretainedValue().cancellation.isRaised
        }
        var bytes: [UInt8] = []
        switch request.body {
        case .none: break
        case .bytes(let given):
            bytes = given
            unsafe transfer.sends = true
            unsafe transfer.body_count = Int64(given.count)
        case .file(let file, let count):
            unsafe transfer.sends = true
            unsafe transfer.file = file
            unsafe transfer.body_count = count
        }
        let lines = request.headers.map { "\($0.name): \($0.value)" }
        return unsafe withTexts(lines) { headers in
            unsafe transfer.headers = headers.baseAddress
            unsafe transfer.header_count = Int32(headers.count)
            return unsafe request.method.withCString { method in
                unsafe request.url.withCString { url in
                    unsafe bytes.withUnsafeBufferPointer { body in
                        unsafe transfer.method = method
                        unsafe transfer.url = url
                        unsafe transfer.body = body.baseAddress
                        return unsafe gw_http_transfer(handle.raw, &transfer)
                    }
                }
            }
        }
    }

    // Texts as C has them, valid within `body`.
    private func withTexts<Result>(_ texts: [String], _ body: (UnsafeBufferPointer<UnsafePointer<CChar>?>) -> Result) -> Result {
        var all: [CChar] = [], starts: [Int] = []
        for text in texts {
            starts.append(all.count)
            all += text.utf8CString
        }
        return unsafe all.withUnsafeBufferPointer { characters in
            let pointers = unsafe starts.map { start in unsafe characters.baseAddress.map { unsafe $0 + start } }
            return unsafe pointers.withUnsafeBufferPointer(body)
        }
    }

    private static func fault(_ status: gw_transfer_status, _ reason: String, _ request: HTTPRequest) -> Fault {
        let address = request.url.prefix { $0 != "?" }
        return switch status {
        case GW_TRANSFER_TOO_LARGE: Fault(.badData, "\(address) is larger than \(request.limit) bytes")
        case GW_TRANSFER_CANCELLED: Fault(.temporary, "the transfer of \(address) was cancelled")
        case GW_TRANSFER_UNREADABLE: Fault(.noInput, "the file for \(address) became shorter while it was sent")
        case GW_TRANSFER_ELSEWHERE:
            Fault(
                .failure, "\(address) redirects to where this program does not follow",
                remedy: "Only https is followed, five times at the most. Give the address that it leads to.")
        default: Fault(.temporary, "\(address) cannot be reached: \(reason)", remedy: "Is the network up? It can be tried again.")
        }
    }
}
