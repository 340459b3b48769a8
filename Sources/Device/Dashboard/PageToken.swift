internal import Cryptography
package import Support

/// What a browser has to know to see the wearer's data: made once, kept beside the board's state, never logged.
package enum PageToken {
    package static var path: String { Places.state + "/dashboard.token" }

    /// - Throws: those of the file; `.configuration` where it is too short to be kept secret.
    package static func load(making isWanted: Bool = true) throws(Fault) -> String {
        if !Files.exists(path) {
            guard isWanted else { throw Fault(.noInput, "there is no page yet", remedy: "Start it: gaitway-dashboard.") }
            try Files.makeDirectory(Places.state)
            var random = SystemRandomNumberGenerator()
            let secret = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
            try Files.write(Array((Hexadecimal.text(secret) + "\n").utf8), to: path, isPrivate: true)
        }
        guard Files.isFile(path), try Files.isPrivate(path) else {
            throw Fault(
                .configuration, "\(path) is no file that its owner alone may read",
                remedy: "Remove it: a new token is made with the next start.")
        }
        let token = String(decoding: try Files.read(path, limit: 4096), as: UTF8.self).filter { !$0.isWhitespace }
        guard token.utf8.count >= 32, token.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
            throw Fault(.configuration, "\(path) has no token of 32 letters or more", remedy: "Remove it: a new one is made.")
        }
        return token
    }
}
