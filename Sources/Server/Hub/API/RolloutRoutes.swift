internal import HubProtocol
internal import HTTPTypes
internal import HubStore
internal import Hummingbird
internal import Support

/// Roll-outs, with EdgeML's control plane's names.
struct RolloutRoutes {
    let services: HubServices

    func add(to api: RouterGroup<HubContext>) {
        api.get("rollouts", use: all)
        let rollouts = api.group("models/:model/rollouts")
        rollouts.post(use: make)
        rollouts.get(use: list)
        rollouts.get("active") { request, context in try await self.list(context) { $0.state == .active } }
        rollouts.get(":rollout", use: show)
        rollouts.delete(":rollout", use: remove)
        rollouts.get(":rollout/status-history", use: history)
        rollouts.get(":rollout/affected-devices", use: devices)
        for (verb, state) in [("start", Rollout.State.active), ("pause", .paused), ("resume", .active), ("stop", .stopped)] {
            rollouts.post(":rollout/\(verb)") { request, context in try await self.turn(context, to: state, verb) }
        }
        rollouts.post(":rollout/advance", use: advance)
        rollouts.post(":rollout/update-percentage", use: reach)
    }

    @Sendable private func all(_ request: Request, _ context: HubContext) async throws -> Response {
        let rollouts = try await services.store.rollouts(org: try context.person().org)
        return .json(["rollouts": .array(try await json(Array(rollouts.prefix(100))))])
    }

    @Sendable private func make(_ request: Request, _ context: HubContext) async throws -> Response {
        let session = try context.person(), model = try await services.model(context),
            body = try await request.object(limit: services.options.bodyLimit)
        let wanted = try body.required("version")
        var rollout = Rollout(
            model: model.id, version: try await services.version(wanted, of: model).version, created: services.now)
        if let key = try body.optional("group_id") ?? body.optional("group") {
            guard let group = try await services.store.group(key, org: session.org) else {
                throw APIError.missing("not_found", "there is no such group")
            }
            rollout.group = group.id
        }
        rollout.target = try body.number("target_percentage", in: 0...100) ?? 100
        rollout.percentage = try body.number("rollout_percentage", in: 0...100) ?? min(10, rollout.target)
        guard rollout.percentage <= rollout.target else { throw APIError.invalid("rollout_percentage is above target_percentage") }
        rollout.increment = try body.number("increment_step", in: 0...100) ?? 10
        rollout.success = try body.number("success_threshold", in: 0...1) ?? rollout.success
        rollout.error = try body.number("error_threshold", in: 0...1) ?? rollout.error
        rollout.minimum = Int(try body.number("minimum_reports", in: 1...1e6) ?? Double(rollout.minimum))
        if body["start_immediately"] == false { rollout.state = .pending }
        return .json(try await json(try await services.store.start(rollout, unsigned: body["allow_unsigned"] == true)), status: .created)
    }

    @Sendable private func list(_ request: Request, _ context: HubContext) async throws -> Response {
        let wanted = try QueryParameters(request, most: 1).text("status_filter")
        return try await list(context) { wanted == nil || $0.state.rawValue == wanted }
    }

    // A bare list, as EdgeML's client has it.
    private func list(_ context: HubContext, where isWanted: (Rollout) -> Bool) async throws -> Response {
        let session = try context.person(), model = try await services.model(context)
        let rollouts = try await services.store.rollouts(of: model.id, org: session.org)
        return .json(.array(try await json(rollouts.filter(isWanted))))
    }

    @Sendable private func show(_ request: Request, _ context: HubContext) async throws -> Response {
        .json(try await json(try await rollout(context)))
    }

    /// One that goes on is removed where the caller says so.
    @Sendable private func remove(_ request: Request, _ context: HubContext) async throws -> Response {
        let rollout = try await rollout(context)
        if rollout.state == .active, try QueryParameters(request, most: 1).text("force") == "false" {
            throw APIError(.conflict, "invalid_input", "roll-out \(rollout.id) goes on: stop it first, or say force=true")
        }
        try await services.store.remove(rollout)
        return .nothing
    }

    @Sendable private func history(_ request: Request, _ context: HubContext) async throws -> Response {
        let history = try await services.store.history(of: try await rollout(context))
        return .json(
            .array(history.map { ["at": .string(ISOTime.text($0.at)), "status": .string($0.state), "reason": .string($0.reason)] }))
    }

