import ArgumentParser
import Glibc
import Runtime
import Support

@main
struct Gaitway: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gaitway",
        abstract: "Recognises human activity on this board, from an accelerometer, in fixed point.",
        discussion: """
            Exit codes: 0 success, 1 failure, 64 usage, 65 bad data or model, 66 no input, 69 sensor unavailable, \
            75 network or server unavailable, 77 permission, 78 settings.
            """,
        version: gaitwayVersion,
        subcommands: [
            Demo.self, Run.self, Status.self, Follow.self, Hooks.self, Today.self, CancelAlarm.self, Wear.self, Record.self, Train.self,
            Personalise.self,
            Guess.self, Recordings.self,
            Calibrate.self,
            Features.self,
            Setup.self, Devices.self, Doctor.self, Config.self, Evaluate.self, Model.self, Keys.self, Program.self, Upload.self, Label.self,
            Register.self,
            Unregister.self, Privacy.self,
            Crowd.self, Bench.self, Plan.self,
        ])

    static func main() {
        // A closed pipe, or a limit of a file's size, is an error of write(), which can be explained.
        for kind in [SIGPIPE, SIGXFSZ] { signal(kind, SIG_IGN) }
        // Else the first file that is opened would be standard input.
        if fcntl(STDIN_FILENO, F_GETFD) < 0 { _ = unsafe open("/dev/null", O_RDONLY) }
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let fault as Fault {
            Console.explain(fault)
            Glibc.exit(fault.code.rawValue)
        } catch {
            exit(withError: error)
        }
    }
}

/// What every verb understands.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON object per line and nothing else on standard output.")
    var json = false
}
