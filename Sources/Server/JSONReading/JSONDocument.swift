internal import CJSON

/// What a JSON document has, one part after the other.
package enum JSONPart: Sendable, Equatable {
    case null, bool(Bool), integer(Int64), number(Double), text(String)
    /// A list that has numbers alone, one at least.
    case numbers([Double])
    /// Any other list begins, an object begins, the one that began last ends.
    case list, object, end
}

/// JSON (RFC 8259) read by simdjson.
package enum JSONDocument {
    /// Calls `take` for everything that it has, with its name where it is an object's member.
    ///
    /// - Returns: whether it is one: no more than 1024 levels, numbers within a double, whole numbers below 2^64. Nothing is taken
    ///   otherwise.
    package static func read(_ bytes: [UInt8], _ take: (_ name: String, _ part: JSONPart) -> Void) -> Bool {
        withoutActuallyEscaping(take) { take in
            let taker = Taker(take)
            defer { withExtendedLifetime(taker) {} } // C calls it back
            return unsafe bytes.withUnsafeBytes { bytes in
                unsafe gw_json_read(
                    bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count,
                    { context, value in
                        guard let context = unsafe context, let value = unsafe value else { return }
                        unsafe Unmanaged<Taker>.fromOpaque(context).takeUnretainedValue().visit(value.pointee)
                    }, Unmanaged.passUnretained(taker).toOpaque())
            }
        }
    }

    private final class Taker {
        private let take: (String, JSONPart) -> Void

        init(_ take: @escaping (String, JSONPart) -> Void) { self.take = take }

        func visit(_ value: gw_json_value) {
            let name = unsafe value.name.map { unsafe Self.text($0, value.name_length) } ?? ""
            let part: JSONPart =
                switch unsafe value.kind {
                case GW_JSON_LIST: .list
                case GW_JSON_OBJECT: .object
                case GW_JSON_END: .end
                case GW_JSON_BOOLEAN: .bool(unsafe value.integer != 0)
                case GW_JSON_INTEGER: .integer(unsafe value.integer)
                case GW_JSON_NUMBER: .number(unsafe value.number)
                case GW_JSON_TEXT: .text(unsafe Self.text(value.text, value.length))
                case GW_JSON_NUMBERS: .numbers(unsafe Array(UnsafeBufferPointer(start: value.numbers, count: value.length)))
                default: .null
                }
            take(name, part)
        }

        private static func text(_ start: UnsafePointer<CChar>, _ length: Int) -> String {
            unsafe String(decoding: UnsafeRawBufferPointer(start: start, count: length), as: UTF8.self)
        }
    }
}
