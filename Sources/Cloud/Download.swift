internal import CCurl
internal import Support
internal import Synchronization

/// Something that is raised once and asked for from another thread.
final class Flag: Sendable {
    private let raised = Atomic(false)

    func raise() { raised.store(true, ordering: .relaxed) }
    var isRaised: Bool { raised.load(ordering: .relaxed) }
}

/// One download into memory.
@safe final class Download {
    private var bytes: [UInt8] = []
    private let cancellation: Flag

    private init(_ cancellation: Flag) { self.cancellation = cancellation }

    static func run(_ address: String, limit: Int, patience: Int, _ cancellation: Flag) -> Result<[UInt8], Fault> {
        let sink = Download(cancellation)
        var request = unsafe gw_download()
        let status = unsafe address.withCString { url in
            unsafe request.url = url
            unsafe request.limit = Int64(limit)
            unsafe request.connect_ms = Int32(clamping: patience * 1000)
            unsafe request.stall_seconds = Int32(clamping: patience)
            unsafe request.context = Unmanaged.passUnretained(sink).toOpaque()
            unsafe request.sink = { context, bytes, count in
                guard let context = unsafe context, let bytes = unsafe bytes else { return false }
                unsafe Unmanaged<Download>.fromOpaque(context).takeUnretainedValue().bytes.append(contentsOf: UnsafeBufferPointer(start: bytes, count: Int(count)))
                return true
            }
            unsafe request.cancelled = { context in
                guard let context = unsafe context else { return false }
                return unsafe Unmanaged<Download>.fromOpaque(context).takeUnretainedValue().cancellation.isRaised
            }
            return unsafe gw_download_run(&request)
        }
        let reason = unsafe withUnsafeBytes(of: request.message) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return unsafe result(status, request.http_status, reason, address, limit, sink.bytes)
    }

    private static func result(_ status: gw_download_status, _ http: Int, _ reason: String, _ address: String, _ limit: Int, _ bytes: [UInt8]) -> Result<[UInt8], Fault> {
        switch status {
        case GW_DOWNLOAD_OK: .success(bytes)
        case GW_DOWNLOAD_TOO_LARGE: .failure(Fault(.badData, "\(address) is larger than \(limit) bytes"))
        case GW_DOWNLOAD_CANCELLED: .failure(Fault(.failure, "the download of \(address) was cancelled"))
        default:
            http == 404 || http == 410 || http == 403
                ? .failure(Fault(.noInput, "\(address) is not there (HTTP \(http))", remedy: "Is the name right, and may this board read it?"))
                : .failure(Fault(.failure, "\(address) cannot be fetched: \(reason)", remedy: "Is the network up? It can be tried again."))
        }
    }
}
