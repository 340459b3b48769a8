internal import CIIO
internal import Glibc
internal import Logging
internal import Support

/// A sensor that is being captured, until it stops.
@safe final class IIOSession {
    let accelerometer: Accelerometer
    /// All that there were when it began.
    let offered: [Accelerometer]
    let mode: CaptureMode
    /// mHz: what the driver announces, and what its samples come at.
    let announced: Int, rate: Int
    let scales: AxisScales
    let mount: Mount?
    /// The kernel keeps so many blocks for a reader that is late.
    var blocksInKernel: Int { 4 + gathering }
    /// Samples that a read brings at most.
    let block: Int
    /// Blocks that may come together, for which the kernel has more room.
    let gathering: Int
    /// The latest samples: counts of the chip [count][3] and times in ns [count].
    private(set) var counts: [Int32]
    private(set) var times: [Int64]

    private let index: Int
    // As the driver writes them: the chip's rate for capturing, and one for a chip that only watches for movement; nil where there is none.
    private let chipRate: String, restingRate: String?
    private let triggerRate: Int
    /// Whether the chip goes on at a low rate.
    private(set) var isResting = false
    private var context: IIOContext?
    private var handle: OpaquePointer?

    /// - Parameter best: the cheapest way in which it may be captured, whatever it offers.
    init(
        _ selection: IIOSelection, uri: String?, seconds: Double, latency: Double, mode best: CaptureMode, cancel: CInt, log: Logger
    ) throws(Fault) {
        let context = try IIOContext(uri: uri)
        offered = context.accelerometers
        guard let first = selection.index(in: offered) else { throw selection.nothingFound(offered) }
        let chosen = offered[first]
        if chosen.hasBuffer { try Self.claim(chosen, first, context) }
        var mode = max(best, !chosen.hasBuffer ? .polled : chosen.fifo == 0 ? .triggered : .fifo)
        if mode == .fifo && context.detachTrigger(first) != 0 { mode = .triggered }
        if mode == .triggered, let fault = Self.setUpTrigger(first, context) {
            log.warning("\(chosen.title): its attributes are polled, which wakes the processor for every sample: \(fault)")
            mode = .polled
        }
        // Devices may have come and gone with the connection that saw the new trigger.
        let (triggered, index) = try context.find(chosen)
        chipRate = triggered.chipRate(for: selection.rate, polled: mode == .polled)
        restingRate = triggered.restingRate(below: chipRate)
        triggerRate = selection.rate
        context.requestRate(index, trigger: triggerRate, chip: chipRate)
        // A program on another machine may be reading its sensor.
        if uri == nil, !selection.keepsRange, let scale = triggered.scale(reaching: selection.range) {
            let error = context.requestScale(index, scale)
            if error != 0 { log.warning("\(Fault(iio: error, doing: "set the range of \(chosen.title)").message)") }
        }
        let found = context.accelerometers[index]
        if !found.isBuffered { mode = .polled }
        announced = mode == .polled ? selection.rate : found.bufferedRate ?? selection.rate
        rate = selection.rate(announced: announced)
        guard (10_000...400_000).contains(rate) else {
            throw Fault(
                .sensorUnavailable, "\(found.title) samples at \(Decimals.text(rate, over: 1000, places: 1)) Hz; 10 to 400 Hz can be used",
                remedy: "Write a rate to /sys/bus/iio/devices/\(found.id)/sampling_frequency.", condition: .sensorUnusable)
        }
        (scales, mount) = try Self.units(of: found)
        // A decision's samples, of which some are one more than others.
        let block = max(1, Int((seconds * Double(rate) / 1000 - 1e-6).rounded(.up)))
        let gathering = uri == nil && mode != .polled ? min(64, Int(latency * Double(rate) / 1000) / block) : 0
        let (handle, error, refused) = unsafe context.capture(
            index, block: block, gather: gathering, rate: rate, mode: mode, cancel: cancel)
        guard let handle = unsafe handle else {
            throw Self.fault(error, of: found, mode: mode, refused: refused)
        }
        counts = [Int32](repeating: 0, count: (block + 1) * 3)
        times = [Int64](repeating: 0, count: block + 1)
        accelerometer = found
        self.block = block
        self.gathering = gathering
        self.mode = mode
        self.index = index
        self.context = consume context
        unsafe self.handle = handle
    }

    deinit { stop() }

    /// Gives the device back: its buffer off, the trigger that was made for it removed. Nothing can be read any more.
    func stop() {
        unsafe gw_iio_capture_close(handle)
        endRest()
        unsafe handle = nil
        context = nil
    }

    /// Stops capturing; the device and its trigger stay this program's.
    ///
    /// - Parameter slowly: the chip goes on at its lowest rate that shows movement.
    func pause(slowly: Bool) {
        unsafe gw_iio_capture_close(handle)
        unsafe handle = nil
        guard slowly, let restingRate else { return }
        context?.requestRate(index, trigger: triggerRate, chip: restingRate)
        isResting = true
    }

    private func endRest() {
        if isResting { context?.requestRate(index, trigger: triggerRate, chip: chipRate) }
        isResting = false
    }

