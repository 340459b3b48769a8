/// A row of metadata, as a query gives it.
public struct DatabaseClass: Sendable, Equatable {
    /// By the names in ``Keys``; without the fields that the row does not have.
    public let attributes: [String: String]

    /// A row with these attributes.
    public init(_ attributes: [String: String]) { self.attributes = attributes }

    /// Whose row it is.
    public var _userID: String? { attributes[Keys.hash] }
    /// When it was: 14 digits, yyyyMMddHHmmss.
    public var _eventDate: String? { attributes[Keys.range] }
    /// The text `_m0`; nil where the row has none.
    public var _m0: String? { attributes[Keys.m0] }
    /// The text `_m1`; nil where the row has none.
    public var _m1: String? { attributes[Keys.m1] }
    /// The text `_m2`; nil where the row has none.
    public var _m2: String? { attributes[Keys.m2] }
    /// The text `_m3`; nil where the row has none.
    public var _m3: String? { attributes[Keys.m3] }
    /// The text `_m4`; nil where the row has none.
    public var _m4: String? { attributes[Keys.m4] }
    /// The text `_m5`; nil where the row has none.
    public var _m5: String? { attributes[Keys.m5] }
    /// The text `_m6`; nil where the row has none.
    public var _m6: String? { attributes[Keys.m6] }
    /// The text `_m7`; nil where the row has none.
    public var _m7: String? { attributes[Keys.m7] }
    /// The text `_m8`; nil where the row has none.
    public var _m8: String? { attributes[Keys.m8] }
    /// The text `_m9`; nil where the row has none.
    public var _m9: String? { attributes[Keys.m9] }
}
