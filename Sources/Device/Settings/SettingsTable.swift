extension Settings {
    /// Every setting that there is, as `gaitway config show` and the manual list them.
    package static let table: [any AnySetting] =
        [
            Setting("source", \.source, "where samples come from: iio, iio:NAME, simulated, ..."),
            Setting("model", \.model, "the network to run, a file"),
            Setting(
                "trusted_key", \.trustedKey,
                "a file with public keys (PEM), or a signed list of them (gaitway keys); only what they signed is run"),
            Setting("placement", \.placement, "where the sensor is worn: waist, pocket, thigh, chest, wrist; auto: the model finds it"),
            Setting("up", \.up, "the sensor's axis towards the head of the wearer who stands; walking shows it otherwise"),
            Setting("forward", \.forward, "the sensor's axis towards the wearer's front; walking shows it otherwise"),
            Setting(
                "sleep_minutes", \.sleepMinutes, 0...1440, unit: "minutes",
                "without movement after which a sensor that can tell of movement sleeps until then; 0 for never"),
            Setting(
                "latency", \.latency, 0...20, unit: "s",
                "seconds that samples may wait while one posture lasts and nobody reads the stream; 0: a decision each hop"
            ),
            Setting(
                "range", \.range, 0...64, unit: "g",
                "+-g that the sensor is to measure at least: where it measures less, it is set to that, in steps of up to 8 mg; 0: as it is"
            ),
            Setting("recordings", \.recordings, "the directory of labelled recordings"),
            Setting(
                "agreement", \.agreement, 1...100, unit: "windows",
                "windows in a row that must agree before the activity changes (a worn network: 1)"),
            Setting("threshold", \.threshold, 0...1, "confidence below which a window counts as unknown"),
            Setting("log_level", \.logLevel, "the least important messages to show"),
        ] + day + home + upload + fleet + crowd

    private static let day: [any AnySetting] = [
        Setting("falls.enabled", \.falls.enabled, "look for falls"),
        Setting("falls.sensitivity", \.falls.sensitivity, "how readily a blow counts as a fall"),
        Setting("falls.model", \.falls.model, "a model of falls of one's own, a file"),
        Setting("falls.confirm_seconds", \.falls.confirmSeconds, 1...600, unit: "s", "seconds down after which a fall is confirmed"),
        Setting(
            "falls.cancel_seconds", \.falls.cancelSeconds, 0...3600, unit: "s",
            "seconds in which a confirmed fall can be cancelled before it is an alarm"),
        Setting("history.enabled", \.history.enabled, "keep what the wearer did, for gaitway today"),
        Setting("history.days", \.history.days, 0...36_500, unit: "days", "that it is kept; 0 for ever"),
        Setting("history.directory", \.history.directory, "where it is kept (STATE/history); named, simulated wearers' days too"),
    ]

    private static let home: [any AnySetting] = [
        Setting("mqtt.host", \.mqtt.host, "an MQTT broker to show the board at, for Home Assistant and others; none without"),
        Setting("mqtt.port", \.mqtt.port, 1...65_535, "its port (1883, with TLS 8883)"),
        Setting("mqtt.tls", \.mqtt.tls, "speak to it by TLS; its certificate is checked"),
        Setting("mqtt.name", \.mqtt.name, "what the board is called there; its identifier without"),
        Setting("mqtt.user", \.mqtt.user, "who the board is there"),
        Setting("mqtt.password_file", \.mqtt.passwordFile, "a file with the password, mode 600"),
        Setting("mqtt.ca_file", \.mqtt.caFile, "a file with the authority's certificate, where /etc/ssl/certs has it not"),
        Setting("mqtt.certificate", \.mqtt.certificate, "the board's own certificate, a file; with mqtt.key"),
        Setting("mqtt.key", \.mqtt.key, "its key, a file"),
        Setting("mqtt.prefix", \.mqtt.prefix, "what the board's topics begin with"),
        Setting("mqtt.discovery", \.mqtt.discovery, "what Home Assistant's topics begin with"),
        Setting("metrics.textfile", \.metrics.textfile, "a directory where gaitway.prom is kept, for node_exporter's textfile collector"),
        Setting("hooks.on_change", \.hooks.onChange, "a program that gaitway hooks runs when the activity changes"),
        Setting("hooks.on_fall", \.hooks.onFall, "the same for a fall's every state"),
        Setting("hooks.timeout", \.hooks.timeout, 1...3600, unit: "s", "seconds after which such a program is ended"),
    ]

    private static let upload: [any AnySetting] = [
        Setting("upload.enabled", \.upload.enabled, "record windows and send them; sensor data is personal"),
        Setting("upload.content", \.upload.content, "what a row says of its window"),
        Setting("upload.spool", \.upload.spool, "the directory where files wait (STATE/spool)"),
        Setting("upload.user", \.upload.user, "whose data it is; letters, digits, \"-\" (made of this machine's ID)"),
        Setting("upload.bucket", \.upload.bucket, "the S3 bucket; without one files only wait"),
        Setting("upload.table", \.upload.table, "the DynamoDB table of metadata; none without"),
        Setting("upload.region", \.upload.region, "of bucket and table (us-east-1)"),
        Setting("upload.endpoint", \.upload.endpoint, "an S3-compatible server instead of AWS, https://host"),
        Setting("upload.identity_pool", \.upload.identityPool, "the Cognito identity pool, region:uuid"),
        Setting("upload.credentials", \.upload.credentials, "a credentials file as AWS's tools write it, mode 600"),
        Setting("upload.configuration", \.upload.configuration, "an awsconfiguration.json"),
        Setting("upload.public_key", \.upload.publicKey, "a public key (PEM): only who has the private one can read what is recorded"),
        Setting("upload.minutes", \.upload.minutes, 0.1...1440, unit: "minutes", "of windows in a file"),
        Setting("upload.max_megabytes", \.upload.maxMegabytes, 1...1_000_000, unit: "MB", "that may wait; then the oldest files go"),
        Setting("upload.max_files", \.upload.maxFiles, 1...1_000_000, "that may wait"),
        Setting("upload.max_days", \.upload.maxDays, 0...3650, unit: "days", "that a file may wait; 0 for any"),
        Setting("upload.keep_free_megabytes", \.upload.keepFreeMegabytes, 0...1_000_000, unit: "MB", "that stay free on the disk"),
        Setting(
            "upload.kilobytes_per_second", \.upload.kilobytesPerSecond, 0...1_000_000, unit: "KB/s",
            "that are sent at most; 0 for all that go"),
        Setting("upload.quiet_hours", \.upload.quietHours, "local time in which nothing is sent: 22:00-06:30"),
    ]

    private static let fleet: [any AnySetting] = [
        Setting("updates.enabled", \.updates.enabled, "fetch new models and change to them while running"),
        Setting(
            "updates.source", \.updates.source,
            "https://HOST/FILE, s3://BUCKET/KEY, a file, or hawkbit:https://HOST/TENANT/controller/v1/BOARD instead of the hub"),
        Setting("updates.token_file", \.updates.tokenFile, "a file with this board's token at hawkBit, mode 600"),
        Setting("updates.model", \.updates.model, "the hub's name of this board's model"),
        Setting("updates.program", \.updates.program, "the hub's name of releases of gaitway itself, which are then installed"),
        Setting("updates.interval", \.updates.interval, 1...604_800, unit: "s", "seconds between looking for a new one"),
        Setting(
            "updates.shadow_windows", \.updates.shadowWindows, 1...100_000, unit: "windows",
            "in which a new model classifies beside the old one, without effect"),
        Setting(
            "updates.probation_windows", \.updates.probationWindows, 1...1_000_000, unit: "windows", "in which it decides and is watched"),
        Setting("updates.max_kilobytes", \.updates.maxKilobytes, 1...1_000_000, unit: "KB", "of memory that a new model may take"),
        Setting("updates.timeout", \.updates.timeout, 1...86_400, unit: "s", "seconds that a download may take"),
        Setting(
            "updates.retry", \.updates.retry, 1...86_400, unit: "s", "seconds until a failed download is tried again, twice at the most"),
        Setting("updates.ask", \.updates.ask, "fetch none before gaitway model accept, the page or Home Assistant says so"),
        Setting("updates.allow_unsigned", \.updates.allowUnsigned, "take models from elsewhere without a trusted_key"),
        Setting("updates.quiet_hours", \.updates.quietHours, "local time in which none is fetched: 07:00-23:00"),
        Setting("fleet.telemetry", \.fleet.telemetry, "tell the hub each change of activity"),
    ]

    private static let crowd: [any AnySetting] = [
        Setting("crowd.enabled", \.crowd.enabled, "learn with others from this board's own recordings, while it runs"),
        Setting("crowd.database", \.crowd.database, "https://HUB/crowd, where it is not at the hub of the registration"),
        Setting("crowd.interval", \.crowd.interval, 1...604_800, unit: "s", "seconds between two gradients"),
        Setting("crowd.epsilon_limit", \.crowd.epsilonLimit, 1e-6...1e6, "the most privacy to give away, for good"),
        Setting("crowd.epsilon_per_day", \.crowd.epsilonPerDay, 1e-6...1e6, "the most privacy to give away in a day"),
        Setting("crowd.min_noise", \.crowd.minNoise, 0...1e6, "the least noise of a gradient; 0 for none, and then no limit of privacy"),
        Setting("crowd.min_batch", \.crowd.minBatch, 1...1_000_000, unit: "samples", "the fewest samples of a gradient"),
        Setting(
            "crowd.allow_hidden_layers", \.crowd.allowHiddenLayers,
            "send gradients of hidden layers and weights, about which nothing is promised"),
        Setting("crowd.min_battery", \.crowd.minBattery, 0...100, unit: "%", "percent; below it only while charging"),
        Setting("crowd.max_temperature", \.crowd.maxTemperature, 0...120, unit: "degrees C", "degrees Celsius of the processor"),
        Setting("crowd.quiet_hours", \.crowd.quietHours, "local time in which it does not learn: 07:00-23:00"),
    ]
}
