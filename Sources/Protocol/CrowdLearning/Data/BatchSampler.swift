/// Batches without replacement: no sample comes again before all have come. What is left of an epoch and too little for a batch is passed
/// over.
package struct BatchSampler<Source: RandomNumberGenerator> {
    private var order: [Int]
    private var next: Int
    private var random: Source
    /// From 1, once the first batch is drawn.
    package private(set) var epoch = 0

    package init(count: Int, using random: Source) { (order, next, self.random) = (Array(0..<count), count, random) }

    /// - Parameter size: as many as there are where there are fewer.
    package mutating func batch(_ size: Int) -> [Int] {
        let size = min(max(1, size), order.count)
        if next + size > order.count {
            order.shuffle(using: &random)
            next = 0
            epoch += 1
        }
        defer { next += size }
        return Array(order[next..<next + size])
    }
}

extension BatchSampler: Sendable where Source: Sendable {}
