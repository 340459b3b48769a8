internal import Sensing
internal import Support

/// A recording set of simulated wearers, each with the sensor turned another way: a row for each activity, longer ones of walking.
///
/// - Parameters:
///   - people: how many; they are called s1, s2, ...
///   - walk: what the simulated wearer does where the set says that he walks.
/// - Returns: its directory, which nobody deletes.
package func simulatedSet(people: Int, placement: String = "waist", walk: String = "walk") throws -> String {
    let directory = temporaryDirectory()
    let activities = [("walk", "WALKING", 60), ("sit", "SITTING", 20), ("stand", "STANDING", 20), ("lie", "LAYING", 20)]
    var index = "file,person,placement,activity,trial,first,last,note\n"
    for person in 1...people {
        var random = RandomNumbers(seed: UInt64(person)), all: [Int16] = []
        let rotation = random.rotation()
        for (name, _, seconds) in activities {
            var block = SampleBlock(capacity: seconds * 50)
            let motion = name == "walk" ? walk : name
            _ = try SimulatedWearer(try SimulatedWearer.Script("seed=\(person),\(motion)=\(seconds)")).read(into: &block)
            index += "s\(person).i16,s\(person),\(placement),\(name),1,\(all.count / 3),\(all.count / 3 + block.count - 1),\n"
            all += block.samples.prefix(block.count * 3)
        }
        let stream = LabelledStream(
            name: "", person: "", placement: "", rate: 50_000, pieces: [.init(samples: all, stretches: [])]
        ).turned(rotation)
        let bytes = stream.pieces[0].samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        try Files.write(bytes, to: "\(directory)/s\(person).i16")
    }
    let labels = activities.map { "\($0.0),\($0.1)\n" }.joined()
    for (file, text) in [
        ("set.csv", "name,rate_hz,counts_per_g\nsimulated,50,4096\n"), ("labels.csv", "activity,label\n" + labels), ("index.csv", index),
    ] {
        try Files.write(Array(text.utf8), to: "\(directory)/\(file)")
    }
    return directory
}
