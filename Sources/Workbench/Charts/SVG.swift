/// An SVG picture, put together element by element; text is escaped, and numbers have two decimals.
package struct SVG {
    package let width: Int
    package let height: Int
    private var elements: [String] = []

    package init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

    package var text: String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" role="img" font-family="system-ui, sans-serif" \
        font-size="12">\(elements.joined())</svg>
        """
    }

    package mutating func rectangle(_ x: Double, _ y: Double, _ width: Double, _ height: Double, fill: String, title: String? = nil) {
        let inside = title.map { "<title>\(Self.escaped($0))</title>" } ?? ""
        elements.append(
            """
            <rect x="\(Self.number(x))" y="\(Self.number(y))" width="\(Self.number(max(0, width)))" \
            height="\(Self.number(max(0, height)))" fill="\(fill)">\(inside)</rect>
            """
        )
    }

    package mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, stroke: String = "#ccc", dashed: Bool = false) {
        let dashes = dashed ? " stroke-dasharray=\"4 3\"" : ""
        elements.append(
            """
            <line x1="\(Self.number(x1))" y1="\(Self.number(y1))" x2="\(Self.number(x2))" y2="\(Self.number(y2))" \
            stroke="\(stroke)"\(dashes)/>
            """
        )
    }

    package mutating func curve(_ points: [(x: Double, y: Double)], stroke: String, width: Double = 1.5) {
        let list = points.map { "\(Self.number($0.x)),\(Self.number($0.y))" }.joined(separator: " ")
        elements.append(
            """
            <polyline points="\(list)" fill="none" stroke="\(stroke)" stroke-width="\(Self.number(width))" stroke-linejoin="round"/>
            """
        )
    }

    package mutating func circle(_ x: Double, _ y: Double, radius: Double, fill: String, title: String) {
        elements.append(
            """
            <circle cx="\(Self.number(x))" cy="\(Self.number(y))" r="\(Self.number(radius))" \
            fill="\(fill)"><title>\(Self.escaped(title))</title></circle>
            """
        )
    }

    package enum Anchor: String { case start, middle, end }

    package mutating func label(_ text: String, _ x: Double, _ y: Double, anchor: Anchor = .start, fill: String = "#444", size: Int? = nil)
    {
        let size = size.map { " font-size=\"\($0)\"" } ?? ""
        elements.append(
            """
            <text x="\(Self.number(x))" y="\(Self.number(y))" text-anchor="\(anchor.rawValue)" \
            fill="\(fill)"\(size)>\(Self.escaped(text))</text>
            """
        )
    }

    package static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
    }

    private static func number(_ value: Double) -> String {
        let rounded = (value * 100).rounded() / 100
        return rounded == rounded.rounded() && rounded.magnitude < 1e9 ? "\(Int(rounded))" : "\(rounded)"
    }
}
