import ArgumentParser
import Settings
import Support

/// How the sensor is worn, as far as the user says so.
struct WearingOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The place of the body: waist, pocket, thigh, chest, wrist. (default: auto, the model finds it)"))
    var placement: String?
    @Option(
        parsing: .unconditional, // "-y" is an axis, not a flag
        help: ArgumentHelp(
            "The sensor's axis towards the head of the wearer who stands: x, y, z, -x, -y, -z. (default: learnt from walking)",
            valueName: "axis"))
    var up: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The one towards the wearer's front. (default: learnt from walking)", valueName: "axis"))
    var forward: String?

    func override(_ settings: inout Settings) throws(Fault) {
        try settings.override(\.placement, placement)
        try settings.override(\.up, up)
        try settings.override(\.forward, forward)
    }
}
