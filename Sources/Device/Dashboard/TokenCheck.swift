internal import Cryptography
internal import HTTPTypes
internal import Hummingbird
internal import Support

/// Lets those in who know the token; errors become answers.
struct TokenCheck: RouterMiddleware {
    typealias Context = DashboardContext

    let token: String

    func handle(_ request: Request, context: Context, next: (Request, Context) async throws -> Response) async throws -> Response {
        do {
            // In a header alone: no other site's page can send it.
            let given = request.headers[.authorization] ?? "", expected = "Bearer " + token
            guard Digest.text(Array(given.utf8)) == Digest.text(Array(expected.utf8)) else {
                throw DashboardError(.unauthorized, "this page needs its token")
            }
            return try await next(request, context)
        } catch let error as DashboardError {
            return error.response
        } catch let fault as Fault {
            return DashboardError(fault).response
        } catch let error as any HTTPResponseError {
            return DashboardError(error.status, error.status == .contentTooLarge ? "this is too large" : error.status.reasonPhrase).response
        }
    }
}
