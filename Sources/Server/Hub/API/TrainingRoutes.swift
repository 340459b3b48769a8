internal import HTTPTypes
internal import HubStore
internal import Hummingbird
internal import JSONReading
internal import Logging
internal import Support
internal import WeightFiles

/// Federated learning with EdgeML's calls: rounds, weights, and what comes of them.
struct TrainingRoutes {
    let services: HubServices

    func add(to api: RouterGroup<HubContext>) {
        let training = api.group("training")
        training.get("rounds", use: list)
        training.post("rounds", use: make)
        training.get("rounds/:round", use: show)
        training.get("rounds/:round/status", use: show)
        training.post("rounds/:round/cancel", use: cancel)
        training.post("weights", use: take)
        training.post("aggregate", use: aggregate)
    }

    // A bare list, as EdgeML's clients have it.
    @Sendable private func list(_ request: Request, _ context: HubContext) async throws -> Response {
        let session = try context.session(), page = try QueryParameters(request, most: 500)
        let state = try page.text("state") ?? page.text("status")
        let named = try page.text("model_id").flatMap { $0.isEmpty ? nil : $0 }, device = try page.text("device_id")
        let model: String? = if let named { try await services.model(named: named, org: session.org).id } else { nil }
        var found: [JSONValue] = []
        for round in try await services.store.rounds(of: model, org: session.org)
        where state ?? "" == "" || round.state.rawValue == state || (state == "active" && round.state == .waiting) {
            // Who has sent its update has nothing to do there any more.
            if state == "active", let device, try await services.store.has(device, sentTo: round) { continue }
            found.append(try await json(round, org: session.org))
        }
        return .json(.array(Array(found.dropFirst(page.offset).prefix(page.limit))))
    }

    @Sendable private func make(_ request: Request, _ context: HubContext) async throws -> Response {
        let session = try context.person(), body = try await request.object(limit: services.options.bodyLimit)
        let model = try await services.model(named: try body.required("model_id"), org: session.org)
        var settings = TrainingRound.Settings()
        func whole(_ name: String, _ range: ClosedRange<Double>) throws(APIError) -> Int? {
            try body.number(name, in: range).map { Int($0) }
        }
        settings.least = try whole("min_clients", 1...10_000) ?? 1
        settings.most = try whole("max_clients", 1...10_000)
        guard settings.least <= settings.most ?? settings.least else { throw APIError.invalid("min_clients is above max_clients") }
        // Whoever asks for privacy does not train without it.
        for name in ["secure_aggregation", "differential_privacy"] where body[name] == true {
            throw APIError.invalid("\(name) is not there: norms are clipped and the mean is trimmed, which is no promise of privacy")
        }
        if let kind = try body.optional("aggregation_type"), kind.lowercased() != "fedavg" {
            throw APIError.invalid("aggregation_type is fedavg")
        }
        settings.minutes = try whole("timeout_minutes", 1...100_000) ?? settings.minutes
        settings.clip = try body.number("clip_norm", in: 1e-9...1e9)
        settings.proximal = try body.number("proximal_mu", in: 0...1e6)
        let version = try await base(try body.optional("version") ?? body.optional("version_id"), of: model)
        let round = try await services.store.makeRound(of: model, base: version, settings, now: services.now)
        return .json(try await json(round, org: session.org), status: .created)
    }

    @Sendable private func show(_ request: Request, _ context: HubContext) async throws -> Response {
        .json(try await json(try await round(try context.parameter("round"), context), org: try context.session().org))
    }

    @Sendable private func cancel(_ request: Request, _ context: HubContext) async throws -> Response {
        let session = try context.person(), round = try await round(try context.parameter("round"), context)
        guard round.state == .waiting else { throw APIError(.conflict, "invalid_input", "round \(round.id) has ended") }
        try await services.store.end(round, as: .cancelled, result: nil, now: services.now)
        return .json(try await json(try await self.round(round.id, context), org: session.org))
    }

    @Sendable private func take(_ request: Request, _ context: HubContext) async throws -> Response {
        let session = try context.session(), body = try await request.object(limit: ReceivedWeights.limit)
        let model = try await services.model(named: try body.required("model_id"), org: session.org)
        let device = try await services.device(named: body["device_id"], session), received = try ReceivedWeights(body)
        let kind = try body.optional("update_format") ?? "weights"
        guard ["weights", "delta", "state_dict"].contains(kind) else { throw APIError.invalid("update_format is weights or delta") }
        let round: TrainingRound
        if let id = try body.optional("round_id") {
            round = try await self.round(id, context)
            guard round.model == model.id else { throw APIError.invalid("round \(id) is of another model") }
        } else {
            let version = try await base(try body.optional("version"), of: model)
            round = try await services.store.openRound(of: model, base: version, now: services.now)
        }
        if let base = try await services.store.weights(of: model, version: round.base), !base.fits(received.file) {
            throw APIError(.conflict, "invalid_input", "the weights have other shapes than those of version \(round.base)")
        }
        let update = WeightUpdate(
            device: device, isDelta: kind == "delta", samples: Int(try body.number("sample_count", in: 0...1e9) ?? 0),
            metrics: received.metrics, weights: received.file)
        let count = try await services.store.add(update, to: round, now: services.now)
        if let most = round.settings.most, count >= most {
            // What was sent is kept, whatever becomes of the mean: a person looks into it then.
            do throws(Fault) {
                _ = try await services.store.aggregate(
                    round, of: model, least: round.settings.least, number: nil, name: nil, publish: true, now: services.now)
            } catch {
                services.log.error("round \(round.id) could not be ended: \(error)")
            }
        }
        return .json(
            [
                "id": .string("\(round.id):\(device)"), "status": "accepted", "accepted": true, "round_id": .string(round.id),
                "model_id": .string(model.id), "device_id": .string(device), "received_update_count": .integer(count),
            ], status: .created)
    }

