package import Support

/// A copy of a hub's file, named by its moment: `hub-20261124T180000Z.sqlite`.
package struct BackupCopy: Sendable, Equatable {
    /// Where it is; in a bucket `s3://BUCKET/PREFIX/NAME`.
    package var path: String
    /// Seconds since 1970.
    package var moment: Double

    static func name(of moment: Double) -> String {
        "hub-" + ISOTime.text(moment).filter { $0 != "-" && $0 != ":" } + ".sqlite"
    }

    /// nil for what is no copy's name.
    static func moment(of name: String) -> Double? {
        let bytes = Array(name.utf8)
        guard bytes.count == 27, bytes.allSatisfy({ $0 < 0x80 }), name.hasPrefix("hub-"), name.hasSuffix("Z.sqlite") else { return nil }
        let text = [4..<8, 8..<10, 10..<12, 13..<15, 15..<17, 17..<19].map { String(decoding: bytes[$0], as: UTF8.self) }
        return ISOTime.seconds("\(text[0])-\(text[1])-\(text[2])T\(text[3]):\(text[4]):\(text[5])Z")
    }
}

/// Where copies of a hub's file are kept.
package protocol BackupPlace: Sendable {
    var path: String { get }

    /// The copies that are whole, the oldest first.
    func copies() throws(Fault) -> [BackupCopy]

    /// Copies what a hub knows now, and removes what is older than `kept` seconds but for the newest copy. A copy has its name once it is
    /// whole.
    func add(_ store: HubStore, now: Double, kept: Double) async throws(Fault) -> BackupCopy
}

extension BackupPlace {
    /// The newest copy that is no newer than a moment.
    ///
    /// - Throws: `.noInput` where there is none; those of ``copies()``.
    package func copy(at moment: Double) throws(Fault) -> BackupCopy {
        let all = try copies()
        if let found = all.last(where: { $0.moment <= moment }) { return found }
        guard let first = all.first else { throw Fault(.noInput, "\(path) has no copy of a hub's file") }
        throw Fault(.noInput, "\(path) has no copy of that time or before", remedy: "The oldest is of \(ISOTime.text(first.moment)).")
    }
}
