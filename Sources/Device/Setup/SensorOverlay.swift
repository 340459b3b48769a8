package import Support

/// A sensor on a Raspberry Pi's I2C pins: the kernel finds it once an overlay of the device tree names it.
package enum SensorOverlay: String, CaseIterable, Sendable {
    case lis3dh, adxl345, mpu6050, lsm6ds3

    /// Where the firmware of a Raspberry Pi reads its configuration, and where the packages put the overlays.
    package struct Places: Sendable {
        package var firmware: String
        package var overlays: String

        package init(firmware: String, overlays: String) { (self.firmware, self.overlays) = (firmware, overlays) }

        /// Those of this machine; nil where it is no Raspberry Pi.
        package static var here: Places? {
            guard let model = try? Files.read("/proc/device-tree/model", limit: 4096),
                String(decoding: model, as: UTF8.self).hasPrefix("Raspberry Pi")
            else { return nil }
            // /boot before Raspberry Pi OS 12.
            let firmware = ["/boot/firmware", "/boot"].first { Files.exists("\($0)/config.txt") }
            return firmware.map { Places(firmware: $0, overlays: "/usr/share/gaitway/overlays") }
        }
    }

    /// Whether the firmware's configuration names an overlay of ours.
    package static func isInstalled(in places: Places) -> Bool {
        guard let text = try? Files.read("\(places.firmware)/config.txt", limit: 1 << 20) else { return false }
        return names(overlayLine, in: text)
    }

    /// Whether this one, and not another sensor's, is where the firmware finds it.
    package func isThere(in places: Places) -> Bool {
        guard Self.isInstalled(in: places), let bytes = try? Files.read(compiled(in: places), limit: 1 << 20) else { return false }
        return (try? Files.read(Self.target(in: places), limit: 1 << 20)) == bytes
    }

    private var name: String { "raspberry-pi-\(rawValue)" }

    private func compiled(in places: Places) -> String { "\(places.overlays)/\(name).dtbo" }

    private static func target(in places: Places) -> String { "\(places.firmware)/overlays/gaitway.dtbo" }

    /// Puts the overlay where the firmware finds it and names it in config.txt, which keeps all that is in it. The next start has the
    /// sensor.
    ///
    /// - Throws: `.noInput` where the compiled overlay is not there, `.permission`, `.failure` for a full disk.
    package func install(in places: Places) throws(Fault) {
        let compiled = self.compiled(in: places)
        guard Files.exists(compiled) else {
            throw Fault(
                .noInput, "\(compiled) is not there",
                remedy: "Compile it: dtc -@ -I dts -O dtb -o \(compiled) \(places.overlays)/\(name).dts (package device-tree-compiler).")
        }
        let bytes = try Files.read(compiled, limit: 1 << 20), configuration = "\(places.firmware)/config.txt"
        let before = try Files.read(configuration, limit: 1 << 20)
        try Files.write(bytes, to: Self.target(in: places))
        let missing = [Self.busLine, Self.overlayLine].filter { !Self.names($0, in: before) }
        guard !missing.isEmpty else { return }
        // What follows a section such as [pi4] counts there alone.
        let added = "\n# Gaitway's sensor\n[all]\n" + missing.map { $0 + "\n" }.joined()
        try Files.write(before + Array(added.utf8), to: configuration)
    }

    private static let busLine = "dtparam=i2c_arm=on", overlayLine = "dtoverlay=gaitway"

    // With parameters of its owner's, too.
    private static func names(_ line: String, in configuration: [UInt8]) -> Bool {
        String(decoding: configuration, as: UTF8.self).split(whereSeparator: \.isNewline).contains {
            $0.trimmed == line || $0.trimmed.hasPrefix(line + ",")
        }
    }
}
