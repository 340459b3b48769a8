/// How well windows of activities that a network does not know can be told from those that it knows.
package struct Detection: Sendable {
    /// Of each window, its distance from what is known.
    package private(set) var known: [Int32] = [], foreign: [Int32] = []

    package init() {}

    package mutating func take(_ novelty: Int32, isKnown: Bool) {
        if isKnown { known.append(novelty) } else { foreign.append(novelty) }
    }

    /// The probability that a window of an unknown activity is farther from what is known than one of a known activity (AUROC), 0 ... 1.
    package var area: Double {
        let sorted = known.sorted()
        var sum = 0.0
        for value in foreign { sum += Double(sorted.place(of: value) + sorted.place(after: value)) / 2 }
        return sum / Double(max(known.count, 1)) / Double(max(foreign.count, 1))
    }

    /// Of the windows of unknown activities, those still called something where 95 % of the known ones are kept (FPR95).
    package var falseAt95: Double { 1 - found(keeping: 0.95) }

    /// Of the known windows, those called unknown, and of the others, those that are found, from no threshold to the lowest.
    package var curve: [(knownLost: Double, foreignFound: Double)] {
        (0...50).map { step in
            let kept = 1 - Double(step) / 50
            return (1 - kept, step == 50 ? 1 : found(keeping: kept))
        }
    }

    private func found(keeping share: Double) -> Double {
        guard !known.isEmpty, !foreign.isEmpty else { return 0 }
        let sorted = known.sorted(), index = min(sorted.count - 1, max(0, Int((Double(sorted.count) * share).rounded(.up)) - 1))
        return Double(foreign.count { $0 > sorted[index] }) / Double(foreign.count)
    }
}

extension [Int32] {
    // Of a sorted array: how many are less.
    fileprivate func place(of value: Int32) -> Int { firstPlace { $0 >= value } }
    // How many are not more.
    fileprivate func place(after value: Int32) -> Int { firstPlace { $0 > value } }

    private func firstPlace(_ isBehind: (Int32) -> Bool) -> Int {
        var low = 0, high = count
        while low < high {
            let middle = (low + high) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
