package import Recognition
package import Support

extension Activity {
    /// The members of a JSON object, as programs read it: `gaitway run --json`, and decisions of the local stream.
    package func writeMembers(to line: inout TextLine) {
        line.append("\"t\":")
        line.append(end, over: 50, places: 2)
        line.append(",\"activity\":")
        line.append(quoted: label)
        line.append(",\"confidence\":")
        line.append(probability: confidence)
        line.append(",\"smoothed\":")
        line.append(quoted: smoothed)
        line.append(",\"probabilities\":{")
        for index in labels.indices where index < probabilities.count {
            if index > 0 { line.append(",") }
            line.append(quoted: labels[index])
            line.append(":")
            line.append(probability: probabilities[index])
        }
        line.append("}")
        if let orientation {
            line.append(",\"orientation\":")
            line.append(quoted: orientation.rawValue)
        }
        if let placement {
            line.append(",\"placement\":")
            line.append(quoted: placement)
        }
        if steps > 0 {
            line.append(",\"steps\":")
            line.append(steps, over: 1, places: 0)
        }
        if let cadence {
            line.append(",\"cadence\":")
            line.append(Int64(cadence), over: 1, places: 0)
        }
        if isNovel { line.append(",\"novel\":true") }
        if isStill { line.append(",\"still\":true") }
    }
}

extension TextLine {
    /// Q0.15 with five decimals: every value of it stays distinct.
    fileprivate mutating func append(probability value: Int16) { append(Int64(value), over: 32768, places: 5) }
}
