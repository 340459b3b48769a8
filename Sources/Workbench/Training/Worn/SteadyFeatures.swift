/// Features by which places of the body differ, and sets of recordings do not.
///
/// Every set has its own sensors, ways to fasten them and people. A network that finds the place by what is peculiar to a set mistakes the
/// place of people whom another one recorded: of sets left out in turn it found 88 of 116 places from all features, and 105 from these.
struct SteadyFeatures {
    /// How many are used.
    private static let most = 32
    /// Added to the variance between sets, which are few.
    private static let least = 0.05

    /// Of each feature, whether it is used.
    let isUsed: [Bool]

    /// - Parameters:
    ///   - rows: Q3.12.
    ///   - places: of the body, of each row.
    ///   - sets: of recordings, of each row.
    init(_ rows: [ArraySlice<Int16>], places: [Int], sets: [String]) {
        let all = ColumnMoments(rows), width = all.means.count
        // Sums over the places that several sets have.
        var within = [Double](repeating: 0, count: width), compared = 0
        var ofPlaces: [[Double]] = []
        for (_, indices) in Dictionary(grouping: rows.indices, by: { places[$0] }).sorted(by: { $0.key < $1.key }) {
            let bySet = Dictionary(grouping: indices) { sets[$0] }.sorted { $0.key < $1.key }
            let means = bySet.map { ColumnMoments($0.value.map { rows[$0] }).means }
            ofPlaces.append(Self.mean(means))
            guard means.count > 1 else { continue }
            compared += 1
            for (column, variance) in Self.variances(means).enumerated() { within[column] += variance }
        }
        guard compared > 0, width > Self.most else {
            isUsed = [Bool](repeating: true, count: width)
            return
        }
        let between = Self.variances(ofPlaces)
        let worth = (0..<width).map { column in
            let unit = max(all.variances[column], 16)
            return between[column] / unit / (within[column] / Double(compared) / unit + Self.least)
        }
        let best = Set(worth.indices.sorted { (worth[$0], $1) > (worth[$1], $0) }.prefix(Self.most))
        isUsed = (0..<width).map(best.contains)
    }

    private static func mean(_ rows: [[Double]]) -> [Double] {
        (0..<(rows.first?.count ?? 0)).map { column in rows.reduce(0) { $0 + $1[column] } / Double(rows.count) }
    }

    private static func variances(_ rows: [[Double]]) -> [Double] {
        let means = mean(rows)
        return means.indices.map { column in
            rows.reduce(0) { $0 + ($1[column] - means[column]) * ($1[column] - means[column]) } / Double(rows.count)
        }
    }
}
