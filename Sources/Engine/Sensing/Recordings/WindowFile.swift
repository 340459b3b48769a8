package import Support

/// Ready-made windows in the UCI HAR layout: int16 of 1/8192 g, x, y, z interleaved, filtered, one window after the other; and a
/// CSV table with a column `activity` that has a row for each.
package struct WindowFile: Sendable {
    /// Number of each window's activity in the data set, from 1.
    package let activities: [Int]
    private let values: [Int16]
    private let size: Int

    package var count: Int { activities.count }

    /// - Throws: `.noInput`; `.badData` when both do not fit each other.
    package init(path: String, labels: String, window: Int) throws(Fault) {
        let bytes = try Files.read(path, limit: 1 << 30)
        let table = try CSVTable(path: labels, columns: ["activity"])
        var activities: [Int] = []
        for row in table.rows {
            let activity = try row.integer(0)
            guard HAPTRecordings.activities.indices.contains(activity - 1) else {
                throw Fault(.badData, "\(labels):\(row.line): activity \(activity) is unknown (1 to \(HAPTRecordings.activities.count))")
            }
            activities.append(activity)
        }
        guard bytes.count == activities.count * window * 6, !activities.isEmpty else {
            throw Fault(
                .badData,
                "\(path) has \(bytes.count) bytes; \(activities.count) windows of \(window) samples need \(activities.count * window * 6)",
                remedy: "Do both files belong together, and does the model take windows of that length?")
        }
        self.activities = activities
        size = window * 3
        values = (0..<bytes.count / 2).map { Int16(bitPattern: UInt16(bytes[2 * $0]) | UInt16(bytes[2 * $0 + 1]) << 8) }
    }

    /// Q3.12 g, halves up.
    package func window(_ index: Int) -> [Int16] { values[index * size..<(index + 1) * size].map { Int16((Int($0) + 1) >> 1) } }
}
