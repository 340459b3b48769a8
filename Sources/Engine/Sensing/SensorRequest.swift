/// What a sensor is asked for.
package struct SensorRequest: Sendable {
    /// mHz: the lowest rate that it has of at least as much is taken.
    package var rate = SamplingRates.usual
    /// It is to measure at least +- so many g: one that measures less is set to that, or as near to it as it can be. 0: as it is.
    package var range = 8
    /// How much a block holds, s; the processor wakes once for it.
    package var seconds = 1.28
    /// For how many seconds blocks may wait for each other while the reader says so (``SampleSource/gather(_:)``).
    package var latency = 0.0

    package init() {}
}
