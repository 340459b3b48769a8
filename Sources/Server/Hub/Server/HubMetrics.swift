internal import HTTPTypes
internal import HubStore
internal import Hummingbird
internal import NIOCore
internal import Support
internal import Synchronization

/// What Prometheus reads of the fleet and of this server.
final class HubMetrics: Sendable {
    private struct State {
        /// By the first digit of their status.
        var answers: [Int: Int64] = [:]
        var heartbeats: Int64 = 0
        /// Of each organisation, and when it was made: many may ask, and counting a large fleet takes its time.
        var kept: [String: (at: Double, counts: FleetCounts)] = [:]
    }

    /// Seconds.
    private static let freshness = 5.0

    private let state = Mutex(State())
    private let began = SystemTime.wallTime

    func note(answer status: Int) { state.withLock { $0.answers[status / 100, default: 0] += 1 } }

    func noteHeartbeat() { state.withLock { $0.heartbeats += 1 } }

    func add(to router: Router<HubContext>, _ services: HubServices) {
        router.get("metrics") { _, context in
            let org = try context.person().org
            let text = try await self.text(org, services)
            return Response(
                status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
                body: .init(byteBuffer: ByteBuffer(string: text)))
        }
    }

    private func text(_ org: String, _ services: HubServices) async throws -> String {
        let counts = try await counts(org, services), now = state.withLock { $0 }
        var out = PrometheusText()
        out.add("gaitway_hub_start_time_seconds", .gauge, "When the server was started, since 1970.", began)
        out.add(
            "gaitway_hub_responses_total", .counter, "Answered requests by the kind of their status.",
            (2...5).map { ([("code", "\($0)xx")], Double(now.answers[$0] ?? 0)) })
        out.add("gaitway_hub_heartbeats_total", .counter, "Heartbeats taken.", Double(now.heartbeats))
        out.add(
            "gaitway_hub_boards", .gauge, "Registered boards by their last heartbeat.",
            [("online", counts.online), ("stale", counts.stale), ("offline", counts.offline), ("revoked", counts.revoked)].map {
                ([("state", $0.0)], Double($0.1))
            })
        out.add(
            "gaitway_hub_boards_running", .gauge, "Boards by the version of their model: the twenty most frequent.",
            counts.byVersion.map { ([("version", "\($0.version)")], Double($0.boards)) })
        out.add("gaitway_hub_models", .gauge, "Models of any number of versions.", Double(counts.models))
        out.add("gaitway_hub_rollouts", .gauge, "Roll-outs by state.", counts.rollouts.map { ([("state", $0.state)], Double($0.count)) })
        return out.text
    }

    private func counts(_ org: String, _ services: HubServices) async throws -> FleetCounts {
        let now = services.now
        if let kept = state.withLock({ $0.kept[org] }), (0...Self.freshness).contains(now - kept.at) { return kept.counts }
        let counts = try await services.store.counts(org: org, now: now)
        state.withLock { $0.kept[org] = (now, counts) }
        return counts
    }
}
