import ArgumentParser
import Support
import Upload

struct UploadList: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "The files that wait or were refused, the oldest first.")

    @OptionGroup var options: UploadOptions

    func run() throws {
        let spool = try UploadPlan(try options.place.load()).spool()
        for (state, names) in [("waiting", try spool.waiting()), ("refused", try spool.refusals())] {
            for name in names {
                guard let bytes = try? Files.size(spool.path(of: name, isRefused: state == "refused")) else { continue } // sent meanwhile
                try Console.print(
                    options.format.json
                        ? JSON.object([("name", .string(name)), ("state", .string(state)), ("bytes", .number("\(bytes)"))]).text
                        : "\(state)  \("\(bytes)".aligned(10))  \(name)")
            }
        }
    }
}
