internal import Crypto
package import Support
internal import SystemPackage

/// Digests of a file of any size, read once. SHA-1 and MD5 prove nothing: protocols name them.
package struct FileDigests: Sendable, Equatable {
    /// Bytes.
    package let size: Int64
    /// Hexadecimal digits.
    package let sha256: String, sha1: String, md5: String

    private static let piece = 1 << 18

    /// - Throws: `.noInput` or `.permission` when the file cannot be read.
    package init(ofFile path: String) throws(Fault) {
        do {
            let file = try FileDescriptor.open(FilePath(path), .readOnly, options: [.closeOnExec])
            defer { try? file.close() }
            var sha256 = SHA256(), sha1 = Insecure.SHA1(), md5 = Insecure.MD5(), size: Int64 = 0
            var buffer = [UInt8](repeating: 0, count: Self.piece)
            while true {
                let count = try unsafe buffer.withUnsafeMutableBytes { unsafe try file.read(into: $0, retryOnInterrupt: true) }
                guard count > 0 else { break }
                unsafe buffer.withUnsafeBytes { bytes in
                    let part = unsafe UnsafeRawBufferPointer(rebasing: bytes[..<count])
                    unsafe sha256.update(bufferPointer: part)
                    unsafe sha1.update(bufferPointer: part)
                    unsafe md5.update(bufferPointer: part)
                }
                size += Int64(count)
            }
            self.size = size
            self.sha256 = Hexadecimal.text(sha256.finalize())
            self.sha1 = Hexadecimal.text(sha1.finalize())
            self.md5 = Hexadecimal.text(md5.finalize())
        } catch let error as Errno {
            throw Fault(opening: path, error)
        } catch {
            throw Fault(.failure, "cannot read \(path): \(error)")
        }
    }
}
