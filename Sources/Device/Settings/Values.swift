package import Recognition
package import Sensing
package import Support

/// Every setting with its value; what is written here is what holds without any configuration.
///
/// ``Settings/table`` says how each is called and what it takes; a test holds that none is left out.
package struct SettingValues: Sendable, Equatable {
    package enum LogLevel: String, Sendable, CaseIterable { case debug, info, notice, warning, error }

    /// What a recorded row holds of its window.
    package enum Content: String, Sendable, CaseIterable {
        case raw
        case features17 = "features-17"
        case features80 = "features-80"
    }

    /// Where samples come from; nil for whatever sensor there is.
    package var source: String?
    /// The network's file; nil for the one that came with gaitway.
    package var model: String?
    package var trustedKey: String?
    /// The place of the body; "auto" to have the model find it.
    package var placement = "auto"
    /// The sensor's axis towards the wearer's head while he stands; nil to learn it from walking alone.
    package var up: ConfiguredWearing.Axis?
    /// The one towards his front.
    package var forward: ConfiguredWearing.Axis?
    /// After so many minutes without movement a sensor whose driver tells of movement sleeps until then; 0: never.
    package var sleepMinutes = 5.0
    package var latency = 0.0
    /// +-g that a sensor is to measure at least; 0 leaves it as it is.
    package var range = 8
    package var recordings = "recordings"
    package var agreement = 2
    package var threshold = 0.5
    package var logLevel = LogLevel.notice
    package var upload = Upload()
    package var updates = Updates()
    package var fleet = Fleet()
    package var crowd = Crowd()
    package var falls = Falls()
    package var history = History()
    package var mqtt = MQTT()
    package var metrics = Metrics()
    package var hooks = Hooks()

    /// What is recorded for training elsewhere, and where it goes.
    package struct Upload: Sendable, Equatable {
        package var enabled = false
        package var content = Content.raw
        /// nil for "spool" below ``Places/state``.
        package var spool: String?
        /// Where files wait, and what the user says that the wearer does.
        package var directory: String { spool ?? Places.state + "/spool" }
        /// nil for a name made of the machine's ID.
        package var user: String?
        package var bucket: String?
        package var table: String?
        package var region: String?
        package var endpoint: String?
        package var identityPool: String?
        package var credentials: String?
        package var configuration: String?
        package var publicKey: String?
        package var minutes = 10.0
        package var maxMegabytes = 1000
        package var maxFiles = 10_000
        package var maxDays = 90
        package var keepFreeMegabytes = 64
        package var kilobytesPerSecond = 0
        package var quietHours: QuietHours?

        package init() {}
    }

    /// Models that come while the board runs.
    package struct Updates: Sendable, Equatable {
        package var enabled = true
        /// nil for the hub where the board is registered.
        package var source: String?
        /// A file with this board's token at hawkBit; nil where it asks for none.
        package var tokenFile: String?
        package var model = "activity"
        /// nil: none.
        package var program: String?
        package var interval = 3600
        package var shadowWindows = 64
        package var probationWindows = 256
        package var maxKilobytes = 4096
        package var timeout = 300
        package var retry = 60
        package var allowUnsigned = false
        package var ask = false
        package var quietHours: QuietHours?

        package init() {}
    }

    package struct Fleet: Sendable, Equatable {
        package var telemetry = true

        package init() {}
    }

    /// Falls, beside the activities.
    package struct Falls: Sendable, Equatable {
        package var enabled = true
        package var sensitivity = FallSensitivity.normal
        /// nil for the model that came with gaitway.
        package var model: String?
        package var confirmSeconds = 10.0
        package var cancelSeconds = 20.0

        package init() {}
    }

    /// Programs that `gaitway hooks` runs.
    package struct Hooks: Sendable, Equatable {
        package var onChange: String?
        package var onFall: String?
        package var timeout = 30

        package init() {}
    }

    /// What is kept of each day.
    package struct History: Sendable, Equatable {
        package var enabled = true
        package var days = 90
        /// nil for "history" below ``Places/state``, where a sensor's days are kept; named, a simulated wearer's too.
        package var directory: String?
        package var place: String { directory ?? Places.state + "/history" }

        package init() {}
    }

    /// Numbers for Prometheus.
    package struct Metrics: Sendable, Equatable {
        /// The directory of node_exporter's textfile collector; nil: none.
        package var textfile: String?

        package init() {}
    }

    /// A broker at home.
    package struct MQTT: Sendable, Equatable {
        /// nil: none.
        package var host: String?
        /// nil: 1883, or 8883 with TLS.
        package var port: Int?
        package var tls = false
        /// nil: the board's identifier.
        package var name: String?
        package var user: String?
        package var passwordFile: String?
        /// nil: those of /etc/ssl/certs.
        package var caFile: String?
        package var certificate: String?
        package var key: String?
        package var prefix = "gaitway"
        package var discovery = "homeassistant"

        package init() {}
    }

    /// Learning with others.
    package struct Crowd: Sendable, Equatable {
        package var enabled = false
        /// nil for the hub where the board is registered.
        package var database: String?
        package var interval = 300
        /// nil for a hundred, where noise is asked for.
        package var epsilonLimit: Double?
        package var epsilonPerDay = 10.0
        package var minNoise = 0.01
        package var minBatch = 2
        package var allowHiddenLayers = false
        package var minBattery = 80
        package var maxTemperature = 70
        package var quietHours: QuietHours?

        package init() {}
    }

    package init() {}
}
