import Agent
import ArgumentParser
import Support

struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "How the running program does: activity, rate, model, hub, crowd, uploads.", discussion: "Asks `gaitway run` through its control socket, which its owner and root may use.")

    @OptionGroup var format: OutputOptions

    func run() throws {
        let answer = try Control.ask([("command", "status")])
        try Console.print(format.json ? JSON(answer).text : StatusText.of(answer))
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
