package import Support

/// Files in which recordings come and go.
package enum RecordingFormat: String, Sendable, CaseIterable {
    /// Swift-HAR's columns with Linux's signs: what `gaitway record` keeps.
    case gaitway
    /// Swift-HAR's, as an iPhone writes them: Apple's signs.
    case iphone
    /// Edge Impulse's acquisition JSON, m/s2.
    case edgeImpulse = "edge-impulse"
    /// A header `time,x,y,z`; seconds and g.
    case csv

    /// The ending of its files.
    package var fileExtension: String { self == .edgeImpulse ? "json" : "csv" }

    /// What a file holds by its first bytes; Swift-HAR's columns are taken for a phone's.
    package static func guess(_ bytes: [UInt8]) -> RecordingFormat? {
        let first = bytes.first { !" \t\r\n".utf8.contains($0) }
        if first == UInt8(ascii: "{") { return .edgeImpulse }
        guard let header = CSVTable.lines(Array(bytes.prefix(256))).first else { return nil }
        let columns = CSVTable.cells(header, separator: ",")
        return columns == SwiftHARFile.columns ? .iphone : ["time", "x", "y", "z"].allSatisfy(columns.contains) ? .csv : nil
    }

    /// - Throws: `.badData` naming the line or field.
    package func decode(_ bytes: [UInt8], label: String, path: String) throws(Fault) -> Recording {
        switch self {
        case .gaitway: try SwiftHARFile.decode(bytes, label: label, path: path)
        case .iphone: try SwiftHARFile.decode(bytes, label: label, path: path).reversed
        case .edgeImpulse: try EdgeImpulseFile.decode(bytes, label: label, path: path)
        case .csv: try CSVRecording(bytes: bytes, path: path).recording(label: label)
        }
    }

    package func encode(_ recording: Recording) -> [UInt8] {
        switch self {
        case .gaitway: SwiftHARFile.encode(recording)
        case .iphone: SwiftHARFile.encode(recording.reversed)
        case .edgeImpulse: EdgeImpulseFile.encode(recording)
        case .csv: CSVRecording.encode(recording)
        }
    }

    /// The activity in a file's name: what stands before the last "_" (Swift-HAR), or before the first "." (Edge Impulse).
    package func label(ofFile name: String) -> String {
        let stem = String(name.split(separator: "/").last ?? "")
        if self == .edgeImpulse { return String(stem.prefix { $0 != "." }) }
        let plain = stem.lastIndex(of: ".").map { String(stem[..<$0]) } ?? stem
        return plain.lastIndex(of: "_").map { String(plain[..<$0]) } ?? plain
    }
}
