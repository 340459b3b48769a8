internal import Sensing
internal import Support

/// Swift-HAR's "bootstrapper": windows of a recording of 1000 samples at 100 Hz with a phone's signs.
///
/// Each axis is shifted over the whole recording, by -min where its largest value is not negative, else by -max, and not scaled.
/// Source: Swift-HAR, 2017.
enum SwiftHARWindows {
    static let samples = 1000, rate = 100_000
    static let length = 100, step = 10
    static let training = 0..<70, testing = 70..<90
    /// Of the test windows, the one that a guess is made on: samples 720 to 819.
    static let guessed = 72

    /// The three shifted axes. Of recordings at another rate the latest sample counts, as the phone's timer copied it.
    ///
    /// - Throws: `.badData` when the recording is shorter than 10 s.
    static func axes(_ recording: Recording, path: String) throws(Fault) -> [[Float]] {
        guard Int64(recording.count) * Int64(rate) >= Int64(samples) * Int64(recording.rate) else {
            let seconds = Decimals.text(recording.seconds, places: 1)
            throw Fault(
                .badData,
                """
                \(path) lasts \(seconds) s at \(Decimals.text(recording.rate, over: 1000, places: 1)) Hz; Swift-HAR takes 10 s
                """
            )
        }
        let places = (0..<samples).map { min(recording.count - 1, Int(Int64($0) * Int64(recording.rate) / Int64(rate))) }
        return (0..<3).map { axis in
            // Apple's signs.
            let values = places.map { -Float(recording.samples[$0 * 3 + axis]) * 0x1p-12 }
            let least = values.min() ?? 0, most = values.max() ?? 0, shift = most >= 0 ? -least : -most
            return values.map { $0 + shift }
        }
    }

    /// Window `index`: x, then y, then z.
    static func window(_ axes: [[Float]], _ index: Int) -> [Float] { axes.flatMap { $0[index * step..<index * step + length] } }
}
