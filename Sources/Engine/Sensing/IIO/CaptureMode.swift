/// How samples come from an accelerometer, the cheapest first.
enum CaptureMode: Comparable {
    /// The chip keeps them in a FIFO of its own; the processor fetches many at once.
    case fifo
    /// A trigger takes each into the kernel's buffer.
    case triggered
    /// Its attributes are read on a timer.
    case polled

    /// The next one, where a device does not give samples by this one.
    var next: CaptureMode { self == .fifo ? .triggered : .polled }
}