    /// Goes on after ``pause()``. Returns: 0, or a negative errno; -ESTALE where another program changed the scale meanwhile.
    func resume(cancel: CInt) -> Int32 {
        endRest()
        guard let now = context?.accelerometers, now.indices.contains(index), !now[index].scales.contains("") else { return -ENODEV }
        guard now[index].scales == accelerometer.scales else { return -ESTALE }
        guard let result = unsafe context?.capture(index, block: block, gather: gathering, rate: rate, mode: mode, cancel: cancel) else {
            return -ENODEV
        }
        unsafe handle = result.capture
        return unsafe result.error
    }

    /// Waits for a block.
    ///
    /// - Parameters:
    ///   - kept: the sample that stays, at the front; nil for none.
    ///   - most: samples to wait for behind it, 1 ... ``block``.
    /// - Returns: how many samples there are now, or a negative errno.
    func read(keeping kept: Int?, most: Int) -> Int32 {
        guard let handle = unsafe handle else { return -ENODEV }
        let first = kept == nil ? 0 : 1
        if let kept {
            times[0] = times[kept]
            for axis in 0..<3 { counts[axis] = counts[kept * 3 + axis] }
        }
        let count = unsafe counts.withUnsafeMutableBufferPointer { counts in
            unsafe times.withUnsafeMutableBufferPointer { times in
                unsafe gw_iio_capture_read(
                    handle, Int32(most), counts.baseAddress.map { unsafe $0 + first * 3 }, times.baseAddress.map { unsafe $0 + first })
            }
        }
        return count < 0 ? count : count + Int32(first)
    }

    /// Sleeps until all blocks that may come together should be there.
    ///
    /// - Returns: how many are to be read, 0 for attention, or a negative errno.
    func gather(attention: WakeEvent?) -> Int32 {
        unsafe handle.map { unsafe gw_iio_capture_gather($0, Int32(gathering), attention?.descriptor ?? -1) } ?? -ENODEV
    }

    var wakeups: Int64 { unsafe handle.map { unsafe gw_iio_capture_wakeups($0) } ?? 0 }
    /// Whether the latest times are the kernel's own.
    var isTimestamped: Bool { unsafe handle.map { unsafe gw_iio_capture_timestamped($0) } ?? false }
    /// Whether a block may end elsewhere, so that later ones end with what a decision needs. Without times of their own samples count by
    /// when their block came, which has to be a whole one then; a FIFO's come when it is full.
    var mayCutBlocks: Bool { isTimestamped && mode != .fifo }
    /// Whether another program changed the scale since the start.
    var hasOtherScale: Bool { unsafe handle.map { unsafe gw_iio_capture_scale_changed($0) } ?? false }
    /// Whether a cheaper way to capture it may work by now.
    var couldBeCheaper: Bool {
        guard accelerometer.hasBuffer, !accelerometer.parent.isEmpty else { return false }
        if mode != .fifo && accelerometer.fifo > 0 { return true }
        return mode == .polled && (accelerometer.isBuffered || Accelerometer.mayMakeTriggers)
    }
    /// The driver's events for movement, on from now; nil where it has none or refuses.
    func openMotion() -> MotionEvents? { context?.openMotion(index) }

    // Who may not open the device may still be allowed to poll it.
    private static func claim(_ device: Accelerometer, _ index: Int, _ context: borrowing IIOContext) throws(Fault) {
        let (error, refused) = context.claim(index)
        if error == -EBUSY || error == -EACCES && device.isBusy {
            throw Fault(iio: -EBUSY, doing: "capture from \(device.title)", refused: refused)
        }
    }

    private static func setUpTrigger(_ index: Int, _ context: borrowing IIOContext) -> Fault? {
        switch context.setUpTrigger(index) {
        case 0: nil
        case -ENOENT: Fault(.sensorUnavailable, "this kernel offers no trigger", remedy: "As root: modprobe iio-trig-hrtimer")
        case let error: Fault(iio: error, doing: "give it a trigger")
        }
    }

    // A busy device is so for polling too; one that refuses its buffer may still be read.
    static func fault(_ error: Int32, of device: Accelerometer, mode: CaptureMode, refused: String) -> Fault {
        guard error == -EINVAL, mode != .polled else { return Fault(iio: error, doing: "capture from \(device.title)", refused: refused) }
        return Fault(.sensorUnavailable, "\(device.title) refuses to fill its buffer", condition: .bufferRefused)
    }

    // What a driver says may be right after the next reset: it is no wrong file.
    private static func units(of device: Accelerometer) throws(Fault) -> (scales: AxisScales, mount: Mount?) {
        do throws(Fault) {
            if let fault = device.missingScale { throw fault }
            func scale(_ axis: Int) throws(Fault) -> Scale {
                try Scale(metresPerSecondSquared: device.scales[axis], offset: device.offsets[axis])
            }
            return (AxisScales(try scale(0), try scale(1), try scale(2)), try Mount(matrix: device.mount))
        } catch {
            throw Fault(.sensorUnavailable, "\(device.title): \(error.message)", remedy: error.remedy, condition: .sensorUnusable)
        }
    }
}
