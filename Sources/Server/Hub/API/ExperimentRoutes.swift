internal import HTTPTypes
internal import HubProtocol
internal import HubStore
internal import Hummingbird
internal import JSONReading
internal import Support

/// Experiments, with EdgeML's control plane's names.
struct ExperimentRoutes {
    let services: HubServices
    // Sums of squares of what is larger are no numbers any more.
    private static let largest = 1e12

    func add(to api: RouterGroup<HubContext>) {
        let experiments = api.group("experiments")
        experiments.get(use: list)
        experiments.post(use: make)
        experiments.get(":experiment", use: show)
        experiments.post(":experiment/start") { request, context in try await self.turn(context, to: .running) }
        experiments.post(":experiment/pause") { request, context in try await self.turn(context, to: .paused) }
        experiments.post(":experiment/resume") { request, context in try await self.turn(context, to: .running) }
        experiments.post(":experiment/complete") { request, context in try await self.turn(context, to: .completed) }
        experiments.post(":experiment/cancel") { request, context in try await self.turn(context, to: .cancelled) }
        experiments.patch(":experiment/allocations", use: allocate)
        experiments.get(":experiment/target-groups", use: groups)
        experiments.put(":experiment/target-groups", use: setGroups)
        experiments.post(":experiment/target-groups/:group") { request, context in try await self.join(context, true) }
        experiments.delete(":experiment/target-groups/:group") { request, context in try await self.join(context, false) }
        experiments.get(":experiment/analytics", use: analytics)
        experiments.get(":experiment/analytics/sample-size", use: sampleSize)
        experiments.get(":experiment/analytics/timeseries", use: timeSeries)
        experiments.post(":experiment/events", use: event)
        experiments.post(":experiment/gradients", use: gradients)
    }

    // A bare list, as EdgeML's client has it.
    @Sendable private func list(_ request: Request, _ context: HubContext) async throws -> Response {
        let session = try context.person(), page = try QueryParameters(request, most: 500), status = try page.text("status")
        let named = try page.text("model_id")
        let model: String? = if let named { try await services.model(named: named, org: session.org).id } else { nil }
        var found: [JSONValue] = []
        for experiment in try await services.store.experiments(of: model, org: session.org)
        where status == nil || experiment.state.rawValue == status {
            found.append(try await json(experiment, org: session.org))
        }
        return .json(.array(Array(found.dropFirst(page.offset).prefix(page.limit))))
    }

    @Sendable private func make(_ request: Request, _ context: HubContext) async throws -> Response {
        let session = try context.person(), body = try await request.object(limit: services.options.bodyLimit)
        let model = try await services.model(named: try body.required("model_id"), org: session.org)
        var variants: [Experiment.Variant] = []
        guard case .array(let given)? = body["variants"], (2...16).contains(given.count) else {
            throw APIError.invalid("variants is no list of 2 to 16")
        }
        for entry in given {
            let name = try entry.required("name", limit: 100), version = try entry.required("model_version")
            guard !variants.contains(where: { $0.name == name }) else { throw APIError.invalid("two variants are called \(name)") }
            variants.append(
                .init(
                    name: name, version: try await services.version(version, of: model).version,
                    allocation: try entry.number("traffic_allocation", in: 0...100) ?? 100 / Double(given.count),
                    isControl: entry["is_control"] == true))
        }
        try check(variants)
        let settings: JSONValue = .members([
            ("description", JSONValue(try body.optional("description", limit: 1000))),
            ("min_sample_size", .integer(Int(try body.number("min_sample_size", in: 0...1e9) ?? 100))),
            ("confidence_level", .number(try body.number("confidence_level", in: 0...1) ?? 0.95)),
            ("primary_metric", .string(try body.optional("primary_metric", limit: 100) ?? "conversion")),
        ])
        let experiment = Experiment(
            model: model.id, name: try body.required("name"), traffic: try body.number("traffic_percentage", in: 0...100) ?? 100,
            variants: variants, settings: String(decoding: settings.bytes, as: UTF8.self), now: services.now)
        try await services.store.make(experiment)
        return .json(try await json(experiment, org: session.org), status: .created)
    }

    private func check(_ variants: [Experiment.Variant]) throws(APIError) {
        let total = variants.reduce(0) { $0 + $1.allocation }
        guard abs(total - 100) < 0.01 else { throw .invalid("the variants' allocations add up to \(total), not to 100") }
    }

    @Sendable private func show(_ request: Request, _ context: HubContext) async throws -> Response {
        .json(try await json(try await experiment(context), org: try context.session().org))
    }

    private func turn(_ context: HubContext, to state: Experiment.State) async throws -> Response {
        let session = try context.person()
        var experiment = try await experiment(context)
        guard experiment.state.leads(to: state) else {
            throw APIError(.conflict, "invalid_input", "an experiment that is \(experiment.state.rawValue) cannot become \(state.rawValue)")
        }
        try await services.store.turn(experiment, to: state, now: services.now)
        (experiment.state, experiment.updated) = (state, services.now)
        return .json(try await json(experiment, org: session.org))
    }

