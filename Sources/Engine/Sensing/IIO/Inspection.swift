internal import Glibc
internal import Support

/// What can be known about a local accelerometer without capturing from it.
extension Accelerometer {
    private var directory: String { "/sys/bus/iio/devices/\(id)" }

    /// Files that a capture needs and this user may not use.
    package var forbidden: [String] {
        var needed: [(String, CInt)] = isBuffered || hasBuffer ? [("/dev/\(id)", R_OK)] : []
        if hasBuffer {
            let names =
                ["buffer/enable", "buffer/length", "scan_elements/in_accel_x_en"] + (needsTrigger ? ["trigger/current_trigger"] : [])
            needed += names.map { ("\(directory)/\($0)", W_OK) }
        } else {
            needed += ["x", "y", "z"].map { ("\(directory)/in_accel_\($0)_raw", R_OK) }
        }
        return needed.filter { path, mode in unsafe Files.exists(path) && access(path, mode) != 0 }.map { path, _ in path }
    }

    /// Whether a program captures from it now.
    package var isBusy: Bool { (try? Files.read("\(directory)/buffer/enable", limit: 16))?.first == UInt8(ascii: "1") }

    /// Programs that have it open, as far as this user may know.
    package var holders: [String] { DeviceHolder.find("/dev/\(id)") }

    /// |g| of one reading; nil when it cannot be read or has no scale.
    package var strength: Double? {
        var square: Double = 0
        for (axis, name) in ["x", "y", "z"].enumerated() {
            guard let bytes = try? Files.read("\(directory)/in_accel_\(name)_raw", limit: 64),
                let count = Int32(String(decoding: bytes.prefix { $0 > 32 }, as: UTF8.self)),
                let scale = try? Scale(metresPerSecondSquared: scales[axis], offset: offsets[axis])
            else { return nil }
            let g = Double(scale.q12(count)) / 4096
            square += g * g
        }
        return square.squareRoot()
    }

    /// Whether an hrtimer trigger could be made, as root.
    package static var canMakeTriggers: Bool { Files.isDirectory("/sys/kernel/config/iio/triggers/hrtimer") }
    /// Whether this user could make one now.
    static var mayMakeTriggers: Bool { unsafe access("/sys/kernel/config/iio/triggers/hrtimer", W_OK) == 0 }
    /// Whether the kernel has Industrial I/O.
    package static var kernelHasIIO: Bool { Files.isDirectory("/sys/bus/iio") }
}
