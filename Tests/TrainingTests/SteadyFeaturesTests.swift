import Testing

@testable import Training

struct SteadyFeaturesTests {
    /// Rows of two places in some sets: column 0 tells the places apart, columns 1 to 19 the sets; the others are noise.
    private func used(sets: [[String]]) -> [Bool] {
        var rows: [ArraySlice<Int16>] = [], places: [Int] = [], names: [String] = [], state: UInt32 = 1
        for (place, sets) in sets.enumerated() {
            for (number, set) in sets.enumerated() {
                for _ in 0..<50 {
                    var row = (0..<127).map { _ in
                        state = state &* 1_664_525 &+ 1_013_904_223
                        return Int16(state >> 22) - 512
                    }
                    row[0] += place == 0 ? 2000 : -2000
                    for column in 1..<20 where sets.count > 1 { row[column] += number == 0 ? 2000 : -2000 }
                    rows.append(row[...])
                    places.append(place)
                    names.append(set)
                }
            }
        }
        return SteadyFeatures(rows, places: places, sets: names).isUsed
    }

    @Test func whatSetsDifferByIsNotUsed() {
        let used = used(sets: [["a", "b"], ["c", "b"]])
        #expect(used[0] && !used[1..<20].contains(true) && used.filter { $0 }.count == 32)
        // One place that several sets have is enough.
        #expect(!self.used(sets: [["a", "b"], ["c"]])[1..<20].contains(true))
    }

    @Test func ofOneSetAPlaceAllAreUsed() { #expect(used(sets: [["a"], ["a"]]).allSatisfy { $0 }) }
}
