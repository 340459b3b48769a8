internal import CrowdLearning
package import Support
internal import Synchronization
internal import Transport

/// Firebase's sign-in by e-mail address and password; a hub has it, too. The session lasts as long as the program.
package final class EmailSignIn: CrowdCredentials {
    private struct Session {
        var uid: String, token: String, refresh: String
        /// In seconds of uptime.
        var end: Double
    }

    private let email: String, password: String
    private let identity: String, tokens: String
    private let key: String
    private let makesAccount: Bool
    private let client = HTTPClient()
    private let session = Mutex<Session?>(nil)

    /// - Parameters:
    ///   - hub: https://HUB where a hub is asked, nil for Google's own servers.
    ///   - key: the project's Web API key; a hub takes any.
    ///   - makesAccount: whether one is made where the sign-in is refused, as Crowd-ML's iOS client does.
    /// - Throws: `.configuration` for what is no address.
    package init(
        email: String, password: String, hub: String?, key: String, makesAccount: Bool = false, allowsHTTP: Bool = false
    ) throws(Fault) {
        let place = try hub.map { (hub) throws(Fault) in try Endpoint(hub, allowsHTTP: allowsHTTP).origin + "/" } ?? "https://"
        (self.email, self.password, self.key, self.makesAccount) = (email, password, key, makesAccount)
        (identity, tokens) = (place + "identitytoolkit.googleapis.com/v1/accounts:", place + "securetoken.googleapis.com/v1/token")
    }

    /// Who asks while somebody signs in waits for that.
    package func session(renewing: Bool) throws(Fault) -> (uid: String, token: String) {
        try session.withLock { (session) throws(Fault) in
            let made = try present(session, renewing)
            session = made
            return (made.uid, made.token)
        }
    }

    private func present(_ known: Session?, _ renewing: Bool) throws(Fault) -> Session {
        if let known {
            if !renewing, SystemTime.uptime < known.end { return known }
            do throws(Fault) { return try renew(known) } catch  where error.code == .permission { return try enter("signInWithPassword") }
        }
        do throws(Fault) { return try enter("signInWithPassword") } catch  where error.code == .permission && makesAccount {}
        // Where a program that ended meanwhile made the account, it is there now.
        do throws(Fault) { return try enter("signUp") } catch  where error.code == .permission { return try enter("signInWithPassword") }
    }

    private func enter(_ action: String) throws(Fault) -> Session {
        let answer = try ask(identity + action, ["email": .string(email), "password": .string(password), "returnSecureToken": true])
        guard let uid = answer["localId"]?.text, let token = answer["idToken"]?.text, let refresh = answer["refreshToken"]?.text else {
            throw Fault(.badData, "the sign-in of \(email) gave no token")
        }
        return Session(uid: uid, token: token, refresh: refresh, end: Self.end(answer["expiresIn"]))
    }

    private func renew(_ known: Session) throws(Fault) -> Session {
        let answer = try ask(tokens, ["grant_type": "refresh_token", "refresh_token": .string(known.refresh)])
        guard let token = answer["id_token"]?.text else { throw Fault(.badData, "the refreshed sign-in of \(email) gave no token") }
        return Session(
            uid: answer["user_id"]?.text ?? known.uid, token: token, refresh: answer["refresh_token"]?.text ?? known.refresh,
            end: Self.end(answer["expires_in"]))
    }

    // A minute early: clocks and networks take their time.
    private static func end(_ seconds: JSONValue?) -> Double {
        SystemTime.uptime + max(30, min(86_400, (seconds?.looseNumber ?? 3600) - 60))
    }

    private func ask(_ url: String, _ body: JSONValue) throws(Fault) -> JSONValue {
        let request = HTTPRequest(
            method: "POST", url: "\(url)?key=\(PercentEncoding.query(key))", headers: [("Content-Type", "application/json")],
            body: .bytes(body.bytes))
        let answer: HTTPResponse
        do throws(HTTPClient.Interruption) { answer = try client.sendAndWait(request) } catch { throw error.fault }
        let said = JSONValue(parsing: answer.body)
        if answer.status == 200, let said { return said }
        let reason = said?["error"]?["message"]?.text ?? "status \(answer.status)"
        guard (400..<500).contains(answer.status), answer.status != 429 else {
            throw Fault(.temporary, "\(email) cannot be signed in just now: \(reason)")
        }
        throw Fault(.permission, "\(email) is not signed in: \(reason)", remedy: "Is the password right, and does the account exist?")
    }
}
