internal import CCurl
internal import Support
internal import Synchronization

/// What a transfer gave, for the thread that waits for it.
final class Outcome: Sendable {
    let result: Mutex<Result<HTTPResponse, HTTPClient.Interruption>?> = Mutex(nil)
}

/// One request under way. Once begun it is the loop's thread alone that touches it.
@safe final class Transfer: @unchecked Sendable {
    typealias Ended = @Sendable (Result<HTTPResponse, HTTPClient.Interruption>) -> Void

    private let request: HTTPRequest
    private let cancellation: Stop
    // Who takes the body piece by piece; nobody where it is kept.
    private let receive: (@Sendable ([UInt8]) -> Void)?
    private let ended: Ended
    private var response = HTTPResponse()
    // What libcurl reads stays where it is until the end.
    let raw: UnsafeMutablePointer<gw_transfer>
    private let texts: UnsafeMutableBufferPointer<CChar>
    private let body: UnsafeMutableBufferPointer<UInt8>

    /// - Parameters:
    ///   - stop: a descriptor that is readable once `cancellation` is raised; -1 where the loop is woken instead.
    ///   - ended: is called once, on the loop's thread.
    static func begin(
        _ request: HTTPRequest, client: HTTPClient, _ cancellation: Stop, stop: CInt = -1, receive: (@Sendable ([UInt8]) -> Void)? = nil,
        _ ended: @escaping Ended
    ) {
        guard let loop = TransferLoop.shared else {
            let fault = Fault(.configuration, "libcurl cannot be loaded", remedy: "sudo apt install libcurl4")
            return ended(.failure(HTTPClient.Interruption(fault: fault)))
        }
        loop.begin(Transfer(request, client, cancellation, stop, receive, ended))
    }

    private init(
        _ request: HTTPRequest, _ client: HTTPClient, _ cancellation: Stop, _ stop: CInt, _ receive: (@Sendable ([UInt8]) -> Void)?,
        _ ended: @escaping Ended
    ) {
        (self.request, self.cancellation, self.receive, self.ended) = (request, cancellation, receive, ended)
        let parts = [request.method, request.url] + request.headers.map { "\($0.name): \($0.value)" }
        // A zero byte within would end a text before its time, and begin another header.
        let text = parts.flatMap { $0.utf8CString.dropLast().filter { $0 != 0 } + [0] }
        unsafe texts = .allocate(capacity: text.count)
        _ = unsafe texts.initialize(fromContentsOf: text)
        var bytes: [UInt8] = []
        if case .bytes(let given) = request.body { bytes = given }
        unsafe body = .allocate(capacity: bytes.count)
        _ = unsafe body.initialize(fromContentsOf: bytes)
        unsafe raw = .allocate(capacity: 1)
        unsafe raw.initialize(to: gw_transfer())
        describe(client, stop)
    }

    deinit {
        unsafe texts.deallocate()
        unsafe body.deallocate()
        unsafe raw.deallocate()
    }

    private func describe(_ client: HTTPClient, _ stop: CInt) {
        let method = request.method.utf8.count { $0 != 0 }, url = request.url.utf8.count { $0 != 0 }
        let start = unsafe texts.baseAddress
        unsafe raw.pointee.method = unsafe UnsafePointer(start)
        unsafe raw.pointee.url = unsafe start.map { unsafe UnsafePointer($0 + method + 1) }
        unsafe raw.pointee.headers = unsafe start.map { unsafe UnsafePointer($0 + method + url + 2) }
        unsafe raw.pointee.header_count = Int32(clamping: request.headers.count)
        unsafe raw.pointee.follows = request.follows
        unsafe raw.pointee.send_rate = Int64(client.sendRate)
        unsafe raw.pointee.limit = Int64(request.limit)
        unsafe raw.pointee.connect_ms = Int32(clamping: client.patience * 1000)
        // Streams are silent for long, but not for ever.
        unsafe raw.pointee.stall_seconds = Int32(clamping: receive == nil ? client.patience : 300)
        unsafe raw.pointee.stop = stop
        unsafe raw.pointee.file = -1
        switch request.body {
        case .none: break
        case .bytes(let given):
            unsafe raw.pointee.sends = true
            unsafe raw.pointee.body = unsafe UnsafePointer(body.baseAddress)
            unsafe raw.pointee.body_count = Int64(given.count)
        case .file(let file, let count):
            unsafe raw.pointee.sends = true
            unsafe raw.pointee.file = file
            unsafe raw.pointee.body_count = count
        }
        unsafe raw.pointee.sink = { context, bytes, count in
            guard let transfer = unsafe Transfer.of(context), let bytes = unsafe bytes else { return false }
            transfer.take(unsafe Array(UnsafeBufferPointer(start: bytes, count: Int(count))))
            return true
        }
        unsafe raw.pointee.header = { context, bytes, count in
            guard let transfer = unsafe Transfer.of(context), let bytes = unsafe bytes else { return }
            let line = unsafe bytes.withMemoryRebound(to: UInt8.self, capacity: Int(count)) {
                unsafe String(decoding: UnsafeBufferPointer(start: $0, count: Int(count)), as: UTF8.self)
            }
            transfer.take(header: line)
        }
        unsafe raw.pointee.cancelled = { context in unsafe Transfer.of(context)?.cancellation.isRaised ?? true }
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        unsafe context.map { unsafe Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }

    private func take(_ bytes: [UInt8]) { if let receive { receive(bytes) } else { response.body += bytes } }

    private func take(header line: String) {
        if line.hasPrefix("HTTP/") { response = HTTPResponse() } // the last answer counts, not "100 Continue" or a redirect
        guard let colon = line.firstIndex(of: ":") else { return }
        response.headers[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].trimmed)
    }

    /// Keeps itself until ``release(_:)``.
    func retain() { unsafe raw.pointee.context = Unmanaged.passRetained(self).toOpaque() }

    /// The transfer that has ended; nil where there is none.
    static func release(_ ended: UnsafeMutablePointer<gw_transfer>?) -> Transfer? {
        guard let context = unsafe ended?.pointee.context else { return nil }
        return unsafe Unmanaged<Transfer>.fromOpaque(context).takeRetainedValue()
    }

    /// Hands out what came of it.
    func finish() {
        response.status = unsafe Int(raw.pointee.http_status)
        response.received = unsafe Int(clamping: raw.pointee.received)
        guard unsafe raw.pointee.status != GW_TRANSFER_OK else { return ended(.success(response)) }
        let reason = unsafe withUnsafeBytes(of: raw.pointee.message) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        ended(.failure(HTTPClient.Interruption(fault: unsafe fault(raw.pointee.status, reason), response: response)))
    }

    private func fault(_ status: gw_transfer_status, _ reason: String) -> Fault {
        let address = request.url.prefix { $0 != "?" }
        return switch status {
        case GW_TRANSFER_TOO_LARGE: Fault(.badData, "\(address) is larger than \(request.limit) bytes")
        case GW_TRANSFER_HEADERS: Fault(.badData, "\(address) answers with more than 64 kB of headers")
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
