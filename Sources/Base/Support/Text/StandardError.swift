internal import Glibc

/// Standard error, for libraries whose callers know them as talkative. There is nobody to tell when that fails.
package enum StandardError {
    package static func write(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
