internal import CPostgres
internal import Support

/// One connection to PostgreSQL, opened when it is needed. One thread at a time has it.
@safe final class PostgresConnection: DatabaseSession, @unchecked Sendable {
    private let address: String
    private var handle: OpaquePointer?
    // Names of prepared statements, by their text.
    private var prepared: [String: String] = [:]
    private static let mostPrepared = 500
    /// Seconds to connect.
    private static let patience = "5"
    // Of a statement, of a wait for another's lock, of silence within a transaction; the server notices a machine that is gone as soon as
    // this side does; and what a database's owner may have set otherwise.
    private static let settings = """
        SET statement_timeout = '30s'; SET lock_timeout = '10s'; SET idle_in_transaction_session_timeout = '30s';
        SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3; SET tcp_user_timeout = 20000;
        SET bytea_output = 'hex'; SET extra_float_digits = 1; SET standard_conforming_strings = on
        """
    /// Whether this transaction changed any row.
    private(set) var hasChanged = false
    private static let oldest: Int32 = 120_000

    init(_ address: String) { self.address = address }

    deinit { close() }

    func close() {
        if let handle = unsafe handle { unsafe PQfinish(handle) }
        unsafe handle = nil
        prepared = [:]
    }

    var isOpen: Bool { unsafe handle.map { unsafe PQstatus($0) == CONNECTION_OK } ?? false }

    func open() throws {
        if isOpen { return }
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
            let state =
                ["password authentication failed", "no password supplied", "role \""].contains { message.contains($0) }
                ? "28P01" : message.contains("does not exist") ? "3D000" : ""
            throw PostgresError(state: state, message: message)
        }
        unsafe PQsetNoticeProcessor(made, { _, _ in }, nil)
        guard unsafe PQserverVersion(made) >= Self.oldest else {
            let version = unsafe PQserverVersion(made) / 10_000
            close()
            throw Fault(.configuration, "PostgreSQL \(version) is too old", remedy: "Use 12 or newer.")
        }
        do {
            guard unsafe text(PQparameterStatus(made, "server_encoding")) == "UTF8" else {
                throw Fault(.configuration, "the database keeps no UTF-8", remedy: "Make it with createdb -E UTF8 -T template0.")
            }
            try script(Self.settings)
        } catch {
            close()
            throw error
        }
    }

    func begin(_ sql: String) throws {
        hasChanged = false
        try script(sql)
    }

    func takeTime() throws { try script("SET LOCAL statement_timeout = 0") }

    /// Statements without arguments or rows.
    func script(_ sql: String) throws {
        let handle = try unsafe connected()
        let result = unsafe PQexec(handle, sql)
        defer { unsafe PQclear(result) }
        _ = unsafe try changes(result)
    }

    func execute(_ sql: String, _ values: [DatabaseValue], _ body: (Row) throws -> Void) throws -> Int {
        let handle = try unsafe connected()
        try Self.check(values)
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
                    if let columns { try body(Row(columns, kinds.indices.map { try unsafe value(result, Int32($0), kinds[$0]) })) }
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
        for row in values { try Self.check(row) }
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

    // libpq would end a text there.
    private static func check(_ values: [DatabaseValue]) throws {
        for case .text(let text) in values where text.utf8.contains(0) { throw PostgresError(state: "22021", message: "a zero byte") }
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
    private func value(_ result: OpaquePointer, _ column: Int32, _ kind: UInt32) throws -> DatabaseValue {
        guard unsafe PQgetisnull(result, 0, column) == 0, let start = unsafe PQgetvalue(result, 0, column) else { return .null }
        let count = Int(unsafe PQgetlength(result, 0, column))
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count)
        if kind == 17 { return .bytes(try unsafe Self.decoded(bytes)) }
        let text = unsafe String(decoding: bytes, as: UTF8.self)
        return switch kind {
        case 16: .integer(text == "t" ? 1 : 0)
        case 20, 21, 23: Int64(text).map { .integer($0) } ?? .null
        case 700, 701, 1700: Double(text).map { .real($0) } ?? .null
        default: .text(text)
        }
    }

    // \x and two digits for each byte.
    private static func decoded(_ text: UnsafeRawBufferPointer) throws -> [UInt8] {
        guard text.count % 2 == 0, text.count >= 2, unsafe text[0] == UInt8(ascii: "\\") else {
            throw PostgresError(state: "22P03", message: "bytes came in a form that is not known")
        }
        func digit(_ byte: UInt8) -> UInt8 { byte <= UInt8(ascii: "9") ? byte - UInt8(ascii: "0") : byte - UInt8(ascii: "a") + 10 }
        return stride(from: 2, to: text.count, by: 2).map { unsafe digit(text[$0]) << 4 | digit(text[$0 + 1]) }
    }

    private func changes(_ result: OpaquePointer?) throws -> Int {
        guard let result = unsafe result else { throw unsafe lost(try connected()) }
        switch unsafe PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK:
            let count = Int(unsafe text(PQcmdTuples(result))) ?? 0
            if count > 0, !(unsafe text(PQcmdStatus(result))).hasPrefix("SELECT") { hasChanged = true }
            return count
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

    /// Takes what connections notified since the last call.
    func notifications() throws -> [String] {
        guard let handle = unsafe handle, unsafe PQconsumeInput(handle) == 1, unsafe PQstatus(handle) == CONNECTION_OK else {
            close()
            throw PostgresError(state: "", message: "the connection was lost")
        }
        var found: [String] = []
        while let notification = unsafe PQnotifies(handle) {
            found.append(unsafe text(notification.pointee.extra))
            unsafe PQfreemem(notification)
        }
        return found
    }
}