    /// A new version out of what boards sent.
    @Sendable private func aggregate(_ request: Request, _ context: HubContext) async throws -> Response {
        let session = try context.person(), body = try await request.object(limit: services.options.bodyLimit)
        let model = try await services.model(named: try body.required("model_id"), org: session.org)
        let wanted = try body.optional("base_version"),
            waiting = try await services.store.rounds(of: model.id, org: session.org).filter {
                $0.state == .waiting && $0.updates > 0
            }
        let round: TrainingRound?
        if let id = try body.optional("round_id") {
            round = try await self.round(id, context)
            guard round?.model == model.id else { throw APIError.invalid("round \(id) is of another model") }
        } else if let wanted {
            let base = try await services.version(wanted, of: model).version
            round = waiting.first { $0.base == base }
        } else {
            round = waiting.max { $0.base < $1.base }
        }
        guard let round else {
            throw APIError(.conflict, "invalid_input", "no board has sent weights of \(model.name) since the last time")
        }
        let least = max(round.settings.least, Int(try body.number("min_updates", in: 1...10_000) ?? 1))
        let base = try await services.store.version(round.base, of: model)?.shown ?? "\(round.base)"
        let name = try body.optional("new_version", limit: 64).map { text throws(APIError) in try UploadRoutes.name(text) }
        let made = try await services.store.aggregate(
            round, of: model, least: least, number: name.flatMap { Int($0) }, name: name.flatMap { Int($0) == nil ? $0 : nil },
            publish: body["publish"] != false, now: services.now)
        return .json([
            "new_version": .string(made.shown), "version": .string(made.shown), "version_number": .integer(made.version),
            "model_id": .string(model.id), "round_id": .string(round.id), "base_version": .string(base), "status": "completed",
            "update_count": .integer(round.updates), "checksum": .string(made.checksum), "format": .string(made.format),
            "published": .bool(made.status == .published),
        ])
    }

    /// The version that a round begins with: the newest when none is named.
    private func base(_ name: String?, of model: HubModel) async throws -> Int {
        guard let name = name ?? model.latest.map({ "\($0)" }) else {
            throw APIError.missing("version_not_found", "\(model.name) has no version yet")
        }
        // EdgeML's version_id is "MODEL:NUMBER" here.
        let prefix = "\(model.id):"
        return try await services.version(name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name, of: model).version
    }

    private func round(_ id: String, _ context: HubContext) async throws -> TrainingRound {
        guard let round = try await services.store.round(id, org: try context.session().org) else {
            throw APIError.missing("not_found", "there is no such round")
        }
        return round
    }

    private func json(_ round: TrainingRound, org: String) async throws -> JSONValue {
        let model = try await services.store.model(round.model, org: org)
        func shown(_ number: Int) async throws -> JSONValue {
            guard let model, let version = try await services.store.version(number, of: model) else { return .string("\(number)") }
            return .string(version.shown)
        }
        let version = try await shown(round.base), result: JSONValue? = if let made = round.result { try await shown(made) } else { nil }
        return .members([
            ("id", .string(round.id)), ("round_id", .string(round.id)), ("org_id", .string(org)), ("model_id", .string(round.model)),
            ("version_id", .string("\(round.model):\(round.base)")), ("version", version), ("state", .string(round.state.rawValue)),
            ("status", round.state == .waiting ? "active" : .string(round.state.rawValue)), ("min_clients", .integer(round.settings.least)),
            ("max_clients", .integer(round.settings.most ?? 10_000)), ("client_selection_strategy", "all"), ("aggregation_type", "fedavg"),
            ("timeout_minutes", .integer(round.settings.minutes)), ("differential_privacy", false), ("secure_aggregation", false),
            ("selected_client_count", .integer(round.updates)), ("received_update_count", .integer(round.updates)),
            ("created_at", .string(ISOTime.text(round.created))),
            ("aggregation_completed_at", round.ended.map { .string(ISOTime.text($0)) }),
            ("new_version", result),
            (
                "config",
                .members([
                    ("model_id", .string(round.model)), ("version", version), ("filters", .array([])), ("secure_aggregation", false),
                    ("clip_norm", round.settings.clip.map { .number($0) }), ("proximal_mu", round.settings.proximal.map { .number($0) }),
                ])
            ),
        ])
    }
}
