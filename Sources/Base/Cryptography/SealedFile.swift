internal import Crypto
internal import FoundationEssentials
package import Support

/// Files that are written piece by piece and that the holder of a private key alone can read.
///
/// HPKE (RFC 9180) in base mode with DHKEM(P-256, HKDF-SHA256), HKDF-SHA256 and AES-256-GCM; `info` is "gaitway rows". A file is
/// "GWSEAL1\n", the encapsulated key (65 bytes), then each piece: the length of its sealed form (UInt32, little-endian) and that form,
/// sealed in order with no `aad`. The last piece is empty and has the `aad` "end": a file without it was cut off.
package enum SealedFile {
    /// What names of such files end with.
    package static let suffix = ".hpke"

    fileprivate static let magic = Array("GWSEAL1\n".utf8), encapsulated = 65, tag = 16
    /// Bytes of a piece before it is sealed, at most.
    fileprivate static let mostPiece = 1 << 20
    fileprivate static let info = Data("gaitway rows".utf8), end = Data("end".utf8)
    fileprivate static var suite: HPKE.Ciphersuite { .P256_SHA256_AES_GCM_256 }
    fileprivate static var head: Int { magic.count + encapsulated }

    /// How far such a file is whole, told without any key.
    package struct Check: Sendable {
        /// Bytes of the head and of whole pieces, from the start.
        package private(set) var whole = 0
        /// Whole pieces, the empty one at the end not counted.
        package private(set) var pieces = 0
        private var position = 0, length = 0, missing = 0, isBroken = false
        private var field: UInt32 = 0
        // In a row: a power cut may leave zeros at the end of a piece, and no seal ends with eight of them.
        private var zeros = 0

        package init() {}

        package mutating func take(_ bytes: some Sequence<UInt8>) {
            for byte in bytes {
                guard !isBroken else { return }
                take(byte)
            }
        }

        private mutating func take(_ byte: UInt8) {
            defer { position += 1 }
            if position < head {
                isBroken = position < magic.count && byte != magic[position]
                if position == head - 1 { whole = head }
                return
            }
            let place = position - whole
            if place < 4 {
                field = (place == 0 ? 0 : field) | UInt32(byte) << UInt32(8 * place)
                if place == 3 {
                    length = Int(clamping: field)
                    isBroken = !(tag...tag + mostPiece).contains(length)
                    missing = length
                }
                return
            }
            missing -= 1
            zeros = byte == 0 ? zeros + 1 : 0
            guard missing == 0 else { return }
            isBroken = zeros >= 8
            guard !isBroken else { return }
            whole = position + 1
            if length > tag { pieces += 1 }
        }
    }
}

/// A public key that files are sealed to.
package struct SealingKey: Sendable {
    fileprivate let key: P256.KeyAgreement.PublicKey

    /// - Parameter pem: "BEGIN PUBLIC KEY" on P-256, as `openssl ec -pubout` writes it.
    /// - Throws: `.configuration` naming `path`.
    package init(pem: String, path: String) throws(Fault) {
        guard let block = PEM.blocks(in: pem, ending: "PUBLIC KEY").first,
            let key = try? P256.KeyAgreement.PublicKey(pemRepresentation: block)
        else {
            throw Fault(.configuration, "\(path) is no public key on P-256", remedy: "openssl ec -in private.pem -pubout -out \(path)")
        }
        self.key = key
    }

    /// - Throws: also those of ``Files/read(_:limit:)``.
    package init(file path: String) throws(Fault) { try self.init(pem: try PEM.text(path), path: path) }
}

