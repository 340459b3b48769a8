/// What somebody recorded of one activity.
package struct Recording: Sendable, Equatable {
    /// The activity's name.
    package var label: String
    /// Sampling rate in mHz.
    package var rate: Int
    /// x, y, z interleaved, Q3.12 g with the signs of Linux IIO: face up and at rest, z is +1 g.
    package var samples: [Int16]

    package init(label: String, rate: Int, samples: [Int16]) {
        self.label = label
        self.rate = rate
        self.samples = samples
    }

    /// Samples of three axes.
    package var count: Int { samples.count / 3 }
    package var seconds: Double { Double(count) * 1000 / Double(rate) }

    /// The same with every axis the other way round: Apple's signs to Linux's and back. -8 g becomes the largest number.
    var reversed: Recording {
        var recording = self
        recording.samples = samples.map { $0 == .min ? .max : -$0 }
        return recording
    }
}
