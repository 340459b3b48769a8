internal import Crypto

/// HMAC with SHA-256.
package enum MessageCode {
    package static func of(_ message: some Sequence<UInt8>, key: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array(message), using: SymmetricKey(data: key)))
    }

    /// Whether it is the message's; how long that takes tells nothing of where they differ.
    package static func isValid(_ code: [UInt8], of message: some Sequence<UInt8>, key: [UInt8]) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: Array(message), using: SymmetricKey(data: key))
    }
}
