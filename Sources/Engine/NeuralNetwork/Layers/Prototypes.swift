/// Where the activities that a network knows lie among what its last layer reads (its embeddings): one prototype for each activity at a
/// place of the body. What lies far from all of them is nothing that it knows.
package struct Prototypes: Sendable, Equatable {
    /// [width]: 2^24 / the number's usual deviation around a mean, in the embedding's integers.
    package var scales: [Int32]
    /// [count][width]: of scaled numbers, in 1/256 of the usual deviation.
    package var means: [[Int16]]
    /// [count][width]: the usual deviation over the prototype's own, Q8.
    package var precisions: [[Int16]]
    /// [count]: sums of the natural logarithms of 65536 / precision^2, Q16.
    package var offsets: [Int32]
    /// Distance (Q8, as `gw_prototypes_distance` gives it) beyond which a window is of no known activity.
    package var limit: Int32

    package init(scales: [Int32], means: [[Int16]] = [], precisions: [[Int16]] = [], offsets: [Int32] = [], limit: Int32 = .max) {
        (self.scales, self.means, self.precisions, self.offsets, self.limit) = (scales, means, precisions, offsets, limit)
    }

    /// Of `precisions`, and of prototypes.
    package static let precisionRange: ClosedRange<Int16> = 1...2047, most = 512, widest = 512
}
