/// What somebody wore and did, as it was recorded in one wearing of the sensor.
package struct LabelledStream: Sendable {
    /// A labelled part of a piece.
    package struct Stretch: Sendable, Equatable {
        /// Samples of the piece.
        package var range: Range<Int>
        /// What the recording calls it.
        package var activity: String
        /// Which of our labels it is; several where they cannot be told apart there, none where `unknown` is the right answer. Nil for
        /// what counts for nobody, as the transition from one activity to the next.
        package var labels: [String]?

        package init(range: Range<Int>, activity: String, labels: [String]?) {
            (self.range, self.activity, self.labels) = (range, activity, labels)
        }
    }

    /// An unbroken recording.
    package struct Piece: Sendable, Equatable {
        /// Q3.12 g at the stream's rate, x, y, z interleaved.
        package var samples: [Int16]
        /// In their order of time, without overlap.
        package var stretches: [Stretch]

        package init(samples: [Int16], stretches: [Stretch]) { (self.samples, self.stretches) = (samples, stretches) }
    }

    package var name: String
    package var person: String
    /// Where on the body: `waist`, `pocket`, `thigh`, `chest`, `wrist` or another word.
    package var placement: String
    /// mHz.
    package var rate: Int
    package var pieces: [Piece]
    /// Whether samples are at 50 Hz and have been through the front end.
    package var isFiltered = false

    package init(name: String, person: String, placement: String, rate: Int, pieces: [Piece]) {
        (self.name, self.person, self.placement, self.rate, self.pieces) = (name, person, placement, rate, pieces)
    }

    /// Of all its stretches.
    package var labels: [String] { pieces.flatMap(\.stretches).flatMap { $0.labels ?? [] } }

    /// Who wore it where, for messages.
    package func wearing(in set: String) -> String { "\(person) at \(placement) in \(set)" }

    /// The same with every sample turned by one rotation, row by row.
    package func turned(_ rotation: [Double]) -> LabelledStream {
        var stream = self
        for index in pieces.indices { stream.pieces[index].samples = Self.turned(pieces[index].samples, rotation) }
        return stream
    }

    /// Samples turned by a rotation, row by row.
    package static func turned(_ samples: [Int16], _ rotation: [Double]) -> [Int16] {
        samples.indices.map { at in
            let row = at % 3, first = at - row
            let value = (0..<3).reduce(0.0) { $0 + rotation[3 * row + $1] * Double(samples[first + $1]) }
            return Int16(max(-32768, min(32767, value.rounded())))
        }
    }
}

extension Range<Int> {
    /// A range of samples at `rate` mHz in samples at 50 Hz: what lies wholly inside.
    package func at50Hz(_ rate: Int) -> Range<Int> {
        let first = (Int64(lowerBound) * 50_000 + Int64(rate) - 1) / Int64(rate), last = Int64(upperBound) * 50_000 / Int64(rate)
        return Int(first)..<Int(Swift.max(first, last))
    }
}
