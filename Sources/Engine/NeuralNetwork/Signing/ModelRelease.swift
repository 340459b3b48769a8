/// What a signature says of a model beside its bytes: which it is, and whose boards it is for.
///
/// It is a member of the statement that OpenSSF's tools do not read.
package struct ModelRelease: Codable, Sendable, Equatable {
    /// The hub's name of the model; nil for any.
    package var model: String?
    package var version: Int
    /// Bytes.
    package var length: Int
    /// Seconds since 1970, after which no board takes it; nil for never.
    package var expires: Int64?
    /// Organisations of the hub; nil for all.
    package var fleets: [String]?
    /// Where the sensor is worn; nil for anywhere.
    package var placements: [String]?

    package init(
        model: String? = nil, version: Int, length: Int, expires: Int64? = nil, fleets: [String]? = nil, placements: [String]? = nil
    ) {
        (self.model, self.version, self.length) = (model, version, length)
        (self.expires, self.fleets, self.placements) = (expires, fleets, placements)
    }
}