/// Seals a file's pieces.
package struct Sealer: Sendable {
    private var sender: HPKE.Sender

    /// What the file begins with.
    package var head: [UInt8] { SealedFile.magic + sender.encapsulatedKey }

    /// - Throws: `.failure`.
    package init(to key: SealingKey) throws(Fault) {
        guard let sender = try? HPKE.Sender(recipientKey: key.key, ciphersuite: SealedFile.suite, info: SealedFile.info) else {
            throw Fault(.failure, "nothing can be sealed to that key")
        }
        self.sender = sender
    }

    /// The next piece, 1 byte to 1 MB, as it goes into the file. Each has to go there, in this order.
    ///
    /// - Throws: `.failure`.
    package mutating func seal(_ piece: ArraySlice<UInt8>) throws(Fault) -> [UInt8] { try seal(Data(piece), authenticating: Data()) }

    /// What says that the file is whole.
    ///
    /// - Throws: `.failure`.
    package mutating func end() throws(Fault) -> [UInt8] { try seal(Data(), authenticating: SealedFile.end) }

    private mutating func seal(_ piece: Data, authenticating data: Data) throws(Fault) -> [UInt8] {
        guard piece.count <= SealedFile.mostPiece, let sealed = try? sender.seal(piece, authenticating: data) else {
            throw Fault(.failure, "a piece of \(piece.count) bytes could not be sealed")
        }
        return (0..<4).map { UInt8(truncatingIfNeeded: sealed.count >> (8 * $0)) } + sealed
    }
}

/// The private key of sealed files.
package struct OpeningKey: Sendable {
    private let key: P256.KeyAgreement.PrivateKey

    /// - Parameter pem: "BEGIN EC PRIVATE KEY" or "BEGIN PRIVATE KEY", as openssl writes them.
    /// - Throws: `.badData` naming `path`.
    package init(pem: String, path: String) throws(Fault) {
        guard let block = PEM.blocks(in: pem, ending: "PRIVATE KEY").first,
            let key = try? P256.KeyAgreement.PrivateKey(pemRepresentation: block)
        else { throw Fault(.badData, "\(path) is no private key on P-256 (or it has a passphrase)") }
        self.key = key
    }

    /// - Throws: also those of ``Files/read(_:limit:)``.
    package init(file path: String) throws(Fault) { try self.init(pem: try PEM.text(path), path: path) }

    /// How a sealed file ends.
    package enum End: Sendable, Equatable {
        case whole
        /// After its last whole piece.
        case cutOff
        /// What stands from that byte on is not what was sealed.
        case damaged(Int)
    }

    /// What was sealed into a file.
    ///
    /// - Parameters:
    ///   - name: for messages.
    ///   - take: is given each piece, as far as the file is whole.
    /// - Throws: `.badData` for what is no sealed file; `.permission` where its first piece was sealed to another key.
    package func open(_ bytes: [UInt8], name: String, take: ([UInt8]) throws(Fault) -> Void) throws(Fault) -> End {
        let head = SealedFile.head
        guard bytes.count >= head, bytes.starts(with: SealedFile.magic),
            var recipient = try? HPKE.Recipient(
                privateKey: key, ciphersuite: SealedFile.suite, info: SealedFile.info,
                encapsulatedKey: Data(bytes[SealedFile.magic.count..<head]))
        else { throw Fault(.badData, "\(name) is no sealed file") }
        var place = head
        while bytes.count - place >= 4 {
            let length = Int(clamping: (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[place + $1]) << UInt32(8 * $1) })
            guard (SealedFile.tag...SealedFile.tag + SealedFile.mostPiece).contains(length) else { return .damaged(place) }
            let next = place + 4 + length
            guard next <= bytes.count else { return .cutOff }
            let sealed = Data(bytes[place + 4..<next])
            if length == SealedFile.tag {
                let isEnd = (try? recipient.open(sealed, authenticating: SealedFile.end)) != nil
                return isEnd && next == bytes.count ? .whole : .damaged(place)
            }
            guard let piece = try? recipient.open(sealed, authenticating: Data()) else {
                guard place == head else { return .damaged(place) }
                throw Fault(.permission, "\(name) was sealed to another key, or damaged")
            }
            try take(Array(piece))
            place = next
        }
        return .cutOff
    }
}
