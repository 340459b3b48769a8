import Agent
import ArgumentParser
import Support

struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "How the running program does: activity, rate, model, hub, crowd, uploads.", discussion: "Asks `gaitway run` through its control socket, which its owner and root may use.")

    @OptionGroup var format: OutputOptions

    func run() throws {
        let answer = try Control.ask([("command", "status")])
        try Console.print(format.json ? String(decoding: answer.bytes, as: UTF8.self) : Self.lines(answer, "").joined(separator: "\n"))
    }

    // "models.current  7", in the order of names.
    private static func lines(_ value: JSONValue, _ name: String) -> [String] {
        switch value {
        case .object(let members): members.keys.sorted().flatMap { lines(members[$0] ?? .null, name.isEmpty ? $0 : "\(name).\($0)") }
        case .array(let values): values.enumerated().flatMap { lines($1, "\(name).\($0)") }
        case .null: []
        case .bool(let flag): ["\(name.padded(28))  \(flag ? "yes" : "no")"]
        case .integer(let number): ["\(name.padded(28))  \(number)"]
        case .number(let number): ["\(name.padded(28))  \(Decimals.text(Int((number * 100).rounded()), over: 100, places: 2))"]
        case .string(let text): ["\(name.padded(28))  \(text)"]
        }
    }
}

/// The running program, asked.
enum Control {
    /// Errors: what it answers as an error; `.noInput` when none runs.
    @discardableResult
    static func ask(_ question: [(String, JSONValue?)]) throws(Fault) -> JSONValue {
        let line = try ControlSocket.ask(String(decoding: JSONValue.members(question).bytes, as: UTF8.self))
        guard let answer = JSONValue(parsing: Array(line.utf8)) else { throw Fault(.badData, "gaitway answered with no JSON") }
        guard let error = answer["error"]?.text else { return answer }
        let code = answer["code"]?.number.flatMap { Int32(exactly: $0) }.flatMap(Fault.Code.init(rawValue:)) ?? .failure
        throw Fault(code, error, remedy: answer["remedy"]?.text)
    }
}
