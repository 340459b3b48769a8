import Settings
import Support

/// The manual page of the settings, out of their table.
enum ManualText {
    static func settings(_ table: [any AnySetting]) -> String {
        var lines = [
            ".TH GAITWAY.TOML 5", ".SH NAME", "gaitway.toml \\- settings of gaitway", ".SH SYNOPSIS",
            ".I /etc/gaitway/gaitway.toml", ".br", ".I /etc/gaitway/conf.d/*.toml", ".SH DESCRIPTION",
            "Settings of",
            ".BR gaitway (1),",
            "in TOML. What a file leaves out has its default; files of conf.d count more than gaitway.toml, variables of the",
            "environment more than files, and flags more than all. A setting that there is not, and a value out of its range, is an error",
            "(exit code 78).",
        ]
        var section = ""
        for setting in table {
            let parts = setting.name.split(separator: ".", maxSplits: 1).map(String.init)
            if parts.count == 2, parts[0] != section {
                section = parts[0]
                lines.append(".SS [\(escaped(section))]")
            }
            lines += [".TP", ".B \(escaped(parts.last ?? setting.name))", "\(escaped(setting.help))", ".br"]
            let unit = setting.unit.isEmpty ? "" : " \(setting.unit)"
            lines.append(escaped("Takes \(setting.expectation)."))
            lines.append(escaped("Default: \(setting.fallback.map { "\($0)\(unit)" } ?? "none"). Variable: \(setting.variable)"))
        }
        lines += [".SH SEE ALSO", ".BR gaitway (1)"]
        return lines.joined(separator: "\n")
    }

    // A backslash begins a command, and so do a dot and an apostrophe at the start of a line.
    private static func escaped(_ text: String) -> String {
        let text = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
        return text.first == "." || text.first == "'" ? "\\&\(text)" : text
    }
}
