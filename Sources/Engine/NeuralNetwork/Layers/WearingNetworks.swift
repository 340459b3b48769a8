/// What a network on ``NetworkInput/worn`` needs beside itself: networks that tell how the sensor is worn.
package struct WearingNetworks: Sendable, Equatable {
    // In arrays, since a value cannot hold one of its own kind.
    private var networks: [Network]

    /// - Parameters:
    ///   - gait: ``NetworkInput/countGait`` numbers to two classes, something else and walking.
    ///   - placement: a profile of ``NetworkInput/countWearing`` numbers to places of the body, its labels.
    package init(gait: Network, placement: Network) { networks = [gait, placement] }

    package var gait: Network { networks[0] }
    package var placement: Network { networks[1] }
}
