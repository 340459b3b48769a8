import Support

/// Events of the local stream for people.
enum FollowText {
    /// nil for what people need not read.
    static func line(_ event: JSONValue) -> String? {
        switch event["event"]?.text {
        case "hello": "following \(event["source"]?.text ?? "gaitway")"
        case "decision": decision(event)
        case "fall": "\(ISOTime.text(event["at"]?.number ?? 0))  \(Console.styled("fall: \(event["state"]?.text ?? "")", .red))"
        case "model": "the model is version \(whole(event["model_version"])) now"
        case "health" where event["samples_come"] == false: "no samples come: the sensor is away"
        case "lost": "\(whole(event["lines"])) lines were lost: this program was too slow"
        default: nil
        }
    }

    private static func decision(_ event: JSONValue) -> String {
        let activity = event["smoothed"]?.text ?? "", share = Decimals.text((event["confidence"]?.number ?? 0) * 100, places: 0).aligned(3)
        let place = event["placement"]?.text.map { "  at the \($0)" } ?? ""
        return "\(ISOTime.text(event["at"]?.number ?? 0))  \(Console.styled(activity.padded(18), .green))  \(share) %\(place)"
    }

    private static func whole(_ value: JSONValue?) -> String { Decimals.text(value?.number ?? 0, places: 0) }
}
