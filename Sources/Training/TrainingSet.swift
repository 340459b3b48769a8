internal import Recognition
internal import Sensing
public import Support

/// Recordings of several people, through the fixed-point front end, with their labelled stretches.
public struct TrainingSet: Sendable {
    /// One filtered recording.
    struct Stream: Sendable {
        var subject: Int
        /// Q3.12 g, x, y, z interleaved.
        var samples: [Int16]
    }

    /// A labelled stretch that holds at least one window.
    struct Segment: Sendable {
        var stream: Int
        var label: Int
        var range: Range<Int>
    }

    /// Where a window starts.
    struct Position: Sendable {
        var segment: Int
        var start: Int
    }

    public let labels: [String]
    public let window: Int
    private(set) var streams: [Stream] = []
    private(set) var segments: [Segment] = []

    /// Reads a directory in the HAPT layout and filters it. Transitions (activities 7 to 12) are left out.
    ///
    /// Errors: those of ``HAPTRecordings``; `.badData` when a label lies outside its recording.
    public init(directory: String, window: Int = 128) throws(Fault) {
        labels = HAPTRecordings.activities
        self.window = window
        let source = try HAPTRecordings(directory: directory)
        for recording in source.recordings {
            let samples = try RecordedSource.q12(try source.counts(of: recording))
            let filtered = FrontEnd.filtered(samples)
            for segment in source.segments where segment.recording == recording.number {
                guard segment.range.upperBound <= samples.count / 3 else {
                    throw Fault(.badData, "a label of recording \(recording.number) ends at sample \(segment.range.upperBound) of \(samples.count / 3)")
                }
                // The filter's last sample is missing: its median looks one ahead.
                let range = segment.range.clamped(to: 0..<filtered.count / 3)
                guard segment.activity <= labels.count, range.count >= window else { continue }
                segments.append(Segment(stream: streams.count, label: segment.activity - 1, range: range))
            }
            streams.append(Stream(subject: recording.subject, samples: filtered))
        }
        guard !segments.isEmpty else { throw Fault(.badData, "\(directory) has no labelled stretch as long as a window") }
    }

    public var subjects: [Int] { Set(streams.map(\.subject)).sorted() }

    func subject(of segment: Segment) -> Int { streams[segment.stream].subject }

    /// Windows every `hop` samples from the start of each labelled stretch, as the official ones.
    func positions(of subjects: Set<Int>, hop: Int) -> [Position] {
        segments.indices.filter { subjects.contains(subject(of: segments[$0])) }.flatMap { index in
            stride(from: segments[index].range.lowerBound, through: segments[index].range.upperBound - window, by: hop)
                .map { Position(segment: index, start: $0) }
        }
    }

    func label(of position: Position) -> Int { segments[position.segment].label }

    /// The window's samples, Q3.12 g.
    func samples(at position: Position) -> ArraySlice<Int16> {
        streams[segments[position.segment].stream].samples[position.start * 3..<(position.start + window) * 3]
    }
}
