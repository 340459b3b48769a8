internal import Crypto

/// HMAC with SHA-256.
public enum MessageCode {
    public static func of(_ message: some Sequence<UInt8>, key: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array(message), using: SymmetricKey(data: key)))
    }
}
