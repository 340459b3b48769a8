internal import CPostgres
internal import Cryptography
internal import Support

/// One connection to PostgreSQL, opened when it is needed. One thread at a time has it.
@safe final class PostgresConnection: DatabaseSession, @unchecked Sendable {
    private let address: String
    private var handle: OpaquePointer?
    // Names of prepared statements, by their text.
    private var prepared: [String: String] = [:]
    private static let mostPrepared = 500
    /// Seconds: to connect; of a statement, of a wait for another's lock, of silence within a transaction.
    private static let patience = "5",
        limits = "SET statement_timeout = '30s'; SET lock_timeout = '10s'; SET idle_in_transaction_session_timeout = '30s'"
    private static let oldest: Int32 = 120_000

    init(_ address: String) { self.address = address }

    deinit { close() }

    func close() {
        if let handle = unsafe handle { unsafe PQfinish(handle) }
        unsafe handle = nil
        prepared = [:]
    }

    /// - Returns: whether it was made anew.
    @discardableResult
    func open() throws -> Bool {
        if let handle = unsafe handle, unsafe PQstatus(handle) == CONNECTION_OK { return false }
        close()
        let settings = [
            ("application_name", "gaitway-hub"), ("client_encoding", "UTF8"), ("connect_timeout", Self.patience),
            // A machine that is gone is noticed within half a minute.
            ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"), ("tcp_user_timeout", "20000"),
            ("dbname", address),
        ]
        let made = unsafe withCStrings(settings.map(\.0)) { names in
            unsafe withCStrings(settings.map(\.1)) { values in unsafe PQconnectdbParams(names, values, 1) }
        }
        guard let made = unsafe made else { throw PostgresError(state: "", message: "there is no memory for a connection") }
        unsafe handle = made
        guard unsafe PQstatus(made) == CONNECTION_OK else {
            let message = unsafe text(PQerrorMessage(made))
            close()
            // libpq gives no code here.
            let state = message.contains("password") ? "28P01" : message.contains("does not exist") ? "3D000" : ""
            throw PostgresError(state: state, message: message)
        }
        unsafe PQsetNoticeProcessor(made, { _, _ in }, nil)
        guard unsafe PQserverVersion(made) >= Self.oldest else {
            let version = unsafe PQserverVersion(made) / 10_000
            close()
            throw Fault(.configuration, "PostgreSQL \(version) is too old", remedy: "Use 12 or newer.")
        }
        try script(Self.limits)
        return true
    }

    /// Statements without arguments or rows.
    func script(_ sql: String) throws {
        let handle = try unsafe connected()
        let result = unsafe PQexec(handle, sql)
        defer { unsafe PQclear(result) }
        _ = unsafe try changes(result)
    }

    func execute(_ sql: String, _ values: [DatabaseValue], _ body: (Row) throws -> Void) throws -> Int {
        let handle = try unsafe connected()
        let name = unsafe try prepare(sql, handle)
        guard unsafe send(values, to: name, handle) == 1 else { throw unsafe lost(handle) }
        // Row after row: there may be a million.
        unsafe PQsetSingleRowMode(handle)
        var changed = 0, failure: (any Error)?, columns: Row.Columns?, kinds: [UInt32] = []
        while let result = unsafe PQgetResult(handle) {
            defer { unsafe PQclear(result) }
            guard failure == nil else { continue }
            do {
                if unsafe PQresultStatus(result) == PGRES_SINGLE_TUPLE {
                    if columns == nil { (columns, kinds) = unsafe described(result) }
                    if let columns { try body(Row(columns, kinds.indices.map { unsafe value(result, Int32($0), kinds[$0]) })) }
                } else {
                    changed = unsafe try changes(result)
                }
            } catch { failure = error }
        }
        if let failure { throw failure }
        return changed
    }

    // All are sent before the first answer is read, a hundred at a time: neither side fills the other's buffers.
    func execute(_ sql: String, each values: [[DatabaseValue]]) throws {
        let handle = try unsafe connected()
        let name = unsafe try prepare(sql, handle)
        var rest = values[...]
        while !rest.isEmpty {
            let some = rest.prefix(100)
            rest = rest.dropFirst(some.count)
            guard unsafe PQenterPipelineMode(handle) == 1 else { throw unsafe lost(handle) }
            defer { unsafe PQexitPipelineMode(handle) }
            guard some.allSatisfy({ unsafe send($0, to: name, handle) == 1 }), unsafe PQpipelineSync(handle) == 1 else {
                throw unsafe lost(handle)
            }
            var failure: (any Error)?
            // A nil is between two answers.
            for _ in some {
                while let result = unsafe PQgetResult(handle) {
                    defer { unsafe PQclear(result) }
                    do { _ = unsafe try changes(result) } catch { failure = failure ?? error }
                }
            }
            while let result = unsafe PQgetResult(handle) { unsafe PQclear(result) }
            if let failure { throw failure }
        }
    }

