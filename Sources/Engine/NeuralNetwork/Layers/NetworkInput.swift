/// What a network's inputs are.
package enum NetworkInput: String, Sendable, CaseIterable {
    /// The window itself: x, y, z of each sample, g.
    case raw
    /// Seventeen features of each window, computed in integers (`gw_features` in cfeatures.h).
    case features17 = "features-17"
    /// The samples, then the seventeen features.
    case rawAndFeatures17 = "raw+features-17"
    /// Eighty features of each window (`gw_rich_features`).
    case features80 = "features-80"
    /// The window as Swift-HAR has it: an iPhone's signs, each axis from its least value, or from its greatest where all are negative.
    case shifted = "swift-har"
    /// Features of each window in the wearer's own directions, and the place of the body (`gw_wearing_row`): the network carries two
    /// others, which find walking and the place of the body (``WearingNetworks``).
    case worn
    /// Numbers that somebody computed: it can predict, and not run on a sensor.
    case features

    /// Of ``features17`` and ``features80``.
    package static let count17 = 17, count80 = 80
    /// Of ``worn``: all features of a window; those that do not depend on how the sensor is turned, and which is the first of them.
    package static let countWearing = 127, countGait = 43, firstGait = 55
    /// The most places of the body that a model can tell apart.
    package static let mostPlacements = 8

    /// How many numbers a window of so many samples makes; nil where it makes none.
    package func count(window: Int) -> Int? {
        switch self {
        case .raw, .shifted: window * 3
        case .features17: Self.count17
        case .features80: Self.count80
        case .rawAndFeatures17: window * 3 + Self.count17
        case .worn: (64...256).contains(window) ? Self.countWearing + Self.mostPlacements : nil
        case .features: nil
        }
    }

    /// The window of a network with so many inputs, where they tell; nil when they cannot be.
    package func window(count: Int, otherwise: Int) -> Int? {
        switch self {
        case .raw, .shifted: count % 3 == 0 ? count / 3 : nil
        case .rawAndFeatures17: count > Self.count17 && (count - Self.count17) % 3 == 0 ? (count - Self.count17) / 3 : nil
        case .features17: count == Self.count17 ? otherwise : nil
        case .features80: count == Self.count80 ? otherwise : nil
        case .worn: count == Self.countWearing + Self.mostPlacements ? otherwise : nil
        case .features: otherwise
        }
    }
}
