import Glibc
import Support

/// Standard output and standard error, line by line.
enum Console {
    static let outputIsTerminal = isatty(STDOUT_FILENO) == 1
    static let errorIsTerminal = isatty(STDERR_FILENO) == 1
    /// Colour on terminals, unless the user does not want it (no-color.org).
    static let colours = unsafe outputIsTerminal && getenv("NO_COLOR") == nil

    /// Whether a program shows what a terminal would: gaitway-dashboard.
    private static let tellsProgress = unsafe getenv("GAITWAY_PROGRESS").map { unsafe String(cString: $0) } == "lines"

    /// Whether a terminal shows more than ASCII: not in the C locale.
    static let hasUnicode: Bool = {
        for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
            guard let value = unsafe getenv(name).map({ unsafe String(cString: $0) }), !value.isEmpty else { continue }
            return value.uppercased().contains("UTF")
        }
        return false
    }()

    /// One line on standard output, at once.
    ///
    /// - Throws: `.failure` when it is closed or full.
    static func print(_ line: String) throws(Fault) { try write(line + "\n", to: STDOUT_FILENO) }

    /// The same of a line with its line feed.
    static func print(_ line: TextLine) throws(Fault) { try write(line.bytes, to: STDOUT_FILENO) }

    /// One line on standard error, names of files and people in it as a terminal may show them. There is nobody to tell when that fails.
    static func note(_ line: String) { try? write(Printable.text(line, lines: true) + "\n", to: STDERR_FILENO) }

    static func explain(_ fault: Fault) { note("gaitway: \(fault.description)") }

    /// A line that the next one replaces, on a terminal's standard error only; lines of their own where GAITWAY_PROGRESS is "lines".
    static func progress(_ line: String?) {
        guard errorIsTerminal else {
            if tellsProgress, let line { note("progress: \(line)") }
            return
        }
        try? write("\r\u{1b}[K" + (line ?? ""), to: STDERR_FILENO)
    }

    /// Raw text for a terminal's standard error.
    static func draw(_ text: String) { if errorIsTerminal { try? write(text, to: STDERR_FILENO) } }

    static func bell() { draw("\u{07}") }

    /// Columns of the terminal; 80 where there is none.
    static var columns: Int {
        var size = winsize()
        return unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// A question that "y" or "yes" answers.
    ///
    /// - Throws: `.usage` where nobody can be asked.
    static func confirms(_ question: String) throws(Fault) -> Bool {
        guard isatty(STDIN_FILENO) == 1 else { throw Fault(.usage, "nobody is here to confirm this", remedy: "Add --yes.") }
        draw(question + " [y/N] ")
        return ["y", "yes"].contains(readLine()?.lowercased() ?? "")
    }

    /// A question that a line of text answers; nil for an empty one.
    ///
    /// - Parameter isSecret: a terminal does not show the answer.
    /// - Throws: `.usage` for text with control characters, and where the input ends.
    static func ask(_ question: String, isSecret: Bool = false) throws(Fault) -> String? {
        try? write(question + ": ", to: STDERR_FILENO)
        var before = termios()
        let isHidden = unsafe isSecret && tcgetattr(STDIN_FILENO, &before) == 0
        if isHidden {
            var hidden = before
            hidden.c_lflag &= ~tcflag_t(ECHO)
            unsafe tcsetattr(STDIN_FILENO, TCSANOW, &hidden)
        }
        let answer = readLine()
        if isHidden {
            unsafe tcsetattr(STDIN_FILENO, TCSANOW, &before)
            try? write("\n", to: STDERR_FILENO)
        }
        guard let line = answer?.trimmed else {
            throw Fault(.usage, "the input ended before the last question", remedy: "Answers of a file: gaitway setup --from FILE")
        }
        guard !line.isEmpty else { return nil }
        guard line.unicodeScalars.allSatisfy({ $0.value >= 32 && $0.value != 127 }) else {
            throw Fault(.usage, "the answer has control characters")
        }
        return String(line)
    }

    /// A question with a choice; asked again until one of them, or nothing for `usual`, is the answer.
    ///
    /// - Throws: `.usage` where the input ends without one.
    static func ask(_ question: String, from choices: [String], or usual: String) throws(Fault) -> String {
        for _ in 0..<10 {
            let answer = try ask("\(question) (\(choices.joined(separator: ", "))) [\(usual)]")?.lowercased() ?? usual
            let fitting = choices.filter { $0.hasPrefix(answer) }
            if choices.contains(answer) { return answer }
            if fitting.count == 1 { return fitting[0] }
            note("  \"\(answer)\" is none of them")
        }
        throw Fault(.usage, "ten answers were none of \(choices.joined(separator: ", "))")
    }

    enum Style {
        case bold, dim, red, green, yellow, blue

        /// From here on a terminal shows text so, up to ``end``.
        var begin: String {
            switch self {
            case .bold: "\u{1b}[1m"
            case .dim: "\u{1b}[2m"
            case .red: "\u{1b}[31m"
            case .green: "\u{1b}[32m"
            case .yellow: "\u{1b}[33m"
            case .blue: "\u{1b}[34m"
            }
        }
        static let end = "\u{1b}[0m"
    }

    static func styled(_ text: String, _ style: Style) -> String { colours ? style.begin + text + Style.end : text }

    private static func write(_ text: String, to file: CInt) throws(Fault) { try write(Array(text.utf8), to: file) }

    private static func write(_ bytes: [UInt8], to file: CInt) throws(Fault) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EPIPE {
                throw Fault(.failure, "standard output was closed: stopped")
            } else if errno != EINTR {
                let reason = unsafe String(cString: strerror(errno))
                throw Fault(.failure, "cannot write to standard output: \(reason)")
            }
        }
    }
}
