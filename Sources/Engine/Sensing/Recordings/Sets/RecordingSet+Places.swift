extension RecordingSet {
    /// Places of the body that have a name of ours; others are known by the name that a set gives them.
    package static let knownPlacements = ["waist", "pocket", "thigh", "chest", "wrist"]

    // What other sets call them, without their side. A pocket at the back and an upper arm are other places.
    private static let names = [
        "waist": ["belt", "hip", "lower_back", "lumbar"],
        "pocket": ["front_pocket", "pocket_front", "pants_pocket", "trouser_pocket", "trousers_pocket"],
        "thigh": ["upper_leg"],
        "chest": ["sternum", "torso"],
        "wrist": ["forearm", "lower_arm"],
    ]
    // DSADS wore what it calls arms and legs at the wrist and above the knee.
    private static let sided = ["left_arm": "wrist", "right_arm": "wrist", "left_leg": "thigh", "right_leg": "thigh"]

    /// Our name of a place of the body that a set has a name of its own for.
    static func place(_ name: String) -> String {
        let words = name.lowercased().split { "_- ".contains($0) }, whole = words.joined(separator: "_")
        let sideless = words.filter { !["left", "right"].contains($0) }.joined(separator: "_")
        if knownPlacements.contains(sideless) { return sideless }
        return names.first { $0.value.contains(sideless) }?.key ?? sided[whole] ?? name
    }
}
