extension RecordingSet {
    /// Places of the body that have a name of ours; others are known by the name that a set gives them, without its side.
    package static let knownPlacements = ["waist", "pocket", "thigh", "chest", "wrist"]

    // What other sets call them. An upper arm is another place.
    private static let names = [
        "waist": ["belt", "hip", "lower_back", "lumbar", "pelvis"], "thigh": ["upper_leg"], "chest": ["sternum", "torso"],
        "wrist": ["forearm", "lower_arm"],
    ]
    // DSADS wore what it calls arms and legs at the wrist and above the knee.
    private static let sided = ["left_arm": "wrist", "right_arm": "wrist", "left_leg": "thigh", "right_leg": "thigh"]
    private static let sides: Set = ["left", "right", "l", "r"]
    // A pocket at the back, or of what is worn above, is another place.
    private static let ofPocket: Set = ["front", "side", "trouser", "trousers", "pants", "jeans", "pocket"]

    /// Our name of a place of the body that a set has a name of its own for.
    static func place(_ name: String) -> String {
        let all = words(name), words = all.filter { !sides.contains($0) }, sideless = words.joined(separator: "_")
        guard !words.isEmpty else { return name }
        if words.contains("pocket"), ofPocket.isSuperset(of: words) { return "pocket" }
        if let ours = names.first(where: { $0.value.contains(sideless) }) { return ours.key }
        return sided[all.joined(separator: "_")] ?? sideless
    }

    // "LeftWrist", "left-wrist", "Wrist (left)" have the same ones.
    private static func words(_ name: String) -> [String] {
        var words = [""], before: Character = "_"
        for character in name {
            if "_-. ()/,".contains(character) || character.isUppercase && before.isLowercase { words.append("") }
            if !"_-. ()/,".contains(character) { words[words.count - 1] += character.lowercased() }
            before = character
        }
        return words.filter { !$0.isEmpty }
    }
}
