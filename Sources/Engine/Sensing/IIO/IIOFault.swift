internal import Glibc
internal import Support

extension Fault {
    /// - Parameters:
    ///   - error: a negative errno.
    ///   - refused: the file that said so, or empty.
    init(iio error: Int32, doing what: String, refused: String = "") {
        let place = refused.isEmpty ? "" : ": \(refused)"
        switch -error {
        case EACCES, EPERM:
            self.init(
                .permission, "no permission to \(what)\(place)",
                remedy: Accelerometer.permissionRemedy)
        case EBUSY:
            let holders = refused.hasPrefix("/dev/") ? DeviceHolder.find(refused) : []
            let names = holders.isEmpty ? "" : " (\(holders.joined(separator: ", ")))"
            self.init(
                .sensorUnavailable, "cannot \(what): another program\(names) is capturing from it",
                remedy: holders.isEmpty
                    ? "Often iio-sensor-proxy or iiod: sudo systemctl stop iio-sensor-proxy iiod"
                    : "Stop it, or let it read another sensor.", condition: .sensorBusy)
        case ENODEV:
            self.init(.sensorUnavailable, "cannot \(what): the device is gone")
        case ETIMEDOUT:
            self.init(
                .sensorUnavailable, "cannot \(what): no sample came in time",
                remedy: "Does its trigger run? cat /sys/bus/iio/devices/trigger*/sampling_frequency")
        default:
            let reason = unsafe String(cString: strerror(-error))
            self.init(.sensorUnavailable, "cannot \(what)\(place): \(reason)")
        }
    }
}

extension Accelerometer {
    /// What the Debian package does: the udev rule, its group, this user in it.
    package static let permissionRemedy =
        """
        Install the udev rule and join its group: sudo install -D board/service/permit /usr/lib/gaitway/permit && sudo cp \
        board/service/60-gaitway.rules 
        """
            + """
            /etc/udev/rules.d/ && sudo groupadd -f -r iio && sudo usermod -aG iio $(id -un) && sudo udevadm control --reload && sudo \
            udevadm trigger -s iio; 
            """
        + "then log in again. Or run as root."
}