    @Sendable private func allocate(_ request: Request, _ context: HubContext) async throws -> Response {
        let session = try context.person(), body = try await request.object(limit: services.options.bodyLimit)
        var experiment = try await experiment(context)
        guard case .array(let given)? = body["variants"] else { throw APIError.invalid("variants is no list") }
        for entry in given {
            let name = try entry.required("name", limit: 100)
            guard let place = experiment.variants.firstIndex(where: { $0.name == name }),
                let share = try entry.number("traffic_allocation", in: 0...100)
            else { throw APIError.invalid("\(name) is no variant, or has no traffic_allocation") }
            experiment.variants[place].allocation = share
        }
        try check(experiment.variants)
        experiment.updated = services.now
        try await services.store.allocate(experiment)
        return .json(try await json(experiment, org: session.org))
    }

    @Sendable private func groups(_ request: Request, _ context: HubContext) async throws -> Response {
        .json(["group_ids": .array(try await services.store.groups(of: try await experiment(context)).map { .string($0) })])
    }

    @Sendable private func setGroups(_ request: Request, _ context: HubContext) async throws -> Response {
        let session = try context.person(), body = try await request.object(limit: services.options.bodyLimit)
        let experiment = try await experiment(context)
        guard case .array(let given)? = body["group_ids"], given.count <= 1000 else { throw APIError.invalid("group_ids is no list") }
        var found: [String] = []
        for key in given { found.append(try await group(key.text ?? "", session.org).id) }
        return .json(try await set(found, experiment))
    }

    private func join(_ context: HubContext, _ isMember: Bool) async throws -> Response {
        let session = try context.person(), experiment = try await experiment(context)
        let group = try await group(try context.parameter("group"), session.org).id
        let before = try await services.store.groups(of: experiment).filter { $0 != group }
        return .json(try await set(before + (isMember ? [group] : []), experiment))
    }

    private func set(_ groups: [String], _ experiment: Experiment) async throws -> JSONValue {
        try await services.store.set(groups: groups, of: experiment)
        return ["group_ids": .array(try await services.store.groups(of: experiment).map { .string($0) })]
    }

    private func group(_ key: String, _ org: String) async throws -> DeviceGroup {
        guard let group = try await services.store.group(key, org: org) else {
            throw APIError.missing("not_found", "there is no such group")
        }
        return group
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
        let experiment = try await experiment(context)
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
        let experiment = try await experiment(context), reports = try await services.store.reports(of: experiment)
        let names = try await shown(experiment, org: try context.session().org)
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
        let experiment = try await experiment(context), reports = try await services.store.reports(of: experiment)
        let needed = JSONValue(reading: Array(experiment.settings.utf8))?["min_sample_size"]?.number ?? 0
        return .json([
            "required_sample_size": .number(needed), "is_sufficient": .bool(reports.allSatisfy { Double($0.reporting) >= needed }),
            "variants": .array(reports.map { ["name": .string($0.variant.name), "sample_size": .integer($0.reporting)] }),
        ])
    }

    @Sendable private func timeSeries(_ request: Request, _ context: HubContext) async throws -> Response {
        _ = try context.person()
        let days = try await services.store.days(of: try await experiment(context))
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

    private func experiment(_ context: HubContext) async throws -> Experiment {
        let id = try context.parameter("experiment")
        guard let experiment = try await services.store.experiment(id, org: try context.session().org) else {
            throw APIError.missing("not_found", "there is no such experiment")
        }
        return experiment
    }

    // What the authors of its versions call them, by number.
    private func shown(_ experiment: Experiment, org: String) async throws -> [Int: String] {
        guard let model = try await services.store.model(experiment.model, org: org) else { return [:] }
        var names: [Int: String] = [:]
        for variant in experiment.variants {
            names[variant.version] = try await services.store.version(variant.version, of: model)?.shown ?? "\(variant.version)"
        }
        return names
    }

    private func json(_ experiment: Experiment, org: String) async throws -> JSONValue {
        guard case .object(var members)? = JSONValue(reading: Array(experiment.settings.utf8)) else { return .null }
        let names = try await shown(experiment, org: org)
        let variants = experiment.variants.map { variant -> JSONValue in
            [
                "name": .string(variant.name), "model_version": .string(names[variant.version] ?? ""),
                "traffic_allocation": .number(variant.allocation), "is_control": .bool(variant.isControl),
            ]
        }
        let known: [String: JSONValue] = [
            "id": .string(experiment.id), "org_id": .string(org), "model_id": .string(experiment.model), "name": .string(experiment.name),
            "status": .string(experiment.state.rawValue), "traffic_percentage": .number(experiment.traffic), "variants": .array(variants),
            "created_at": .string(ISOTime.text(experiment.created)), "updated_at": .string(ISOTime.text(experiment.updated)),
        ]
        members.merge(known) { $1 }
        return .object(members)
    }
}
