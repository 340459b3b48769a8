internal import CIIO
internal import Glibc
internal import Logging
internal import Support

/// Which accelerometer a user means, and how to know it again when it comes back under another number.
struct IIOSelection {
    /// As the user named it: name, label, id or number; nil for the first.
    let device: String?
    /// That it is asked for, mHz.
    var rate = SamplingRates.usual
    /// The one that was found first.
    var known: Accelerometer?

    func index(in found: [Accelerometer]) -> Int? {
        if let known {
            let same = found.indices.filter { found[$0].name == known.name && found[$0].label == known.label }
            return same.first { found[$0].parent == known.parent } ?? same.first
        }
        guard let device else { return found.isEmpty ? nil : 0 }
        return found.firstIndex { $0.isCalled(device) }
    }

    func nothingFound(_ found: [Accelerometer]) -> Fault {
        guard let device, !found.isEmpty else {
            return Fault(
                .sensorUnavailable, device.map { "no accelerometer \"\($0)\": IIO has none" } ?? "IIO has no accelerometer",
                remedy: "Is the sensor's driver loaded? `gaitway doctor` says more; `--source simulated` plays a simulated wearer.")
        }
        let names = found.map(\.title).joined(separator: ", ")
        return Fault(.sensorUnavailable, "no accelerometer \"\(device)\"", remedy: "There are: \(names).")
    }
}

/// A sensor that is being captured, until it stops.
@safe final class IIOSession {
    let accelerometer: Accelerometer
    let polled: Bool
    /// mHz
    let rate: Int
    let scales: [Scale]
    let mount: Mount?
    /// The latest block: counts of the chip [count][3] and times in ns [count].
    private(set) var counts: [Int32]
    private(set) var times: [Int64]

    private var context: IIOContext?
    private var handle: OpaquePointer?

    /// - Parameter polled: not through its buffer, whatever it offers.
    init(_ selection: IIOSelection, uri: String?, seconds: Double, polled wish: Bool, cancel: CInt, log: Logger) throws(Fault) {
        let context = try IIOContext(uri: uri)
        let offered = context.accelerometers
        guard let index = selection.index(in: offered) else { throw selection.nothingFound(offered) }
        var polled = wish || !offered[index].hasBuffer
        if !polled {
            let error = context.setUpTrigger(index)
            if error != 0 {
                let fault =
                    error == -ENOENT
                    ? Fault(.sensorUnavailable, "this kernel offers no trigger", remedy: "As root: modprobe iio-trig-hrtimer")
                    : Fault(iio: error, doing: "give it a trigger")
                log.warning("\(offered[index].title): its attributes are polled, which wakes the processor for every sample: \(fault)")
                polled = true
            }
        }
        context.requestRate(index, trigger: selection.rate, chip: SamplingRates.choose(from: offered[index].rates, wanted: selection.rate))
        let found = context.accelerometers[index]
        polled = polled || !found.isBuffered
        let rate = polled ? selection.rate : found.bufferedRate ?? selection.rate
        guard (10_000...400_000).contains(rate) else {
            throw Fault(
                .sensorUnavailable, "\(found.title) samples at \(Decimals.text(rate, over: 1000, places: 1)) Hz; 10 to 400 Hz can be used",
                remedy: "Write a rate to /sys/bus/iio/devices/\(found.id)/sampling_frequency.")
        }
        if let fault = found.missingScale { throw Fault(fault.code, "\(found.title): \(fault.message)", remedy: fault.remedy) }
        scales = try Self.scales(of: found)
        mount = try Mount(matrix: found.mount)
        let block = max(1, Int(seconds * Double(rate) / 1000))
        let (handle, error, refused) = unsafe context.capture(index, block: block, rate: rate, polled: polled, cancel: cancel)
        guard let handle = unsafe handle else {
            throw Self.fault(error, of: found, polled: polled, refused: refused)
        }
        counts = [Int32](repeating: 0, count: block * 3)
        times = [Int64](repeating: 0, count: block)
        accelerometer = found
        self.polled = polled
        self.rate = rate
        self.context = consume context
        unsafe self.handle = handle
    }

    deinit { stop() }

    /// Gives the device back: its buffer off, the trigger that was made for it removed. Nothing can be read any more.
    func stop() {
        unsafe gw_iio_capture_close(handle)
        unsafe handle = nil
        context = nil
    }

    /// Waits for a block. Returns: how many samples it has, or a negative errno.
    func read() -> Int32 {
        guard let handle = unsafe handle else { return -ENODEV }
        return unsafe counts.withUnsafeMutableBufferPointer { counts in
            unsafe times.withUnsafeMutableBufferPointer { times in unsafe gw_iio_capture_read(handle, counts.baseAddress, times.baseAddress)
            }
        }
    }

    var wakeups: Int { unsafe handle.map { unsafe Int(clamping: gw_iio_capture_wakeups($0)) } ?? 0 }
    /// Whether the latest times are the kernel's own.
    var isTimestamped: Bool { unsafe handle.map { unsafe gw_iio_capture_timestamped($0) } ?? false }
    /// Whether another program changed the scale since the start.
    var hasOtherScale: Bool { unsafe handle.map { unsafe gw_iio_capture_scale_changed($0) } ?? false }

    // A busy device is so for polling too; one that refuses its buffer may still be read.
    static func fault(_ error: Int32, of device: Accelerometer, polled: Bool, refused: String) -> Fault {
        guard error == -EINVAL, !polled else { return Fault(iio: error, doing: "capture from \(device.title)", refused: refused) }
        return Fault(.sensorUnavailable, "\(device.title) refuses to fill its buffer", condition: .bufferRefused)
    }

    private static func scales(of device: Accelerometer) throws(Fault) -> [Scale] {
        var scales: [Scale] = []
        for axis in 0..<3 { scales.append(try Scale(metresPerSecondSquared: device.scales[axis], offset: device.offsets[axis])) }
        return scales
    }
}
