/// A row of metadata, as a query gives it.
public struct DatabaseClass: Sendable, Equatable {
    /// By the names in ``Keys``; without the fields that the row does not have.
    public let attributes: [String: String]

    public init(_ attributes: [String: String]) { self.attributes = attributes }

    public var _userID: String? { attributes[Keys.hash] }
    public var _eventDate: String? { attributes[Keys.range] }
    public var _m0: String? { attributes[Keys.m0] }
    public var _m1: String? { attributes[Keys.m1] }
    public var _m2: String? { attributes[Keys.m2] }
    public var _m3: String? { attributes[Keys.m3] }
    public var _m4: String? { attributes[Keys.m4] }
    public var _m5: String? { attributes[Keys.m5] }
    public var _m6: String? { attributes[Keys.m6] }
    public var _m7: String? { attributes[Keys.m7] }
    public var _m8: String? { attributes[Keys.m8] }
    public var _m9: String? { attributes[Keys.m9] }
}
