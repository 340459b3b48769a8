internal import CIIO
internal import Support

/// A driver's events for movement, switched on.
@safe struct MotionEvents: ~Copyable {
    private let raw: OpaquePointer

    init(_ raw: OpaquePointer) { unsafe self.raw = raw }

    deinit { unsafe gw_iio_motion_close(raw) }

    /// Whether an event came since the last call.
    func take() -> Bool { wait(0) > 0 }

    /// Waits for movement; an event that came before counts.
    ///
    /// - Parameters:
    ///   - milliseconds: at most.
    ///   - cancellation: ends the wait.
    ///   - attention: does so too.
    /// - Returns: 1 when something moved, 0 after the time, or a negative errno: -ECANCELED, -EAGAIN for `attention`.
    func wait(_ milliseconds: Int32, unless cancellation: Stop? = nil, or attention: WakeEvent? = nil) -> Int32 {
        unsafe gw_iio_motion_wait(raw, milliseconds, cancellation?.descriptor ?? -1, attention?.descriptor ?? -1)
    }
}
