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

    /// The files of its scale that this user may not write.
    package var lockedScales: [String] {
        ["in_accel_scale", "in_accel_x_scale", "in_accel_y_scale", "in_accel_z_scale"].map { "\(directory)/\($0)" }
            .filter { unsafe Files.exists($0) && access($0, W_OK) != 0 }
    }

    /// Whether a program captures from it now.
    package var isBusy: Bool { (try? Files.read("\(directory)/buffer/enable", limit: 16))?.first == UInt8(ascii: "1") }

    /// Programs that have it open, as far as this user may know.
    package var holders: [String] { DeviceHolder.find("/dev/\(id)") }

    /// The driver without its bus, "bmc150_accel"; empty when unknown.
    var driver: String {
        let name = Files.target(ofLink: "/sys/bus/iio/devices/\(id)/../driver").split(separator: "/").last.map(String.init)
        return ["_i2c", "_spi"].reduce(name ?? "") { $0.hasSuffix($1) ? String($0.dropLast($1.count)) : $0 }
    }

    /// x, y, z at present in the sensor's own directions, Q3.12 g; nil when they cannot be read or have no scale.
    var reading: [Int16]? {
        var found: [Int16] = []
        for (axis, name) in ["x", "y", "z"].enumerated() {
            guard let bytes = try? Files.read("\(directory)/in_accel_\(name)_raw", limit: 64),
                let count = Int32(String(decoding: bytes.prefix { $0 > 32 }, as: UTF8.self)),
                let scale = try? Scale(metresPerSecondSquared: scales[axis], offset: offsets[axis])
            else { return nil }
            found.append(scale.q12(count))
        }
        return found
    }

    /// |g| of one reading; nil when it cannot be read or has no scale.
    package var strength: Double? {
        reading.map { $0.reduce(0) { $0 + Double($1) * Double($1) }.squareRoot() / 4096 }
    }

    /// Whether an hrtimer trigger could be made, as root.
    package static var canMakeTriggers: Bool { Files.isDirectory("/sys/kernel/config/iio/triggers/hrtimer") }
    /// Whether this user could make one now.
    static var mayMakeTriggers: Bool { unsafe access("/sys/kernel/config/iio/triggers/hrtimer", W_OK) == 0 }
    /// Whether the kernel has Industrial I/O.
    package static var kernelHasIIO: Bool { Files.isDirectory("/sys/bus/iio") }
}
