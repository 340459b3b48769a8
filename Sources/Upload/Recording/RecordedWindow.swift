/// A window on its way into the spool.
public struct RecordedWindow: Sendable {
    /// Seconds since 1970 at the window's end.
    public var time: Double
    /// Filtered samples, Q3.12 g, x, y, z interleaved.
    public var samples: [Int16]
    /// The network's decision, an index into its labels.
    public var decision: Int

    public init(time: Double, samples: [Int16], decision: Int) { (self.time, self.samples, self.decision) = (time, samples, decision) }
}

/// What a row says of its window.
public enum RecordedContent: String, Sendable, CaseIterable {
    /// The samples, g: x, y, z of each.
    case raw
    /// Seventeen features.
    case seventeen = "features-17"
    /// Eighty features.
    case rich = "features-80"
}

/// What the windows that come are decided by.
public struct RecordedModel: Sendable, Equatable {
    public var labels: [String]
    public var version: Int
    /// Samples of a window and between two windows, at 50 Hz.
    public var window: Int, hop: Int

    public init(labels: [String], version: Int, window: Int, hop: Int) { (self.labels, self.version, self.window, self.hop) = (labels, version, window, hop) }
}
