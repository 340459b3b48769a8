internal import HTTPTypes
internal import HubStore
internal import Hummingbird

/// Which scope a request of a device takes, by its path.
enum RequiredScope {
    /// nil for what any token may do.
    static func of(_ request: Request) -> Scope? {
        var path = request.uri.path.split(separator: "/")[...]
        guard path.popFirst() == "api", path.popFirst() != nil, let first = path.first else { return nil }
        let reads = request.method == .get || request.method == .head
        return switch first {
        case "telemetry", "inference": .writesTelemetry
        case "experiments": path.last == "events" || path.last == "gradients" ? .writesTelemetry : .readsModels
        case "training", "federations": reads ? .readsTraining : .writesTraining
        case "models", "files": .readsModels
        case "devices" where path.contains("models") || path.last == "assignments": .readsModels
        case "devices": reads ? .readsDevice : .writesDevice
        default: nil
        }
    }
}
