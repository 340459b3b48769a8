internal import CFeatures
internal import CSignal
package import Support

/// Counts steps in samples as they come, wherever on the body the sensor is: integers alone, in C. See `gw_steps`.
@safe package struct StepCounter: ~Copyable {
    private let raw: OpaquePointer
    private let memory: UnsafeMutableRawPointer
    /// Bytes of state.
    package let bytes: Int

    /// - Parameter rate: of the samples that come in, mHz, 10000 ... 400000.
    /// - Throws: `.usage` for another rate.
    package init(rate: Int = 50_000) throws(Fault) {
        guard (10_000...400_000).contains(rate) else {
            throw Fault(.usage, "a sampling rate of \(Decimals.text(rate, over: 1000, places: 1)) Hz cannot be used: 10 to 400 Hz")
        }
        let size = gw_step_counter_size(), memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        var counter: OpaquePointer?
        guard unsafe gw_step_counter_init(memory, size, Int32(rate), &counter) == GW_OK, let counter = unsafe counter else {
            unsafe memory.deallocate()
            throw Fault(.failure, "the step counter could not be set up")
        }
        unsafe raw = counter
        unsafe self.memory = memory
        bytes = size
    }

    deinit { unsafe memory.deallocate() }

    /// Takes samples: Q3.12 g, x, y, z interleaved.
    package mutating func push(_ samples: ArraySlice<Int16>) {
        unsafe samples.withUnsafeBufferPointer { unsafe gw_step_counter_push(raw, $0.baseAddress, Int32($0.count / 3)) }
    }

    /// What comes next does not follow what came: steps stay counted.
    package mutating func interrupt() { unsafe gw_step_counter_interrupt(raw) }

    /// Steps so far.
    package var steps: Int64 { unsafe gw_steps_count(gw_step_counter_steps(raw)) }

    /// Steps a minute; nil while there is no gait.
    package var cadence: Int? {
        let cadence = unsafe gw_steps_cadence(gw_step_counter_steps(raw))
        return cadence > 0 ? Int(cadence + 128) >> 8 : nil
    }
}
