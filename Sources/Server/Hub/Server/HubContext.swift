internal import FoundationEssentials
internal import HubStore
internal import Hummingbird
internal import NIOCore
internal import Support

/// A request with who sends it.
struct HubContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let address: String
    var caller: Session?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        address = source.channel.remoteAddress?.ipAddress ?? "?"
    }

    /// Whoever has a token.
    ///
    /// - Throws: 401.
    func session() throws(APIError) -> Session {
        guard let caller else { throw .unauthorized }
        return caller
    }

    /// A person of the organisation.
    func person() throws(APIError) -> Session {
        let session = try session()
        guard case .person = session.holder else {
            throw APIError(.forbidden, "forbidden", "this is for people's tokens, not for devices'")
        }
        return session
    }

    /// A person who may take something away from others.
    func owner() throws(APIError) -> Session {
        let session = try person()
        guard session.role == .owner else { throw APIError(.forbidden, "forbidden", "this takes an owner's token") }
        return session
    }

    /// The board of the path, if the caller is that board or a person.
    func device() throws(APIError) -> (id: String, session: Session) {
        let session = try session()
        let id = try parameter("id")
        if case .person = session.holder { return (id, session) }
        guard let own = session.deviceID else { throw APIError(.notFound, "device_not_registered", "this device is not registered") }
        guard own == id else { throw APIError(.forbidden, "forbidden", "this token is another device's") }
        return (id, session)
    }

    func parameter(_ name: String) throws(APIError) -> String {
        guard let value = coreContext.parameters.get(name), !value.isEmpty, value.utf8.count <= 200 else {
            throw APIError(.notFound, "not_found", "there is nothing here")
        }
        return value
    }
}
