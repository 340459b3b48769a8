internal import HTTPTypes
internal import HubStore
internal import Hummingbird
internal import Support

/// Boards that a person is asked to approve.
struct WaitingBoardRoutes {
    let services: HubServices

    func add(to api: RouterGroup<HubContext>) {
        let boards = api.group("waiting-boards")
        boards.get(use: list)
        boards.post(":id/approve", use: approve)
        boards.delete(":id", use: refuse)
    }

    @Sendable private func list(_ request: Request, _ context: HubContext) async throws -> Response {
        let found = try await services.store.waiting(org: try context.person().org)
        return .json(["boards": .array(found.map { Self.json($0) })])
    }

    @Sendable private func approve(_ request: Request, _ context: HubContext) async throws -> Response {
        let id = try context.parameter("id"), session = try context.owner()
        guard let board = try await services.store.approve(waiting: id, org: session.org) else {
            throw APIError.missing("not_found", "no such board waits")
        }
        return .json(Self.json(board))
    }

    @Sendable private func refuse(_ request: Request, _ context: HubContext) async throws -> Response {
        let id = try context.parameter("id"), session = try context.owner()
        guard try await services.store.refuse(waiting: id, org: session.org) else {
            throw APIError.missing("not_found", "no such board waits")
        }
        return .nothing
    }

    private static func json(_ board: WaitingBoard) -> JSONValue {
        [
            "id": .string(board.id), "device_identifier": .string(board.identifier), "key": board.key.map { .string($0) } ?? .null,
            "asked_at": .string(ISOTime.text(board.asked)), "status": .string(board.isApproved ? "approved" : "waiting"),
        ]
    }
}
