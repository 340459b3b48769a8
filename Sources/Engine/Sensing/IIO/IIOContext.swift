internal import CIIO
internal import Glibc
internal import Support

/// A connection to IIO: this machine's sensors, or another's.
@safe struct IIOContext: ~Copyable {
    private let raw: OpaquePointer?
    let isLocal: Bool

    init(uri: String?) throws(Fault) {
        var context: OpaquePointer?
        let error = unsafe gw_iio_open(uri, &context)
        if error != 0, let uri { throw Fault(iio: error, doing: "connect to \(uri)") }
        // No IIO in this kernel is a machine without sensors; devices that libiio cannot list are another matter.
        if error != 0, let devices = try? Files.list("/sys/bus/iio/devices"), !devices.isEmpty {
            let reason = unsafe String(cString: strerror(-error))
            throw Fault(
                .sensorUnavailable, "libiio cannot list this machine's sensors: \(reason)",
                remedy: "One of \(devices.joined(separator: ", ")) has attributes that it does not understand; unload that one's driver.")
        }
        isLocal = uri == nil
        unsafe raw = error == 0 ? context : nil
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

    /// Takes an accelerometer for this program. Returns: 0, or a negative errno and the file that refused.
    func claim(_ index: Int) -> (error: Int32, refused: String) {
        guard let raw = unsafe raw else { return (-ENODEV, "") }
        var refused = [CChar](repeating: 0, count: Int(GW_IIO_PATH))
        let error = unsafe gw_iio_claim(raw, Int32(index), &refused)
        return (error, Self.path(refused))
    }

    /// Where an accelerometer of before is now.
    ///
    /// - Throws: `.sensorUnavailable` when it is gone.
    func find(_ device: Accelerometer) throws(Fault) -> (Accelerometer, index: Int) {
        let found = accelerometers
        guard let index = found.firstIndex(where: { $0.id == device.id && $0.name == device.name && $0.parent == device.parent }) else {
            throw Fault(.sensorUnavailable, "\(device.title) is gone")
        }
        return (found[index], index)
    }

    private static func path(_ text: [CChar]) -> String {
        String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Gives an accelerometer without a trigger one. Returns: 0, or a negative errno.
    func setUpTrigger(_ index: Int) -> Int32 {
        guard let raw = unsafe raw else { return -ENODEV }
        return unsafe gw_iio_trigger_setup(raw, Int32(index))
    }

    /// Takes the trigger away from an accelerometer with a FIFO, until the end. Returns: 0, or a negative errno.
    func detachTrigger(_ index: Int) -> Int32 {
        guard let raw = unsafe raw else { return -ENODEV }
        return unsafe gw_iio_trigger_detach(raw, Int32(index))
    }

    /// Switches an accelerometer's events for movement on; nil where it has none or refuses.
    func openMotion(_ index: Int) -> MotionEvents? {
        guard let raw = unsafe raw else { return nil }
        var motion: OpaquePointer?
        guard unsafe gw_iio_motion_open(raw, Int32(index), &motion) == 0, let motion = unsafe motion else { return nil }
        return unsafe MotionEvents(motion)
    }

    /// Asks the trigger for `wanted` mHz, and the chip for `rate`, which not every one can do.
    func requestRate(_ index: Int, trigger wanted: Int, chip rate: String) {
        guard let raw = unsafe raw else { return }
        _ = unsafe gw_iio_request_rate(raw, Int32(index), "\(wanted / 1000)", rate)
    }

    /// Asks the chip for a scale. Returns: 0, or a negative errno.
    func requestScale(_ index: Int, _ scale: String) -> Int32 {
        guard let raw = unsafe raw else { return -ENODEV }
        return unsafe gw_iio_request_scale(raw, Int32(index), scale)
    }

    /// Starts a capture. On failure: a negative errno and the file that refused, when one did.
    func capture(
        _ index: Int, block: Int, gather: Int, rate: Int, mode: CaptureMode, cancel: CInt
    ) -> (capture: OpaquePointer?, error: Int32, refused: String) {
        guard let raw = unsafe raw else { return (nil, -ENODEV, "") }
        var config = gw_iio_capture_config(
            block: Int32(block), rate: Int32(rate), polled: mode == .polled, from_fifo: mode == .fifo, gather: Int32(gather),
            cancel: cancel)
        var capture: OpaquePointer?
        var refused = [CChar](repeating: 0, count: Int(GW_IIO_PATH))
        let error = unsafe gw_iio_capture_open(raw, Int32(index), &config, &refused, &capture)
        return unsafe (capture, error, Self.path(refused))
    }
}
