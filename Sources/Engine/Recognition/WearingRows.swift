internal import CFeatures
internal import CRecognition
package import NeuralNetwork
package import Sensing
package import Support

/// What a network on ``NetworkInput/worn`` takes of windows in a row, as the loop makes it, for training and measuring.
package struct WearingRows: ~Copyable {
    private let wearing: Wearing
    private var work: [Int64]

    /// - Throws: `.badData` for another network.
    package init(_ network: Network) throws(Fault) {
        guard let networks = network.wearing else { throw Fault(.badData, "the network does not take what a worn sensor shows") }
        // What can fail comes first: Swift 6.2 cannot undo half an initialiser of a noncopyable struct.
        let wearing = try Wearing(networks, labels: network.labels, kernel: nil)
        self.wearing = wearing
        work = [Int64](repeating: 0, count: Int(GW_WEARING_WORK) / 8 + 1)
    }

    /// Goes by what was configured until walking shows how the sensor is worn.
    package func use(_ configured: ConfiguredWearing) { wearing.use(configured) }

    /// Goes on with what was learnt before.
    package func use(_ orientation: Orientation) { wearing.use(orientation) }

    /// How it is known which way is up.
    package var orientation: KnownBy { KnownBy(unsafe gw_wearing_oriented(wearing.raw)) }

    /// The row of the next window: Q3.12 g, x, y, z interleaved, 64 to 256 samples.
    package mutating func row(_ window: [Int16]) -> [Int16] {
        precondition((Int(GW_WEARING_LENGTH_MIN)...Int(GW_WEARING_LENGTH_MAX)).contains(window.count / 3))
        var becameKnown = false
        let row = unsafe gw_wearing_row(wearing.raw, window, Int32(window.count / 3), &work, &becameKnown)
        return unsafe Array(UnsafeBufferPointer(start: row, count: Int(GW_WORN_FEATURES)))
    }
}
