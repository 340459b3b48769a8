internal import HTTPTypes
internal import HubStore
internal import Hummingbird
internal import JSONReading
internal import Support

/// Experiments, with EdgeML's control plane's names.
struct ExperimentRoutes {
    let services: HubServices
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
        .json(try await json(try await services.experiment(context), org: try context.session().org))
    }

    private func turn(_ context: HubContext, to state: Experiment.State) async throws -> Response {
        let session = try context.person()
        var experiment = try await services.experiment(context)
        guard experiment.state.leads(to: state) else {
            throw APIError(.conflict, "invalid_input", "an experiment that is \(experiment.state.rawValue) cannot become \(state.rawValue)")
        }
        try await services.store.turn(experiment, to: state, now: services.now)
        (experiment.state, experiment.updated) = (state, services.now)
        return .json(try await json(experiment, org: session.org))
    }

    @Sendable private func allocate(_ request: Request, _ context: HubContext) async throws -> Response {
        let session = try context.person(), body = try await request.object(limit: services.options.bodyLimit)
        var experiment = try await services.experiment(context)
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
        .json(["group_ids": .array(try await services.store.groups(of: try await services.experiment(context)).map { .string($0) })])
    }

    @Sendable private func setGroups(_ request: Request, _ context: HubContext) async throws -> Response {
        let session = try context.person(), body = try await request.object(limit: services.options.bodyLimit)
        let experiment = try await services.experiment(context)
        guard case .array(let given)? = body["group_ids"], given.count <= 1000 else { throw APIError.invalid("group_ids is no list") }
        var found: [String] = []
        for key in given { found.append(try await group(key.text ?? "", session.org).id) }
        return .json(try await set(found, experiment))
    }

    private func join(_ context: HubContext, _ isMember: Bool) async throws -> Response {
        let session = try context.person(), experiment = try await services.experiment(context)
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

    private func json(_ experiment: Experiment, org: String) async throws -> JSONValue {
        guard case .object(var members)? = JSONValue(reading: Array(experiment.settings.utf8)) else { return .null }
        let names = try await services.shown(experiment, org: org)
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
