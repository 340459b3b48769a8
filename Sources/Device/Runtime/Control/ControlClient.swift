package import Support

/// The running program, asked through its control socket.
package enum ControlClient {
    /// - Throws: what it answers as an error; `.noInput` when none runs.
    @discardableResult
    package static func ask(_ question: [(String, JSONValue?)]) throws(Fault) -> JSONValue {
        let line = try ControlSocket.ask(String(decoding: JSONValue.members(question).bytes, as: UTF8.self))
        guard let answer = JSONValue(parsing: Array(line.utf8)) else { throw Fault(.badData, "gaitway answered with no JSON") }
        if let error = fault(in: answer) { throw error }
        return answer
    }

    /// Whether another gaitway keeps this user's state: it alone records, reports and updates.
    package static var isAnswered: Bool { ControlSocket.isAnswered(ControlSocket.path) }

    /// Whether that one replies within a quarter of a second: one that is ending, or hangs, may still have its socket.
    static var replies: Bool { ControlSocket.answerAtOnce(#"{"command":"status"}"#, at: ControlSocket.path) != nil }

    /// What an answer says went wrong.
    static func fault(in answer: JSONValue) -> Fault? {
        guard let error = answer["error"]?.text else { return nil }
        let code = answer["code"]?.number.flatMap { Int32(exactly: $0) }.flatMap(Fault.Code.init(rawValue:)) ?? .failure
        return Fault(code, error, remedy: answer["remedy"]?.text)
    }
}
