internal import Upload

/// The names of a metadata row's fields, as callers of SwiftyForesight write them.
public final class Keys {
    /// The user's ID.
    public static let hash = RowKey.user
    /// When it was: 14 digits, yyyyMMddHHmmss.
    public static let range = RowKey.date
    /// Texts about a row.
    public static let m0 = RowKey.field(0), m1 = RowKey.field(1), m2 = RowKey.field(2), m3 = RowKey.field(3), m4 = RowKey.field(4)
    /// Texts about a row.
    public static let m5 = RowKey.field(5), m6 = RowKey.field(6), m7 = RowKey.field(7), m8 = RowKey.field(8), m9 = RowKey.field(9)

    /// ``m0`` ... ``m9``.
    public static let fields = RowKey.fields
    /// All names of a row.
    public static let all = RowKey.all

    private init() {}
}
