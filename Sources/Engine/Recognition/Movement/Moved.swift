internal import CFeatures

/// What was counted up to a sample.
package struct Moved: Sendable, Equatable {
    package var steps: Int64 = 0
    /// Sum of the squares of how far the length of each sample was from its slow mean, (1/4096 g)^2, and how many samples that were.
    package var squares: Int64 = 0, samples: Int64 = 0
    /// Steps a minute; nil while there is no gait.
    package var cadence: Int?

    package init() {}

    init(_ raw: gw_moved) {
        (steps, squares, samples) = (raw.steps, raw.squares, raw.samples)
        cadence = raw.cadence > 0 ? Int(raw.cadence + 128) >> 8 : nil
    }
}
