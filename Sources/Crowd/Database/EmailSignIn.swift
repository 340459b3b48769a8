public import Support
internal import Synchronization
internal import Transport

/// Firebase's sign-in by e-mail address and password; a hub has it, too. The session lasts as long as the program.
public final class EmailSignIn: CrowdCredentials {
    private struct Session {
        var uid: String, token: String, refresh: String
        /// Seconds since boot.
        var end: Int64
    }

    private let email: String, password: String
    private let identity: String, tokens: String
    private let key: String
    private let client = HTTPClient()
    private let session = Mutex<Session?>(nil)

    /// - Parameters:
    ///   - hub: https://HUB where a hub is asked, nil for Google's own servers.
    ///   - key: the project's Web API key; a hub takes any.
    /// Errors: `.configuration` for what is no address.
    public init(email: String, password: String, hub: String?, key: String, allowsHTTP: Bool = false) throws(Fault) {
        let place = try hub.map { (hub) throws(Fault) in try Endpoint(hub, allowsHTTP: allowsHTTP).origin + "/" } ?? "https://"
        (self.email, self.password, self.key) = (email, password, key)
        (identity, tokens) = (place + "identitytoolkit.googleapis.com/v1/accounts:", place + "securetoken.googleapis.com/v1/token")
    }

    /// Makes the account.
    ///
    /// Errors: `.permission` where the server makes none, or has one already.
    public func signUp() throws(Fault) { try enter("signUp") }

    public func session(renewing: Bool) throws(Fault) -> (uid: String, token: String) {
        if let known = session.withLock({ $0 }) {
            if !renewing, SystemTime.sinceBoot / 1_000_000_000 < known.end { return (known.uid, known.token) }
            do throws(Fault) { try renew(known) } catch where error.code == .permission { try enter("signInWithPassword") }
        } else {
            try enter("signInWithPassword")
        }
        guard let made = session.withLock({ $0 }) else { throw Fault(.failure, "there is no session") }
        return (made.uid, made.token)
    }

    private func enter(_ action: String) throws(Fault) {
        let answer = try ask(identity + action, ["email": .string(email), "password": .string(password), "returnSecureToken": true])
        guard let uid = answer["localId"]?.text, let token = answer["idToken"]?.text, let refresh = answer["refreshToken"]?.text else { throw Fault(.badData, "the sign-in of \(email) gave no token") }
        keep(uid, token, refresh, answer["expiresIn"])
    }

    private func renew(_ known: Session) throws(Fault) {
        let answer = try ask(tokens, ["grant_type": "refresh_token", "refresh_token": .string(known.refresh)])
        guard let token = answer["id_token"]?.text else { throw Fault(.badData, "the refreshed sign-in of \(email) gave no token") }
        keep(answer["user_id"]?.text ?? known.uid, token, answer["refresh_token"]?.text ?? known.refresh, answer["expires_in"])
    }

    // A minute early: clocks and networks take their time.
    private func keep(_ uid: String, _ token: String, _ refresh: String, _ seconds: JSONValue?) {
        let life = max(30, min(86_400, (seconds?.number ?? seconds?.text.flatMap { Double($0) } ?? 3600) - 60))
        session.withLock { $0 = Session(uid: uid, token: token, refresh: refresh, end: SystemTime.sinceBoot / 1_000_000_000 + Int64(life)) }
    }

    private func ask(_ url: String, _ body: JSONValue) throws(Fault) -> JSONValue {
        let request = HTTPRequest(method: "POST", url: "\(url)?key=\(PercentEncoding.query(key))", headers: [("Content-Type", "application/json")], body: .bytes(body.bytes))
        let answer: HTTPResponse
        do throws(HTTPClient.Interruption) { answer = try client.send(request) } catch { throw error.fault }
        let said = JSONValue(parsing: answer.body)
        if answer.status == 200, let said { return said }
        let reason = said?["error"]?["message"]?.text ?? "status \(answer.status)"
        guard (400..<500).contains(answer.status), answer.status != 429 else { throw Fault(.temporary, "\(email) cannot be signed in just now: \(reason)") }
        throw Fault(.permission, "\(email) is not signed in: \(reason)", remedy: "Is the password right, and does the account exist?")
    }
}
