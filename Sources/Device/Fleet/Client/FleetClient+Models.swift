public import HubProtocol
public import Support
internal import Transport

/// A group that this board is in.
public struct FleetGroup: Sendable, Equatable {
    /// The hub's ID of it.
    public var id: String
    /// Its name.
    public var name: String
}

extension FleetClient {
    /// The groups of this board, in either shape that servers have.
    ///
    /// - Throws: those of ``heartbeat(_:)``.
    public func groups() async throws(Fault) -> [FleetGroup] {
        let path = "devices/\(try registered().deviceId)/groups", answer = try api.good(try await authorised("GET", path, nil), path)
        guard case .array(let found)? = answer["groups"] ?? answer["memberships"] else {
            throw Fault(.badData, "\(hub) answered without groups")
        }
        return found.compactMap { group in
            guard let id = group["group_id"]?.text ?? group["id"]?.text else { return nil }
            return FleetGroup(id: id, name: group["group_name"]?.text ?? group["name"]?.text ?? id)
        }
    }

    /// nil when no version is meant for this board.
    ///
    /// - Throws: those of ``heartbeat(_:)``.
    public func modelVersion(of model: String) async throws(Fault) -> AssignedVersion? {
        guard
            let answer = try await find(
                "devices/\(try registered().deviceId)/models/\(PercentEncoding.query(model))/version?include_bucket=true")
        else { return nil }
        guard let assigned = AssignedVersion(answer) else { throw Fault(.badData, "\(hub) named no version of \(model)") }
        return assigned
    }

    /// What there is beyond `current`, with what the hub says of its file; nil for none.
    ///
    /// - Parameter format: of files that the caller can use; nil for any. Other servers know no such thing.
    /// - Throws: those of ``heartbeat(_:)``.
    public func update(of model: String, current: String, format: String? = nil) async throws(Fault) -> ModelUpdate? {
        let place = "models/\(PercentEncoding.query(model))"
        guard
            let answer = try await find(
                "\(place)/updates?current_version=\(PercentEncoding.query(current))\(format.map { "&format=\($0)" } ?? "")")
        else { return nil }
        guard var update = ModelUpdate(answer) else { throw Fault(.badData, "\(hub) named no version of \(model)") }
        // Other servers tell the checksum elsewhere.
        if update.checksum == nil, let details = try await find("\(place)/versions/\(PercentEncoding.query(update.newVersion))") {
            update.checksum = details["checksum"]?.text
            update.size = details["size_bytes"]?.number.flatMap { Int(exactly: $0) } ?? update.size
        }
        return update
    }

    /// The bytes of a version. What breaks off goes on where it was.
    ///
    /// - Parameters:
    ///   - limit: bytes; what is longer is no such file.
    ///   - seconds: for all of it.
    /// - Throws: `.noInput` when it is not there, `.badData` when it is too long, `.temporary` when it does not come, or too slowly.
    public func download(_ model: String, version: String, limit: Int, within seconds: Double = 300) async throws(Fault) -> [UInt8] {
        try await bytes(
            "models/\(PercentEncoding.query(model))/versions/\(PercentEncoding.query(version))/download", limit: limit, within: seconds)
    }

    /// Its signature; nil where it has none, or the server knows no such thing.
    ///
    /// - Throws: as ``download(_:version:limit:within:)``.
    public func signature(of model: String, version: String, within seconds: Double = 60) async throws(Fault) -> [UInt8]? {
        do throws(Fault) {
            return try await bytes(
                "models/\(PercentEncoding.query(model))/versions/\(PercentEncoding.query(version))/signature", limit: 1 << 16,
                within: seconds)
        } catch  where error.code == .noInput {
            return nil
        }
    }

    private func bytes(_ path: String, limit: Int, within seconds: Double) async throws(Fault) -> [UInt8] {
        let answer = try await api.download(path, token: try await auth.getAccessToken(), limit: limit, within: seconds)
        guard answer.status == 401 else { return try api.body(answer, path) }
        return try api.body(try await api.download(path, token: try await auth.refresh().accessToken, limit: limit, within: seconds), path)
    }

    // nil for 404.
    private func find(_ path: String) async throws(Fault) -> JSONValue? {
        let answer = try await authorised("GET", path, nil)
        return answer.status == 404 ? nil : try api.good(answer, path)
    }
}
