/// A window on its way into the spool.
package struct RecordedWindow: Sendable {
    /// ms since 1970 at the window's end.
    package var time: Int64
    /// Filtered samples, Q3.12 g, x, y, z interleaved.
    package var samples: [Int16]
    /// The network's decision, an index into its labels; nil where it could tell none.
    package var decision: Int?

    package init(time: Int64, samples: [Int16], decision: Int?) { (self.time, self.samples, self.decision) = (time, samples, decision) }
}

/// What the windows that come are decided by.
package struct RecordedModel: Sendable, Equatable {
    package var labels: [String]
    package var version: Int
    /// Samples of a window and between two windows, at 50 Hz.
    package var window: Int, hop: Int

    package init(labels: [String], version: Int, window: Int, hop: Int) {
        (self.labels, self.version, self.window, self.hop) = (labels, version, window, hop)
    }
}