    @Sendable private func devices(_ request: Request, _ context: HubContext) async throws -> Response {
        let rollout = try await rollout(context), page = try QueryParameters(request, most: 1000)
        let found = try await services.store.outcomes(
            of: rollout.model, version: rollout.version, limit: page.limit, offset: page.offset)
        return .json([
            "devices": .array(
                found.boards.map { outcome, identifier, name in
                    [
                        "device_id": .string(outcome.device), "device_identifier": .string(identifier), "name": .string(name),
                        "state": .string(outcome.state.rawValue), "reason": .string(outcome.reason),
                        "updated_at": .string(ISOTime.text(outcome.updated)),
                    ]
                }), "total": .integer(found.total),
        ])
    }

    private func turn(_ context: HubContext, to state: Rollout.State, _ verb: String) async throws -> Response {
        let rollout = try await rollout(context)
        guard verb != "resume" || rollout.state != .pending else {
            throw APIError(.conflict, "invalid_input", "roll-out \(rollout.id) has not been started")
        }
        let changed = try await services.store.change(rollout, to: state, reason: "\(verb), by a person", now: services.now)
        services.forgetReports()
        return .json(try await json(changed))
    }

    @Sendable private func advance(_ request: Request, _ context: HubContext) async throws -> Response {
        let rollout = try await rollout(context), body = try await request.object(limit: services.options.bodyLimit)
        let step = try body.number("custom_increment", in: 0...100) ?? rollout.increment
        return .json(
            try await json(
                try await change(
                    rollout, to: min(max(rollout.target, rollout.percentage), rollout.percentage + step), "advanced by a person")))
    }

    @Sendable private func reach(_ request: Request, _ context: HubContext) async throws -> Response {
        let rollout = try await rollout(context), body = try await request.object(limit: services.options.bodyLimit)
        guard let percentage = try body.number("percentage", in: 0...100) else { throw APIError.invalid("percentage is missing") }
        return .json(
            try await json(try await change(rollout, to: percentage, try body.optional("reason", limit: 500) ?? "set by a person")))
    }

    private func change(_ rollout: Rollout, to percentage: Double, _ reason: String) async throws -> Rollout {
        // A complete one that is to reach more boards goes on.
        let state = rollout.state == .completed && percentage > rollout.percentage ? Rollout.State.active : rollout.state
        return try await services.store.change(rollout, to: state, percentage: percentage, reason: reason, now: services.now)
    }

    private func rollout(_ context: HubContext) async throws -> Rollout {
        let session = try context.person(), model = try await services.model(context)
        guard let id = Int(try context.parameter("rollout")), let rollout = try await services.store.rollout(id, org: session.org),
            rollout.model == model.id
        else {
            throw APIError.missing("not_found", "there is no such roll-out")
        }
        return rollout
    }

    // None waits for another's boards to be counted.
    private func json(_ rollouts: [Rollout]) async throws -> [JSONValue] {
        try await withThrowingTaskGroup(of: (Int, JSONValue).self) { group in
            for (index, rollout) in rollouts.enumerated() { group.addTask { (index, try await json(rollout)) } }
            var found = [JSONValue](repeating: .null, count: rollouts.count)
            for try await (index, value) in group { found[index] = value }
            return found
        }
    }

    // Of many boards what became of it is not counted at once: null until then.
    private func json(_ rollout: Rollout) async throws -> JSONValue {
        let key = "\(rollout.id) \(rollout.state) \(rollout.percentage) \(rollout.target)"
        let progress = try await services.progress.of(key, within: .milliseconds(100)) { [services] () async throws(Fault) in
            try await services.store.progress(of: rollout, now: services.now)
        }
        return .members([
            ("id", .integer(rollout.id)), ("model_id", .string(rollout.model)),
            ("version", .string(rollout.versionName ?? "\(rollout.version)")), ("version_number", .integer(rollout.version)),
            ("group_id", JSONValue(rollout.group)),
            ("status", .string(rollout.state.rawValue)), ("reason", .string(rollout.reason)),
            ("rollout_percentage", .number(rollout.percentage)), ("target_percentage", .number(rollout.target)),
            ("increment_step", .number(rollout.increment)), ("success_threshold", .number(rollout.success)),
            ("error_threshold", .number(rollout.error)), ("minimum_reports", .integer(rollout.minimum)),
            ("created_at", .string(ISOTime.text(rollout.created))),
            ("progress", progress.map(json) ?? .null),
        ])
    }

    private func json(_ progress: RolloutProgress) -> JSONValue {
        [
            "reached": .integer(progress.reached), "committed": .integer(progress.committed), "trying": .integer(progress.trying),
            "deferred": .integer(progress.deferred), "failed": .integer(progress.failed), "away": .integer(progress.away),
        ]
    }
}
