internal import CIIO
package import Support

/// An accelerometer that IIO offers, as its attributes describe it.
package struct Accelerometer: Sendable, Equatable {
    /// "iio:device0"; may be another chip's after a reboot.
    package var id: String
    /// The chip.
    package var name: String
    package var label: String
    /// Where the chip sits: its path in /sys/devices, empty for another machine's.
    package var parent: String
    /// The current trigger's name, or empty.
    package var trigger: String
    /// m/s^2 per count for x, y, z, as the kernel writes them.
    package var scales: [String]
    /// Those that it can have: "0.009582 0.019163"; empty where it has but one.
    package var offeredScales = ""
    /// Significant bits of a count; 0 where the driver does not say.
    package var bits = 0
    /// Counts to add before scaling.
    package var offsets: [String]
    /// The chip's own sampling frequency in Hz, as text; may be empty.
    package var rate: String
    /// Those that it can have: "12.5 25 50" or "[min step max]"; may be empty.
    package var rates: String
    /// The trigger's, when it has one.
    package var triggerRate: String
    package var mount: String
    /// Its axes can be captured through a buffer.
    package var hasBuffer: Bool
    /// Its buffer wants a trigger, or the chip's FIFO.
    package var needsTrigger: Bool
    /// Samples that the chip keeps itself until its driver fetches them; 0 where it does not.
    package var fifo = 0
    /// The driver's event for movement, "in_accel_x_roc_rising"; empty where it has none.
    package var motion = ""
    /// Its words lie in the buffer in a way that cannot be read.
    package var hasUnknownLayout: Bool

    /// It can be read through its buffer as it is.
    package var isBuffered: Bool { hasBuffer && (!trigger.isEmpty || !needsTrigger || fifo > 0) }

    /// Samples per second that a buffered capture will give, in mHz: the trigger's rate, else the chip's.
    package var bufferedRate: Int? { Self.millihertz(triggerRate) ?? Self.millihertz(rate) }

    /// The chip's rate for samples at `wanted` mHz, as its driver writes it. Where a clock of its own takes the samples, the chip
    /// measures twice as fast: else a sample in thirty comes twice or not at all, and no time shows it.
    func chipRate(for wanted: Int, polled: Bool) -> String {
        let hasOwnClock = polled || !triggerRate.isEmpty && !trigger.hasPrefix("\(name)-")
        return SamplingRates.choose(from: rates, wanted: hasOwnClock ? 2 * wanted : wanted)
    }

    /// The lowest rate that still shows movement, as its driver writes it; nil where that is no lower than `rate`.
    func restingRate(below rate: String) -> String? {
        let resting = SamplingRates.choose(from: rates, wanted: SamplingRates.resting)
        guard let low = Self.millihertz(resting), let usual = Self.millihertz(rate), !rates.isEmpty, low < usual else { return nil }
        return resting
    }

    /// "lis3dh (iio:device0)"
    package var title: String { "\(name.isEmpty ? "accelerometer" : name) (\(id))" }

    /// Whether a user's word means it: its name, label, id or number.
    package func isCalled(_ word: String) -> Bool { [id, name, label].contains(word) || id == "iio:device\(word)" }

    /// Without a scale the sensor cannot be used at all.
    package var missingScale: Fault? {
        guard scales.contains("") else { return nil }
        return Fault(.sensorUnavailable, "the driver gives no scale", remedy: "Its counts cannot become g; use another driver or kernel.")
    }

    /// Everything that stands in the way of a good recording, with what to do about it.
    package var problems: [Fault] {
        var found: [Fault] = []
        if let missingScale { found.append(missingScale) }
        if hasUnknownLayout {
            found.append(
                Fault(
                    .sensorUnavailable, "the layout of its buffer cannot be decoded: its attributes are polled",
                    remedy: "See: cat /sys/bus/iio/devices/\(id)/scan_elements/*_type"))
        } else if !hasBuffer {
            found.append(
                Fault(
                    .sensorUnavailable, "the driver has no buffer: its attributes are polled",
                    remedy: "Polling works and wakes the processor for every sample."))
        } else if trigger.isEmpty && needsTrigger && fifo == 0 {
            found.append(
                Fault(
                    .sensorUnavailable, "it has no trigger: gaitway run makes one, or polls",
                    remedy: "As root: modprobe iio-trig-hrtimer; then gaitway makes an hrtimer trigger when it starts."))
        } else if bufferedRate == nil {
            found.append(Fault(.sensorUnavailable, "neither the trigger nor the chip tells a sampling rate; 50 Hz is taken for granted"))
        }
        return found
    }

    static func millihertz(_ text: String) -> Int? {
        guard let value = Double(text), value > 0, value < 1e6 else { return nil }
        return Int((value * 1000).rounded())
    }
}

extension Accelerometer {
    /// The accelerometers of this machine, or of another through libiio's network (`uri` "ip:HOST").
    ///
    /// - Throws: `.sensorUnavailable` when the other cannot be reached, `.permission`. No accelerometer is an empty list.
    package static func find(uri: String? = nil) throws(Fault) -> [Accelerometer] {
        try IIOContext(uri: uri).accelerometers
    }

    init(_ raw: gw_iio_accelerometer) {
        id = text(raw.id)
        name = text(raw.name)
        label = text(raw.label)
        parent = text(raw.parent)
        trigger = text(raw.trigger)
        scales = [text(raw.scale.0), text(raw.scale.1), text(raw.scale.2)]
        offeredScales = text(raw.scales)
        bits = raw.has_buffer ? Int(raw.types.0.bits) : 0
        offsets = [text(raw.offset.0), text(raw.offset.1), text(raw.offset.2)]
        rate = text(raw.rate)
        rates = text(raw.rates)
        triggerRate = text(raw.trigger_rate)
        mount = text(raw.mount)
        hasBuffer = raw.has_buffer
        needsTrigger = raw.needs_trigger
        fifo = Int(raw.fifo)
        motion = text(raw.motion)
        hasUnknownLayout = raw.undecodable
    }
}

// A fixed C array of char, up to its zero.
func text<Chars>(_ chars: Chars) -> String {
    unsafe withUnsafeBytes(of: chars) { bytes in unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
}
