/// The names of a metadata row's fields, as callers of SwiftyForesight write them.
public final class Keys {
    /// The user's ID.
    public static let hash = "_userID"
    /// When it was: 14 digits, yyyyMMddHHmmss.
    public static let range = "_eventDate"
    public static let m0 = "_m0", m1 = "_m1", m2 = "_m2", m3 = "_m3", m4 = "_m4", m5 = "_m5", m6 = "_m6", m7 = "_m7", m8 = "_m8", m9 = "_m9"

    /// ``m0`` ... ``m9``.
    public static let fields = [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9]
    public static let all = [hash, range] + fields

    private init() {}
}
