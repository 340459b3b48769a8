internal import CIIO
public import Support

/// An accelerometer that IIO offers, as its attributes describe it.
public struct Accelerometer: Sendable, Equatable {
    /// "iio:device0"
    public var id: String
    /// The chip.
    public var name: String
    public var label: String
    /// The current trigger's name, or empty.
    public var trigger: String
    /// m/s^2 per count for x, y, z, as the kernel writes them.
    public var scales: [String]
    /// Counts to add before scaling.
    public var offsets: [String]
    /// The chip's own sampling frequency in Hz, as text; may be empty.
    public var rate: String
    /// The trigger's, when it has one.
    public var triggerRate: String
    public var mount: String
    public var hasBuffer: Bool

    /// How it will be read.
    public var isBuffered: Bool { hasBuffer && !trigger.isEmpty }

    /// Samples per second that a buffered capture will give, in mHz: the trigger's rate, else the chip's.
    var bufferedRate: Int? { Self.millihertz(triggerRate) ?? Self.millihertz(rate) }

    /// Without a scale the sensor cannot be used at all.
    var missingScale: Fault? {
        guard scales.contains("") else { return nil }
        return Fault(.sensorUnavailable, "the driver gives no scale", remedy: "Its counts cannot become g; use another driver or kernel.")
    }

    /// Everything that stands in the way of a good recording, with what to do about it.
    public var problems: [Fault] {
        var found: [Fault] = []
        if let missingScale { found.append(missingScale) }
        if !hasBuffer {
            found.append(Fault(.sensorUnavailable, "the driver has no buffer: its attributes are polled", remedy: "Polling works and wakes the processor for every sample."))
        } else if trigger.isEmpty {
            found.append(Fault(.sensorUnavailable, "it has no trigger: its attributes are polled", remedy: "Give it one: echo NAME > /sys/bus/iio/devices/\(id)/trigger/current_trigger (names: cat /sys/bus/iio/devices/trigger*/name)"))
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
    /// Errors: `.sensorUnavailable` when the other cannot be reached, `.permission`. No accelerometer is an empty list.
    public static func find(uri: String? = nil) throws(Fault) -> [Accelerometer] {
        try IIOContext(uri: uri).accelerometers
    }

    init(_ raw: gw_iio_accelerometer) {
        id = text(raw.id)
        name = text(raw.name)
        label = text(raw.label)
        trigger = text(raw.trigger)
        scales = [text(raw.scale.0), text(raw.scale.1), text(raw.scale.2)]
        offsets = [text(raw.offset.0), text(raw.offset.1), text(raw.offset.2)]
        rate = text(raw.rate)
        triggerRate = text(raw.trigger_rate)
        mount = text(raw.mount)
        hasBuffer = raw.has_buffer
    }
}

// A fixed C array of char, up to its zero.
private func text<Chars>(_ chars: Chars) -> String {
    unsafe withUnsafeBytes(of: chars) { bytes in unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
}

/// A connection to IIO.
@safe struct IIOContext: ~Copyable {
    private let raw: OpaquePointer?

    init(uri: String?) throws(Fault) {
        var context: OpaquePointer?
        let error = unsafe gw_iio_open(uri, &context)
        if error != 0 && uri == nil {
            unsafe raw = nil // no IIO in this kernel: a machine without sensors
            return
        }
        guard error == 0 else { throw Fault(iio: error, doing: "connect to \(uri ?? "IIO")") }
        unsafe raw = context
    }

    deinit { unsafe gw_iio_close(raw) }

    var accelerometers: [Accelerometer] {
        guard let raw = unsafe raw else { return [] }
        var found: [Accelerometer] = []
        let count = unsafe gw_iio_count(raw)
        for index in 0..<count {
            var description = gw_iio_accelerometer()
            if unsafe gw_iio_describe(raw, index, &description) == 0 { found.append(Accelerometer(description)) }
        }
        return found
    }

    /// Asks for 50 Hz, which not every chip and trigger can do.
    func requestRate(_ index: Int) {
        guard let raw = unsafe raw else { return }
        _ = unsafe gw_iio_request_rate(raw, Int32(index), 50)
    }

    func capture(_ index: Int, block: Int, rate: Int, polled: Bool) -> (OpaquePointer?, Int32) {
        guard let raw = unsafe raw else { return (nil, -19) }
        var config = gw_iio_capture_config(block: Int32(block), rate: Int32(rate), polled: polled)
        var capture: OpaquePointer?
        let error = unsafe gw_iio_capture_open(raw, Int32(index), &config, &capture)
        return unsafe (capture, error)
    }
}
