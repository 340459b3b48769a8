/// How far a hub's clock is believed. It matters for models that expire: a hub that tells of the year 9999 would end all of them for good.
enum HubTime: Equatable {
    case unbelievable
    /// Of a board whose own clock was never set: it counts until the program ends.
    case forThisRun(Int64)
    /// It is about what the board's own clock says.
    case kept(Int64)

    /// Seconds since 1970: before this program was written. A clock that is behind it was never set.
    private static let past: Int64 = 1_760_000_000
    private static let day: Int64 = 86_400

    static func isPlausible(own: Int64) -> Bool { own > past }

    /// - Parameters:
    ///   - time: the hub's, seconds since 1970.
    ///   - own: the board's.
    ///   - latest: that the board knows to have been.
    static func judge(_ time: Double, own: Int64, latest: Int64) -> Self {
        guard time > 0, time < 1e10 else { return .unbelievable }
        let time = Int64(time)
        guard isPlausible(own: own) else { return .forThisRun(time) }
        // What an earlier version believed is mended.
        if latest > own + day { return .kept(own) }
        // Once an hour is enough for what expires after days.
        return time > latest + 3600 && time <= own + day ? .kept(time) : .unbelievable
    }
}
