internal import HTTPTypes
internal import HubProtocol
internal import HubStore
internal import Hummingbird
internal import JSONReading
internal import Support

/// What boards report of experiments, and what comes of it for people.
struct ExperimentReportRoutes {
    let services: HubServices
    // Sums of squares of what is larger are no numbers any more.
    private static let largest = 1e12

    func add(to api: RouterGroup<HubContext>) {
        let experiments = api.group("experiments")
        experiments.post(":experiment/events", use: event)
        experiments.post(":experiment/gradients", use: gradients)
        experiments.get(":experiment/analytics", use: analytics)
        experiments.get(":experiment/analytics/sample-size", use: sampleSize)
        experiments.get(":experiment/analytics/timeseries", use: timeSeries)
    }

    /// What a board measured. `metrics` are numbers; an event without any counts as one of its name.
    @Sendable private func event(_ request: Request, _ context: HubContext) async throws -> Response {
        let (experiment, device, body) = try await report(request, context)
        let name = try body.optional("name", limit: 100) ?? body.optional("event_type", limit: 100) ?? "event"
        var values = Self.numbers(body["metrics"]) + Self.numbers(body["properties"])
        if values.isEmpty { values = [(name, 1)] }
        try await services.store.measure(values, of: experiment, device: device, at: services.now)
        return .json(["accepted": true, "status": "ok", "experiment_id": .string(experiment.id)], status: .created)
    }

    /// What training on a board gave; its gradients themselves go with ``TrainingRoutes``.
    @Sendable private func gradients(_ request: Request, _ context: HubContext) async throws -> Response {
        let (experiment, device, body) = try await report(request, context), round = try body.optional("round_id") ?? ""
        var values = Self.numbers(body["metrics"])
        for name in ["num_samples", "training_time_ms"] {
            if let number = body[name]?.number, abs(number) <= Self.largest { values.append((name, number)) }
        }
        try await services.store.measure(values, of: experiment, device: device, at: services.now)
        return .json(["accepted": true, "round_id": .string(round)], status: .created)
    }

    private func report(_ request: Request, _ context: HubContext) async throws -> (Experiment, String, JSONValue) {
        let session = try context.session(), body = try await request.object(limit: services.options.bodyLimit)
        let experiment = try await services.experiment(context)
        guard experiment.state == .running else { throw APIError(.conflict, "invalid_input", "the experiment does not run") }
        let device = try await services.device(named: body["device_id"], session)
        return (experiment, device, body)
    }

    private static func numbers(_ value: JSONValue?) -> [(name: String, value: Double)] {
        guard case .object(let members)? = value else { return [] }
        return members.sorted { $0.key < $1.key }.prefix(50).compactMap { name, value in
            guard let number = value.number, abs(number) <= largest, name.utf8.count <= 100 else { return nil }
            return (name, number)
        }
    }

    @Sendable private func analytics(_ request: Request, _ context: HubContext) async throws -> Response {
        _ = try context.person()
        let experiment = try await services.experiment(context), reports = try await services.store.reports(of: experiment)
        let names = try await services.shown(experiment, org: try context.session().org)
        let primary = JSONValue(reading: Array(experiment.settings.utf8))?["primary_metric"]
        let variants = reports.map { report -> JSONValue in
            .members([
                ("name", .string(report.variant.name)), ("model_version", .string(names[report.variant.version] ?? "")),
                ("is_control", .bool(report.variant.isControl)), ("device_count", .integer(report.devices)),
                ("sample_size", .integer(report.reporting)),
                ("outcomes", .object(Dictionary(uniqueKeysWithValues: report.outcomes.map { ($0.key.rawValue, .integer($0.value)) }))),
                (
                    "metrics",
                    .object(
                        report.metrics.mapValues {
                            ["count": .integer($0.count), "mean": .number($0.mean), "standard_deviation": .number($0.deviation)]
                        })
                ),
            ])
        }
        return .json(
            .members([
                ("experiment_id", .string(experiment.id)), ("status", .string(experiment.state.rawValue)), ("primary_metric", primary),
                ("variants", .array(variants)), ("comparisons", .array(Self.comparisons(reports, primary?.text ?? ""))),
            ]))
    }

    /// The primary metric of each variant beside the control's: the difference of the means with its 95 % interval (Welch, normal).
    private static func comparisons(_ reports: [VariantReport], _ name: String) -> [JSONValue] {
        guard let control = reports.first(where: { $0.variant.isControl }) ?? reports.first, let one = control.metrics[name], one.count > 1
        else { return [] }
        return reports.filter { $0.variant.name != control.variant.name }.compactMap { report in
            guard let other = report.metrics[name], other.count > 1 else { return nil }
            let difference = other.mean - one.mean
            let error = (one.deviation * one.deviation / Double(one.count) + other.deviation * other.deviation / Double(other.count))
                .squareRoot()
            return [
                "variant": .string(report.variant.name), "control": .string(control.variant.name), "difference": .number(difference),
                "low": .number(difference - 1.96 * error), "high": .number(difference + 1.96 * error),
                "significant": .bool(abs(difference) > 1.96 * error),
            ]
        }
    }

    @Sendable private func sampleSize(_ request: Request, _ context: HubContext) async throws -> Response {
        _ = try context.person()
        let experiment = try await services.experiment(context), reports = try await services.store.reports(of: experiment)
        let needed = JSONValue(reading: Array(experiment.settings.utf8))?["min_sample_size"]?.number ?? 0
        return .json([
            "required_sample_size": .number(needed), "is_sufficient": .bool(reports.allSatisfy { Double($0.reporting) >= needed }),
            "variants": .array(reports.map { ["name": .string($0.variant.name), "sample_size": .integer($0.reporting)] }),
        ])
    }

    @Sendable private func timeSeries(_ request: Request, _ context: HubContext) async throws -> Response {
        _ = try context.person()
        let days = try await services.store.days(of: try await services.experiment(context))
        return .json([
            "points": .array(
                days.map {
                    [
                        "date": .string(String(ISOTime.text(Double($0.day) * 86_400).prefix(10))), "variant": .string($0.variant),
                        "metric": .string($0.name), "count": .integer($0.count), "mean": .number($0.mean),
                    ]
                })
        ])
    }
}
