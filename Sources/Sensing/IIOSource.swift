internal import CIIO
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif
public import Support

/// An IIO accelerometer: through its buffer when it has a trigger, else by polling its attributes at 50 Hz.
@safe public final class IIOSource: SampleSource {
    public let name: String
    public let rate: Int
    public let isLive = true
    public let accelerometer: Accelerometer

    private let context: IIOContext
    private let handle: OpaquePointer
    private let scales: [Scale]
    private let mount: Mount?
    // What the capture gave last, and how much of it was handed on.
    private var counts: [Int32]
    private var captured = 0, taken = 0
    private var time: Int64 = 0

    /// - Parameters:
    ///   - device: name, label, id (`iio:device0`) or number of the device; the first one when nil.
    ///   - uri: libiio's address of another machine, as "ip:HOST"; this machine when nil.
    ///   - seconds: how much a block holds; the processor wakes once for it.
    ///
    /// Errors: `.sensorUnavailable`, `.permission`, each naming the device and what to do.
    public init(device: String?, uri: String? = nil, seconds: Double = 1.28) throws(Fault) {
        context = try IIOContext(uri: uri)
        let found = context.accelerometers
        guard let index = Self.select(device, from: found) else { throw Self.nothingFound(device, found) }
        context.requestRate(index)
        let accelerometer = context.accelerometers[index]
        self.accelerometer = accelerometer
        let rate = accelerometer.isBuffered ? accelerometer.bufferedRate ?? 50_000 : 50_000
        guard (10_000...400_000).contains(rate) else {
            throw Fault(.sensorUnavailable, "\(accelerometer.name) samples at \(Decimals.text(rate, over: 1000, places: 1)) Hz; 10 to 400 Hz can be used",
                remedy: "Write a rate to /sys/bus/iio/devices/\(accelerometer.id)/sampling_frequency.")
        }
        self.rate = rate
        let block = max(1, Int(seconds * Double(rate) / 1000))
        counts = [Int32](repeating: 0, count: block * 3)
        name = "\(accelerometer.name) (\(accelerometer.id)) " + (accelerometer.isBuffered ? "through its buffer, trigger \(accelerometer.trigger)" : "polled")
        if let fault = accelerometer.missingScale { throw Fault(fault.code, "\(accelerometer.name) (\(accelerometer.id)): \(fault.message)", remedy: fault.remedy) }
        var scales: [Scale] = []
        for axis in 0..<3 { scales.append(try Scale(metresPerSecondSquared: accelerometer.scales[axis], offset: accelerometer.offsets[axis])) }
        self.scales = scales
        mount = try Mount(matrix: accelerometer.mount)
        let (handle, error) = unsafe context.capture(index, block: block, rate: rate, polled: !accelerometer.isBuffered)
        guard let handle = unsafe handle else { throw Fault(iio: error, doing: "capture from \(accelerometer.name) (\(accelerometer.id))") }
        unsafe self.handle = handle
    }

    deinit { unsafe gw_iio_capture_close(handle) }

    public func read(into block: inout SampleBlock) throws(Fault) -> Bool {
        if taken == captured { try capture() }
        block.count = min(block.capacity, captured - taken)
        block.time = time + Int64(taken) * 1_000_000_000_000 / Int64(rate)
        block.followsGap = false
        for i in 0..<block.count * 3 { block.samples[i] = scales[i % 3].q12(counts[taken * 3 + i]) }
        mount?.rotate(&block)
        taken += block.count
        return true
    }

    private func capture() throws(Fault) {
        let count = unsafe counts.withUnsafeMutableBufferPointer { unsafe gw_iio_capture_read(handle, $0.baseAddress, &time) }
        guard count > 0 else { throw Fault(iio: count == 0 ? -EIO : count, doing: "read from \(accelerometer.name) (\(accelerometer.id))") }
        (captured, taken) = (Int(count), 0)
    }

    private static func select(_ device: String?, from found: [Accelerometer]) -> Int? {
        guard let device else { return found.isEmpty ? nil : 0 }
        return found.firstIndex { $0.id == device || $0.name == device || $0.label == device || $0.id == "iio:device\(device)" }
    }

    private static func nothingFound(_ device: String?, _ found: [Accelerometer]) -> Fault {
        guard let device, !found.isEmpty else {
            return Fault(.sensorUnavailable, device.map { "no accelerometer \"\($0)\": IIO has none" } ?? "IIO has no accelerometer",
                remedy: "Is the sensor's driver loaded? `gaitway devices` says more; `--source simulated` plays a simulated wearer.")
        }
        let names = found.map { "\($0.name) (\($0.id))" }.joined(separator: ", ")
        return Fault(.sensorUnavailable, "no accelerometer \"\(device)\"", remedy: "There are: \(names).")
    }
}

extension Fault {
    init(iio error: Int32, doing what: String) {
        switch -error {
        case EACCES, EPERM:
            self.init(.permission, "no permission to \(what)", remedy: "Run as root, or give your user the device: sudo chgrp $(id -gn) /dev/iio:device* && sudo chmod g+rw /dev/iio:device*")
        case EBUSY:
            self.init(.sensorUnavailable, "cannot \(what): another program is capturing from it", remedy: "Often iio-sensor-proxy or iiod: sudo systemctl stop iio-sensor-proxy iiod")
        case ENODEV:
            self.init(.sensorUnavailable, "cannot \(what): the device is gone")
        case ETIMEDOUT:
            self.init(.sensorUnavailable, "cannot \(what): no sample came in time", remedy: "Does its trigger run? cat /sys/bus/iio/devices/trigger*/sampling_frequency")
        default:
            let reason = unsafe String(cString: strerror(-error))
            self.init(.sensorUnavailable, "cannot \(what): \(reason)")
        }
    }
}
