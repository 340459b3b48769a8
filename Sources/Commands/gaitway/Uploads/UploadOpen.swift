import ArgumentParser
import Cryptography
import Support
import Upload

struct UploadOpen: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Read a file that was sealed to upload.public_key.",
        discussion: "It needs no board: the private key is where the data is used. The rows go to standard output, or to --output.")

    @Argument(help: ArgumentHelp("The file, USER_yyyyMMddHHmmss_data.csv.hpke.", valueName: "file"), completion: .file())
    var file: String
    @Option(help: ArgumentHelp("The private key, PEM.", valueName: "file"), completion: .file())
    var key: String
    @Option(help: ArgumentHelp("Where the rows go.", valueName: "file"), completion: .file())
    var output: String?

    // Bytes: an hour of raw windows has 16 MB.
    private static let limit = 1 << 30

    func run() throws {
        let key = try OpeningKey(file: key), bytes = try Files.read(file, limit: Self.limit)
        var rows: [UInt8] = []
        let end = try key.open(bytes, name: file) { rows += $0 }
        if let output {
            try Files.write(rows, to: output, isPrivate: true)
        } else if rows.last == UInt8(ascii: "\n") {
            try Console.print(String(decoding: rows.dropLast(), as: UTF8.self))
        }
        switch end {
        case .whole: break
        case .cutOff: Console.note("gaitway: \(file) was cut off: it ends with its last whole row")
        case .damaged(let place):
            throw Fault(.badData, "\(file) was damaged at byte \(place)", remedy: "The rows before that are right.")
        }
    }
}
