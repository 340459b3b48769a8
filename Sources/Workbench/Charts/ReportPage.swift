internal import Support

/// One HTML file that needs nothing else: for a phone, a screen in the dark and a printout.
package struct ReportPage {
    private let title: String
    private var parts: [String] = []

    /// - Parameter title: as text.
    package init(title: String) { self.title = title }

    package static let blue = "#30638e", red = "#d1495b", grey = "#9aa5b1"

    package mutating func heading(_ text: String) { parts.append("<h2>\(SVG.escaped(text))</h2>") }

    /// - Parameter html: may have entities and markup.
    package mutating func paragraph(_ html: String, isNote: Bool = false) {
        parts.append("<p\(isNote ? " class=\"note\"" : "")>\(html)</p>")
    }

    package mutating func picture(_ svg: SVG, isWide: Bool = false) {
        parts.append(isWide ? "<div class=\"wide picture\">\(svg.text)</div>" : svg.text)
    }

    /// - Parameter rows: as text, the first cell of each at the left.
    package mutating func table(_ heads: [String], _ rows: [[String]]) {
        func cells(_ name: String, _ row: [String]) -> String {
            "<tr>\(row.map { "<\(name)>\(SVG.escaped($0))</\(name)>" }.joined())</tr>"
        }
        parts.append("<div class=\"wide\"><table>\(cells("th", heads))\(rows.map { cells("td", $0) }.joined())</table></div>")
    }

    /// - Parameter html: markup of the caller's, whose texts are escaped.
    package mutating func add(_ html: String) { parts.append(html) }

    package var html: String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(SVG.escaped(title))</title><style>
        \(Self.style)
        </style></head><body>
        <h1>\(SVG.escaped(title))</h1>
        \(parts.joined(separator: "\n"))
        </body></html>

        """
    }

    private static let style = """
        :root { color-scheme: light dark; --line: #e4e4e4; --quiet: #555; --ink: #222; --paper: #fff; }
        @media (prefers-color-scheme: dark) { :root { --line: #3a4148; --quiet: #a9b2ba; --ink: #e4e7ea; --paper: #15191d; }
        svg text { fill: var(--quiet); } svg line { stroke: var(--line); } }
        body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 62rem; margin: 0 auto; \
        padding: 1rem; }
        h1 { font-size: 1.5rem; margin: 0.5rem 0; } h2 { font-size: 1.15rem; margin: 2rem 0 0.5rem; }
        svg { width: 100%; max-width: 44rem; height: auto; } .wide { overflow-x: auto; }
        .pair { display: grid; gap: 1.5rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); }
        .picture svg { min-width: 40rem; max-width: none; }
        table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100%; }
        th, td { padding: 0.25rem 0.5rem; text-align: right; border-bottom: 1px solid var(--line); }
        td + td { white-space: nowrap; }
        th:first-child, td:first-child { text-align: left; } th { font-weight: 600; font-size: 0.85rem; color: var(--quiet); }
        .confusion td { text-align: center; } .confusion td:first-child { text-align: left; font-size: 0.8rem; }
        .note { color: var(--quiet); font-size: 0.9rem; }
        @media (max-width: 34rem) { th, td { padding: 0.25rem 0.3rem; }
        .confusion td, .confusion th { padding: 0.2rem 0.15rem; font-size: 0.75rem; } }
        @media print { body { max-width: none; font-size: 11pt; } h2 { break-after: avoid; } svg, table { break-inside: avoid; }
        * { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
        """
}