    private func prepare(_ sql: String, _ handle: OpaquePointer) throws -> String {
        if let name = prepared[sql] { return name }
        if prepared.count >= Self.mostPrepared {
            try script("DEALLOCATE ALL")
            prepared = [:]
        }
        let name = "s\(prepared.count)"
        let result = unsafe PQprepare(handle, name, PostgresDialect.numbered(sql), 0, nil)
        defer { unsafe PQclear(result) }
        _ = unsafe try changes(result)
        prepared[sql] = name
        return name
    }

    // The server finds the types: numbers and texts are sent as text, bytes as they are.
    private func send(_ values: [DatabaseValue], to name: String, _ handle: OpaquePointer) -> Int32 {
        var bytes: [[UInt8]?] = [], formats: [Int32] = []
        for value in values {
            formats.append(0)
            switch value {
            case .null: bytes.append(nil)
            case .integer(let number): bytes.append(Array("\(number)".utf8) + [0])
            case .real(let number): bytes.append(Array("\(number)".utf8) + [0])
            case .text(let text): bytes.append(Array(text.utf8) + [0])
            case .bytes(let data):
                bytes.append(data + [0])
                formats[formats.count - 1] = 1
            }
        }
        let lengths = bytes.map { Int32(clamping: ($0?.count ?? 1) - 1) }
        return unsafe withBytes(bytes) { pointers in
            unsafe PQsendQueryPrepared(handle, name, Int32(clamping: values.count), pointers, lengths, formats, 0)
        }
    }

    private func described(_ result: OpaquePointer) -> (Row.Columns, [UInt32]) {
        let count = unsafe PQnfields(result)
        return (Row.Columns((0..<count).map { unsafe text(PQfname(result, $0)) }), (0..<count).map { unsafe PQftype(result, $0) })
    }

    // By the types of PostgreSQL's catalogue.
    private func value(_ result: OpaquePointer, _ column: Int32, _ kind: UInt32) -> DatabaseValue {
        guard unsafe PQgetisnull(result, 0, column) == 0, let start = unsafe PQgetvalue(result, 0, column) else { return .null }
        let count = Int(unsafe PQgetlength(result, 0, column))
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count)
        let text = unsafe String(decoding: bytes, as: UTF8.self)
        return switch kind {
        case 16: .integer(text == "t" ? 1 : 0)
        case 20, 21, 23: Int64(text).map { .integer($0) } ?? .null
        case 700, 701, 1700: Double(text).map { .real($0) } ?? .null
        case 17: .bytes(Hexadecimal.bytes(String(text.dropFirst(2))) ?? [])
        default: .text(text)
        }
    }

    private func changes(_ result: OpaquePointer?) throws -> Int {
        guard let result = unsafe result else { throw unsafe lost(try connected()) }
        switch unsafe PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK: return Int(unsafe text(PQcmdTuples(result))) ?? 0
        default:
            // 'C' is the code of SQLSTATE, 'M' of the message (PG_DIAG_).
            let state = unsafe text(PQresultErrorField(result, 67)), message = unsafe text(PQresultErrorField(result, 77))
            if state.isEmpty { throw unsafe lost(try connected()) }
            throw PostgresError(state: state, message: message)
        }
    }

    private func connected() throws -> OpaquePointer {
        guard let handle = unsafe handle else { throw PostgresError(state: "", message: "there is no connection") }
        return unsafe handle
    }

    private func lost(_ handle: OpaquePointer) -> PostgresError { PostgresError(state: "", message: unsafe text(PQerrorMessage(handle))) }

    private func text(_ pointer: UnsafePointer<CChar>?) -> String {
        guard let pointer = unsafe pointer else { return "" }
        return String(unsafe String(cString: pointer).split(separator: "\n").first ?? "")
    }

    /// Takes what other connections notified since the last call: their process numbers.
    func notifications() throws -> [Int32] {
        guard let handle = unsafe handle, unsafe PQconsumeInput(handle) == 1, unsafe PQstatus(handle) == CONNECTION_OK else {
            close()
            throw PostgresError(state: "", message: "the connection was lost")
        }
        var found: [Int32] = []
        while let notification = unsafe PQnotifies(handle) {
            found.append(unsafe notification.pointee.be_pid)
            unsafe PQfreemem(notification)
        }
        return found
    }

    /// Of the server's process; 0 without a connection.
    var process: Int32 { unsafe handle.map { unsafe PQbackendPID($0) } ?? 0 }
}
