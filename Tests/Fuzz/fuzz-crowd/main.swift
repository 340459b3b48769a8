@testable import Crowd
@testable import CrowdLearning
@testable import CrowdServer
import FuzzDriver
import HubProtocol
@testable import RealtimeDatabase
@testable import Support
import WeightFiles

// crowd: what servers and files tell a device, and what a hub kept; database: what devices write; weights and form: what a hub receives.
let fresh = try CrowdOptimiser(CrowdParameters())

func crowd(_ bytes: [UInt8]) {
    let value = JSONValue(parsing: bytes) ?? .null
    if let task = try? CrowdTask(value) { _ = try? CrowdData(features: [1], dimension: 1, labels: [0]).require(task.model) }
    _ = try? CrowdVector.read(value)
    var handshake = Handshake(parameterIteration: 1), view = Handshake.View(), server = fresh
    (view.node, view.iteration, view.parameterIteration) = (UserNode(value), UserNode.whole(value["weightIter"]), 1)
    _ = handshake.look(view)
    _ = try? CrowdFiles.read(features: Driver.path, labels: Driver.path)
    _ = try? PrivacyBudget.read(Driver.path)
    _ = try? CrowdSettings(text: String(decoding: bytes, as: UTF8.self)).parameters.model()
    _ = (try? CrowdData(bytes: bytes), try? server.restore(bytes))
}

func database(_ bytes: [UInt8]) {
    var tree = DatabaseTree()
    for (path, node) in (try? Node.updates(bytes)) ?? [] { tree[NodePath(["users", "u"] + path.names)] = node }
    guard let node = try? Node.parse(bytes) else { return }
    // What is written comes back.
    let json = Node.json(node)
    guard let again = try? Node.parse(json) else { preconditionFailure("what was written cannot be read") }
    precondition(Node.json(again) == json)
    _ = (Node.shallow(node), Node.tag(node), Subscriptions.event("put", NodePath(), node))
}

func weights(_ bytes: [UInt8]) {
    guard let file = try? WeightFile(bytes) else { return }
    // What is written comes back; containers in the order of their names.
    precondition((try? WeightFile(file.bytes))?.values.count == file.values.count)
    precondition(file.with(file.values) == file)
}

func form(_ bytes: [UInt8]) {
    guard let form = MultipartForm(bytes, contentType: "multipart/form-data; boundary=b7") else { return }
    _ = (form.text("version"), form.file(named: "file")?.format)
}

Driver.run(ending: "input") {
    guard let bytes = try? Files.read(Driver.path, limit: 1 << 20) else { return }
    switch Driver.reader {
    case "database": database(bytes)
    case "weights": weights(bytes)
    case "form": form(bytes)
    default: crowd(bytes)
    }
}
