/// What a network's inputs are.
public enum NetworkInput: String, Sendable, CaseIterable {
    /// The window itself: x, y, z of each sample, g.
    case raw
    /// Seventeen features of each window, computed in integers (`gw_features` in csignal.h).
    case seventeen = "features-17"
    /// The samples, then the seventeen features.
    case both = "raw+features-17"
    /// Eighty features of each window (`gw_rich_features`).
    case rich = "features-80"
    /// Numbers that somebody computed: it can predict, and not run on a sensor.
    case features

    /// Of ``seventeen`` and ``rich``.
    public static let featureCount = 17, richCount = 80

    /// How many numbers a window of so many samples makes; nil where it makes none.
    public func count(window: Int) -> Int? {
        switch self {
        case .raw: window * 3
        case .seventeen: Self.featureCount
        case .rich: Self.richCount
        case .both: window * 3 + Self.featureCount
        case .features: nil
        }
    }

    /// The window of a network with so many inputs, where they tell; nil when they cannot be.
    public func window(count: Int, otherwise: Int) -> Int? {
        switch self {
        case .raw: count % 3 == 0 ? count / 3 : nil
        case .both: count > Self.featureCount && (count - Self.featureCount) % 3 == 0 ? (count - Self.featureCount) / 3 : nil
        case .seventeen: count == Self.featureCount ? otherwise : nil
        case .rich: count == Self.richCount ? otherwise : nil
        case .features: otherwise
        }
    }
}
