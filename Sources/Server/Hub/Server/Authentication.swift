internal import HTTPTypes
internal import HubStore
internal import Hummingbird
internal import Logging
internal import Serving
internal import Support

/// Who calls, whether not too often; and errors as answers.
struct Authentication: RouterMiddleware {
    let services: HubServices

    func handle(_ request: Request, context: HubContext, next: (Request, HubContext) async throws -> Response) async throws -> Response {
        let response = try await answer(request, context, next)
        services.metrics.note(answer: response.status.code)
        return response
    }

    private func answer(
        _ request: Request, _ context: HubContext, _ next: (Request, HubContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        do {
            let token = Self.token(request), now = services.now, isCrowd = Self.isCrowd(request)
            if let token { context.caller = try await services.store.session(token, now: now) }
            // Accounts are for the crowd alone, and such tokens for images.
            if case .account? = context.caller?.holder, !isCrowd { context.caller = nil }
            if context.caller?.isTarget ?? false, !TargetRoutes.isTarget(request) { context.caller = nil }
            let usual = isCrowd ? services.options.crowdRequestsPerMinute : services.options.requestsPerMinute
            let isStranger = context.caller == nil
            // Whoever watches whether the hub is there locks nobody out.
            let isFree = isStranger && (request.uri.path.hasSuffix("/health") || request.uri.path == "/crowd-health")
            let seconds =
                isFree
                ? nil
                : services.limiter.wait(
                    isStranger
                        ? "from \(CallerAddress.of(request, peer: context.address, proxy: services.options.trustedProxy))"
                        : "\(isCrowd) \(context.caller?.org ?? "") \(context.caller?.holder.name ?? "")",
                    perMinute: isStranger ? services.options.strangersPerMinute : usual, now: now)
            if let seconds {
                throw APIError(.tooManyRequests, "rate_limited", "too many requests: wait \(seconds) s", retryAfter: seconds)
            }
            if let role = context.caller?.role, !role.allows(method: request.method.rawValue) {
                throw APIError(.forbidden, "forbidden", "this token has the role \(role.rawValue), which may not do that")
            }
            if let caller = context.caller, let scope = RequiredScope.of(request), !caller.allows(scope) {
                throw APIError(.forbidden, "forbidden", "this token is not for that: it takes the scope \(scope.rawValue)")
            }
            let response = try await next(request, context)
            await note(request, of: context.caller, response.status)
            return response
        } catch let error as APIError {
            // Who tried what is not theirs.
            if error.status == .forbidden { await note(request, of: context.caller, error.status) }
            return error.response
        } catch let fault as Fault {
            if fault.code != .usage { services.report(fault) }
            return APIError(fault).response
        } catch let error as any HTTPResponseError {
            let reason =
                error.status == .contentTooLarge
                ? "the request is too large" : error.status == .notFound ? "there is nothing here" : error.status.reasonPhrase
            return APIError(error.status, error.status == .notFound ? "not_found" : "invalid_input", reason).response
        }
    }

    // What people change or may not change, and who.
    private func note(_ request: Request, of caller: Session?, _ status: HTTPResponse.Status) async {
        guard case .person(let name)? = caller?.holder, request.method != .get, request.method != .head,
            request.uri.path != OperatorRoutes.pictures
        else { return }
        // Ten refusals of a person in a minute say enough.
        if status == .forbidden, services.refusals.wait("\(caller?.org ?? "") \(name)", perMinute: 10, now: services.now) != nil { return }
        let entry = AuditEntry(
            at: services.now, org: caller?.org ?? "", who: name, action: "\(request.method.rawValue) \(request.uri.path.prefix(500))",
            status: status.code)
        // It is done already.
        do throws(Fault) { try await services.store.note(entry) } catch {
            services.log.error("\(name)'s \(entry.action) is not written down: \(error)")
        }
    }

    private static func isCrowd(_ request: Request) -> Bool { request.uri.path.hasPrefix(DatabaseRoutes.place) }

    /// As a header; the crowd's clients have it in the address.
    static func token(_ request: Request) -> String? {
        if let bearer = bearer(request) { return bearer }
        if TargetRoutes.isTarget(request) { return credential("TargetToken", request) }
        guard isCrowd(request) else { return nil }
        return (request.uri.queryParameters["auth"] ?? request.uri.queryParameters["access_token"]).map(String.init)
    }

    static func bearer(_ request: Request) -> String? { credential("Bearer", request) }

    private static func credential(_ wanted: String, _ request: Request) -> String? {
        guard let value = request.headers[.authorization], value.utf8.count <= 500, let space = value.utf8.firstIndex(of: UInt8(ascii: " "))
        else { return nil }
        let kind = value[..<space]
        guard kind == wanted || kind.lowercased() == wanted.lowercased() else { return nil }
        return String(value[value.utf8.index(after: space)...])
    }
}
