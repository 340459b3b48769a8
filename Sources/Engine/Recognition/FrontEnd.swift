internal import CSignal
internal import Sensing
package import Support

/// Samples to windows: resampling to 50 Hz, median, low-pass at 20 Hz, sliding windows. All of it in C, in memory
/// that is allocated once. See `gw_frontend`.
@safe package struct FrontEnd: ~Copyable {
    let raw: OpaquePointer
    private let memory: UnsafeMutableRawPointer
    /// Bytes of state.
    package let bytes: Int
    /// Samples of a window.
    package let length: Int
    /// Samples between two windows.
    package let hop: Int

    /// - Parameters:
    ///   - rate: of the samples that come in, mHz, 10000 ... 400000.
    ///   - length: samples of a window at 50 Hz, 1 ... 1024.
    ///   - hop: samples between two windows, 1 ... length.
    ///   - reference: the plain C filter instead of the processor's best; the bits are the same.
    ///   - early: whether a window of samples at 50 Hz is complete with the sample at its end, as a decision wants it, not with the one
    ///     after it, which the median waits for. The window's content is then one sample (0.02 s) older. Without effect at other rates.
    /// - Throws: `.usage` naming the range that was left.
    package init(rate: Int = 50_000, length: Int = 128, hop: Int = 64, reference: Bool = false, early: Bool = false) throws(Fault) {
        guard SamplingRates.usable.contains(rate) else {
            throw Fault(.usage, "a sampling rate of \(Decimals.text(rate, over: 1000, places: 1)) Hz cannot be used: 10 to 400 Hz")
        }
        guard (1...1024).contains(length), (1...length).contains(hop) else {
            throw Fault(.usage, "windows of \(length) samples every \(hop) cannot be used: 1 to 1024, and a hop no longer than the window")
        }
        let size = gw_frontend_size(Int32(length))
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        var config = gw_frontend_config(
            rate: Int32(rate), length: Int32(length), hop: Int32(hop), kernel: reference ? GW_FILTER_REFERENCE : GW_FILTER_BEST,
            early: early)
        var frontend: OpaquePointer?
        guard unsafe gw_frontend_init(memory, size, &config, &frontend) == GW_OK, let frontend = unsafe frontend else {
            unsafe memory.deallocate()
            throw Fault(.failure, "the front end could not be set up")
        }
        unsafe raw = frontend
        unsafe self.memory = memory
        bytes = size
        self.length = length
        self.hop = hop
    }

    deinit { unsafe memory.deallocate() }

    /// Forgets everything, as after a gap.
    package mutating func reset() { unsafe gw_frontend_reset(raw) }

    /// Takes `count` samples and hands each window that they complete to `body`: the filtered samples (total acceleration) and
    /// Q3.12 g, x, y, z interleaved, and the number of samples from the start to the window's end.
    ///
    /// The loop has the same in ``Recogniser``.
    package mutating func push(_ samples: [Int16], count: Int, _ body: (_ total: [Int16], _ end: Int) -> Void) {
        precondition(count * 3 <= samples.count)
        var taken = 0, complete = false
        repeat {
            taken += unsafe samples.withUnsafeBufferPointer {
                Int(unsafe gw_frontend_push(raw, $0.baseAddress.map { unsafe $0 + taken * 3 }, Int32(count - taken), &complete))
            }
            if complete {
                let window = unsafe gw_frontend_window(raw)
                let total = unsafe Array(UnsafeBufferPointer(start: gw_window_total(window), count: length * 3))
                body(total, Int(clamping: unsafe window!.pointee.count))
            }
        } while complete
    }

    /// A whole recording at any rate (mHz) for training: at 50 Hz, filtered, Q3.12 g. An early front end gives them one sample later.
    ///
    /// - Throws: `.usage` when the rate cannot be used.
    package static func filtered(_ samples: [Int16], rate: Int) throws(Fault) -> [Int16] {
        if rate == 50_000 { return filtered(samples) }
        var frontEnd = try FrontEnd(rate: rate, length: 1, hop: 1), result: [Int16] = []
        frontEnd.push(samples, count: samples.count / 3) { total, _ in result += total }
        return result
    }

    /// A whole recording at 50 Hz through the filters alone: Q3.12 g in and out. The median needs one sample ahead, so the
    /// result is one sample shorter.
    package static func filtered(_ samples: [Int16]) -> [Int16] {
        var filter = gw_filter()
        var total = [Int16](repeating: 0, count: samples.count)
        let written = unsafe samples.withUnsafeBufferPointer { s in
            unsafe total.withUnsafeMutableBufferPointer { t in
                unsafe gw_filter_run(&filter, s.baseAddress, Int32(s.count / 3), t.baseAddress, nil)
            }
        }
        total.removeLast(total.count - Int(written) * 3)
        return total
    }
}
