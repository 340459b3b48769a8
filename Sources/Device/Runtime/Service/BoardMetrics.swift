internal import Doors
package import Fleet
package import HubProtocol
package import Logging
package import Settings
internal import Support
internal import Upload

extension MetricsService {
    /// The board's metrics in the configured directory; nil where none is.
    ///
    /// - Parameters:
    ///   - version: of the program.
    ///   - spool: where files wait for their upload; nil where nothing is uploaded.
    package static func make(
        _ settings: Settings, client: FleetClient?, status: RunStatus, falls: FallWatch, spool: String?, version: String, log: Logger
    ) -> MetricsService? {
        settings.metrics.textfile.map { directory in
            MetricsService(directory, log: log) {
                BoardMetrics.text(
                    status.now, uptime: status.uptime, fall: falls.latest?.state, device: client?.device ?? DeviceDescription(),
                    version: version, spool: spool)
            }
        }
    }
}

/// What Prometheus reads of the board.
package enum BoardMetrics {
    /// Lines in Prometheus's text format.
    ///
    /// - Parameters:
    ///   - version: of the program.
    ///   - spool: where files wait; nil where nothing is uploaded.
    package static func text(
        _ now: RunStatus.Values, uptime: Int64, fall: FallState?, device: DeviceDescription, version: String, spool: String?
    ) -> String {
        var out = PrometheusText()
        out.add("gaitway_build_info", .gauge, "The program; always 1.", 1, labels: [("version", version)])
        out.add("gaitway_uptime_seconds", .gauge, "Since the run began.", Double(uptime))
        out.add("gaitway_samples_total", .counter, "Samples taken from the sensor.", Double(now.samples))
        out.add("gaitway_decisions_total", .counter, "Windows decided on.", Double(now.windows))
        out.add(
            "gaitway_sensor_up", .gauge, "1 while samples come or the sensor sleeps, else 0.", now.activity != nil || now.isStill ? 1 : 0)
        out.add("gaitway_sensor_asleep", .gauge, "1 while the sensor sleeps for want of movement.", now.isStill ? 1 : 0)
        out.add("gaitway_sampling_rate_hertz", .gauge, "As measured.", now.rate.map { Double($0) / 1000 })
        out.add(
            "gaitway_last_decision_timestamp_seconds", .gauge, "When the last window ended.",
            now.lastWindow.map { Double($0.at / 1_000_000) / 1000 })
        out.add(
            "gaitway_activity", .gauge, "1 for what the wearer does, smoothed, 0 for the others.",
            (now.labels + (now.labels.contains("unknown") ? [] : ["unknown"])).map { ([("activity", $0)], $0 == now.activity ? 1 : 0) })
        out.add(
            "gaitway_confidence_ratio", .gauge, "Of the last decision, 0 to 1.", now.activity.map { _ in Double(now.confidence) / 32768 })
        out.add(
            "gaitway_steps_total", .counter, "Steps since midnight, or since the run began where no day is kept.",
            now.steps.map(Double.init))
        out.add("gaitway_cadence_steps_per_minute", .gauge, "While the wearer walks or runs.", now.cadence.map(Double.init))
        out.add("gaitway_fallen", .gauge, "1 from a confirmed fall to its end.", fall?.isDown == true ? 1 : 0)
        out.add("gaitway_model_version", .gauge, "Of the network that runs.", Double(now.model))
        out.add("gaitway_temperature_celsius", .gauge, "Of the processor.", device.temperature)
        out.add("gaitway_battery_ratio", .gauge, "Charge, 0 to 1.", device.batteryLevel.map { Double($0) / 100 })
        let waiting = SpoolStatus.waiting(in: spool)
        out.add("gaitway_upload_waiting_files", .gauge, "Files that wait for their upload.", waiting.map { Double($0.files) })
        out.add("gaitway_upload_waiting_bytes", .gauge, "What they have.", waiting.map { Double($0.bytes) })
        return out.text
    }
}
