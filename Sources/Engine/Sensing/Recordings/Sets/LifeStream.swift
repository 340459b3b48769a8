internal import Support

/// A person's own labelled stretches in an order that no protocol has.
///
/// Standing, sitting and lying follow each other through that person's own recorded transitions, walking and stairs begin and end
/// standing; where a recording has no transitions, any stretch follows any other. Stretches are cut to a random five seconds or more.
package enum LifeStream {
    private static let postures = ["STANDING": "STAND", "SITTING": "SIT", "LAYING": "LIE"]
    private static let moves = ["WALKING", "WALKING_UPSTAIRS", "WALKING_DOWNSTAIRS"]
    private static let steps = 40, shortest = 5

    /// - Returns: the stream as one unbroken piece; nil where fewer than two activities were recorded, or activities that none of these
    ///   ways lead out of.
    package static func chained(_ stream: LabelledStream, seed: UInt64) -> LabelledStream? {
        var random = RandomNumbers(seed: seed &* 0x9e37_79b9 &+ stream.name.utf8.reduce(14_695) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 })
        var parts: [String: [[Int16]]] = [:], labels: [String: [String]?] = [:]
        for piece in stream.pieces {
            for stretch in piece.stretches where stretch.range.upperBound <= piece.samples.count / 3 {
                parts[stretch.activity, default: []].append(
                    Array(piece.samples[stretch.range.lowerBound * 3..<stretch.range.upperBound * 3]))
                labels[stretch.activity] = stretch.labels
            }
        }
        let states = parts.keys.filter { labels[$0].flatMap { $0 } != nil }.sorted(),
            hasTransitions = states.contains { from in states.contains { transition(from, $0).map { parts[$0] != nil } ?? false } }
        guard states.count > 1 else { return nil }
        var chain = LabelledStream.Piece(samples: [], stretches: []), state = states[random.below(states.count)]
        let shortest = shortest * stream.rate / 1000
        for _ in 0..<steps {
            let all = parts[state] ?? [], whole = all[random.below(all.count)], length = whole.count / 3
            let least = min(shortest, length), count = least + random.below(length - least + 1), first = random.below(length - count + 1)
            let begin = chain.samples.count / 3
            chain.samples += whole[first * 3..<(first + count) * 3]
            chain.stretches.append(.init(range: begin..<begin + count, activity: state, labels: labels[state] ?? nil))
            let next = states.filter { $0 != state && leads(state, $0, parts, hasTransitions) }
            guard !next.isEmpty else { break }
            let after = next[random.below(next.count)]
            if let way = transition(state, after), let ways = parts[way] {
                let begin = chain.samples.count / 3, chosen = ways[random.below(ways.count)]
                chain.samples += chosen
                chain.stretches.append(.init(range: begin..<begin + chosen.count / 3, activity: way, labels: nil))
            }
            state = after
        }
        guard Set(chain.stretches.filter { $0.labels != nil }.map(\.activity)).count > 1 else { return nil }
        var life = stream
        life.pieces = [chain]
        return life
    }

    private static func leads(_ state: String, _ next: String, _ parts: [String: [[Int16]]], _ hasTransitions: Bool) -> Bool {
        guard hasTransitions else { return true }
        if let way = transition(state, next) { return parts[way] != nil }
        let upright = moves + ["STANDING"]
        return upright.contains(state) && upright.contains(next)
    }

    private static func transition(_ state: String, _ next: String) -> String? {
        guard let from = postures[state], let to = postures[next] else { return nil }
        return "\(from)_TO_\(to)"
    }
}
