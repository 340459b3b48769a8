import Cryptography
@testable import Fleet
import FoundationEssentials
import FuzzDriver
import Glibc
@testable import History
import HubProtocol
@testable import ObjectStores
@testable import Support
@testable import SwiftyForesight
@testable import Transport
@testable import Updates
@testable import Upload

// answer: what a server says; offer: what it has a board fetch; spool, history: what a power cut leaves; settings: files of people and
// other programs.
let home = "/dev/shm/gaitway-fuzz-\(getpid())"
let opening = try? OpeningKey(pem: SigningKey().pem, path: "key")

func answer(_ bytes: [UInt8]) {
    var response = HTTPResponse()
    response.status = 200 + Int(bytes.first ?? 0) * 2
    response.headers = [
        "retry-after": String(decoding: bytes.prefix(6), as: UTF8.self), "date": String(decoding: bytes.prefix(30), as: UTF8.self),
    ]
    response.body = bytes
    let error = AWSError(response)
    _ = (error.failure("fuzz"), error.isAboutCredentials, ServerClock().follows(response))
    let value = JSONValue(parsing: bytes) ?? .null
    _ = DeviceTokens(answer: value, orgId: "o", deviceIdentifier: "d", now: Date(timeIntervalSince1970: 0))
    _ = FleetAPI(base: "https://h", allowsHTTP: false).fault(FleetAPI.Answer(status: response.status, body: value, headers: [:]), "p")
    for element in ["Key", "Code", "IsTruncated"] { _ = XMLText.all(element, in: bytes).map(PercentEncoding.decoded) }
}

func spool(_ bytes: [UInt8]) {
    guard let spool = try? Spool(home, user: "u") else { return }
    for place in [spool.writing, spool.pending] {
        try? Files.write(bytes, to: "\(place)/u_20260101000000_data.csv")
        try? Files.write(bytes, to: "\(place)/u_20260101000001_data.csv.hpke")
    }
    try? Files.write(bytes, to: "\(spool.attributes)/u_20260101000000_data.csv.json")
    for name in ["newest", "counts.json", "label.json"] { try? Files.write(bytes, to: "\(home)/\(name)") }
    _ = try? opening?.open(bytes, name: "it") { _ in }
    _ = try? spool.newName(at: 1_790_000_000)
    _ = try? spool.recover()
    _ = (try? spool.status(), spool.attributes(of: "u_20260101000000_data.csv"), UserLabel.current(in: home))
    _ = try? spool.clear()
}

func settings(_ bytes: [UInt8]) {
    _ = try? AWSConfiguration(file: Driver.path)
    _ = try? Credentials(file: Driver.path)
    let text = String(decoding: bytes, as: UTF8.self)
    _ = (try? Endpoint(text), try? QuietHours(text))
    for name in ["local", "remote"] { try? Files.write(bytes, to: "\(home)/libraerrorlogs_\(name).plist") }
    _ = try? FailedUploads(directory: home).entries()
}

func offer(_ bytes: [UInt8]) {
    _ = ((try? ProgramRelease(bytes, name: "it"))?.number, try? SystemImage(bytes, name: "it").bytes)
    _ = JSONValue(parsing: bytes).flatMap { try? HawkBitAction($0) }
}

// Lines get the checksum that lets them pass.
func history(_ bytes: [UInt8]) {
    let rows = bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
        let body = String(decoding: line, as: UTF8.self) + ","
        return HistoryRow(line: Substring(body + Checksum.text(Checksum.crc32(body.utf8))))
    }
    let day = Day("it", from: 0, to: 86_400_000, rows: rows)
    _ = (DayText.text(day, now: 43_200_000), DayText.json(day))
}

try? Files.makeDirectory(home)
Driver.run(ending: "input") {
    guard let bytes = try? Files.read(Driver.path, limit: 1 << 20) else { return }
    switch Driver.reader {
    case "spool": spool(bytes)
    case "offer": offer(bytes)
    case "history": history(bytes)
    case "settings": settings(bytes)
    default: answer(bytes)
    }
}
