internal import Glibc
internal import Support

/// What is written nearly as a setting is.
extension Settings {
    /// The setting whose name is the nearest, where it is near at all.
    static func nearest(to name: String) -> String? {
        let names = table.map { (setting: any AnySetting) in (setting.name, distance(setting.name, name)) }
        guard let (found, distance) = names.min(by: { $0.1 < $1.1 }), distance <= max(2, name.count / 4) else { return nil }
        return found
    }

    /// This process's variables that begin with GAITWAY_ and nearly are those of settings, each with the one that may be meant. Others are
    /// other programs'.
    package static var misspelt: [(variable: String, meant: String)] {
        var found: [(variable: String, meant: String)] = [], next = unsafe environ
        let known = Set(table.map { (setting: any AnySetting) in setting.variable })
        while let entry = unsafe next.pointee {
            unsafe next += 1
            let name = unsafe String(cString: entry).prefix { $0 != "=" }
            guard name.hasPrefix(prefix), name.utf8.count <= 100, !known.contains(String(name)), !others.contains(String(name)) else {
                continue
            }
            let near = known.map { ($0, distance($0, String(name))) }.min { ($0.1, $0.0) < ($1.1, $1.0) }
            if let (meant, distance) = near, distance <= 3 { found.append((String(name), meant)) }
        }
        return found.sorted { $0.variable < $1.variable }
    }

    private static let prefix = "GAITWAY_"
    // What programs and tests of Gaitway's own read.
    private static let others: Set<String> = ["GAITWAY_CONFIG", "GAITWAY_PROGRESS", "GAITWAY_HUB", "GAITWAY_DATA"]

    // How many letters have to be put in, left out or changed (Levenshtein).
    private static func distance(_ a: String, _ b: String) -> Int {
        let a = Array(a.utf8), b = Array(b.utf8)
        var row = Array(0...b.count)
        for i in a.indices {
            var diagonal = row[0]
            row[0] = i + 1
            for j in b.indices {
                let changed = diagonal + (a[i] == b[j] ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(changed, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[b.count]
    }
}
