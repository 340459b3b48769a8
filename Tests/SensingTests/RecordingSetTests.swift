import Support
import TestHelpers
import Testing

@testable import Sensing

@Suite struct RecordingSetTests {
    private func write(_ directory: String, _ files: [String: String]) throws {
        for (file, text) in files { try Files.write(Array(text.utf8), to: "\(directory)/\(file)") }
    }

    /// 300 samples of counts 100 apart, at 2048 counts per g.
    private func made(index: String, labels: String, set: String = "a,25,2048") throws -> String {
        let directory = temporaryDirectory()
        try write(
            directory,
            [
                "set.csv": "name,rate_hz,counts_per_g\n\(set)\n", "labels.csv": "activity,label\n" + labels,
                "index.csv": "file,person,placement,activity,trial,first,last,note\n" + index,
            ])
        let counts = (0..<900).map { Int16($0 % 20 * 100) }
        try Files.write(
            counts.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }, to: "\(directory)/p.i16")
        return directory
    }

    @Test func rowsOfAFileAreOneWearing() throws {
        let directory = try made(
            index: "p.i16,p,torso,walk,1,0,99,\np.i16,p,torso,lie,1,100,199,\np.i16,p,torso,row,1,200,299,\n",
            labels: "walk,WALKING\nlie,SITTING|LAYING\nrow,unknown\n")
        let set = try RecordingSet(directory: directory)
        #expect(set.name == "a" && set.rate == 25_000 && set.people == ["p"] && set.placements == ["chest"])
        let stream = try set.stream(of: try #require(set.entries.first))
        #expect(set.entries.count == 1 && stream.pieces.count == 3 && stream.pieces.allSatisfy { $0.samples.count == 300 })
        #expect(stream.pieces.map { $0.stretches[0].labels } == [["WALKING"], ["SITTING", "LAYING"], []])
        // 100 counts at 2048 a g are 200 in Q3.12.
        #expect(Array(stream.pieces[0].samples.prefix(3)) == [0, 200, 400])
    }

    @Test func anEmptyLabelIsUnknownToo() throws {
        let directory = try made(index: "p.i16,p,waist,lift,1,0,99,\n", labels: "lift,\n")
        let set = try RecordingSet(directory: directory)
        #expect(try set.stream(of: set.entries[0]).pieces[0].stretches[0].labels == [])
    }

    @Test(arguments: [
        ("p.i16,p,waist,fly,1,0,99,\n", "walk,WALKING\n", "a,50,2048", "labels.csv has no activity \"fly\""),
        ("p.i16,p,waist,walk,1,99,0,\n", "walk,WALKING\n", "a,50,2048", "index.csv:2: samples 99 to 0 are not a stretch"),
        ("../p.i16,p,waist,walk,1,0,9,\n", "walk,WALKING\n", "a,50,2048", "not a plain file name"),
        ("p.i16,p,waist,walk,1,0,9,\n", "walk,WALKING\n", "a,1e9,2048", "cannot be used"),
        ("p.i16,p,waist,walk,1,0,9,\n", "walk,WALKING\n", "a,50,nan", "cannot be used"),
        ("p.i16,p,waist,walk,1,0,9,\n", "walk,WALKING\n", "a,50,2048\nb,25,1000", "set.csv has 2 rows"),
        ("", "walk,WALKING\n", "a,50,2048", "no recordings"),
        ("p.i16,p,waist,walk,1,0,x,\n", "walk,WALKING\n", "a,50,2048", "not a whole number"),
        ("p.i16,p\u{1b}[2J,waist,walk,1,0,9,\n", "walk,WALKING\n", "a,50,2048", "index.csv:2: \"p\\u{1b}[2J\" cannot be a name"),
        ("p.i16,p,,walk,1,0,9,\n", "walk,WALKING\n", "a,50,2048", "index.csv:2: \"\" cannot be a name"),
        ("p.i16,p,waist,walk,1,0,9,\n", "sit,SITTING\nwalk,A|\u{202e}B\n", "a,50,2048", "labels.csv:3: \"\\u{202e}B\""),
        ("p.i16,p,waist,walk,1,0,9,\"slow\n", "walk,WALKING\n", "a,50,2048", "index.csv:2: the quotes of a cell are not closed"),
        ("p.i16,\"p\" q,waist,walk,1,0,9,\n", "walk,WALKING\n", "a,50,2048", "index.csv:2: text follows the quotes"),
        ("p.i16,p,waist,walk,1,0,9,\"a\nb\",x\n", "walk,WALKING\n", "a,50,2048", "index.csv:2: expected 8 fields, found 9"),
    ]) func badTablesAreRefused(_ index: String, _ labels: String, _ set: String, _ words: String) throws {
        let directory = try made(index: index, labels: labels, set: set)
        let fault = #expect(throws: Fault.self) { _ = try RecordingSet(directory: directory) }
        #expect(try #require(fault).message.contains(words), "\(fault?.message ?? "")")
    }

    @Test func aSetCountsOnce() throws {
        let index = "p.i16,p,waist,walk,1,0,99,\n", first = try made(index: index, labels: "walk,WALKING\n")
        #expect(try RecordingSet.all([first, try made(index: index, labels: "walk,WALKING\n")]).count == 2)
        let fault = #expect(throws: Fault.self) { try RecordingSet.all([first, "\(first)/."]) }
        #expect(fault?.message == "\(first)/. is named twice")
    }

    @Test func cellsMayBeQuoted() throws {
        let directory = try made(
            index:
                "\"p.i16\",\"p, the \"\"first\"\"\", \"waist\" ,walk,1,0,99,\"slow, and\r\nlong\"\r\n\np.i16,q,waist,\"walk\",1,100,199,",
            labels: "walk,\"WALKING\"\n")
        let set = try RecordingSet(directory: directory)
        #expect(set.people == ["q", "p, the \"first\""] && set.placements == ["waist"])
        #expect(set.entries.map(\.ranges) == [[0..<100], [100..<200]])
        try write(directory, ["index.csv": "file,person,placement,activity,first,last\n\"p.i16\",\"p\",waist,walk,\"a\nb\",9\np.i16,\n"])
        let fault = #expect(throws: Fault.self) { _ = try RecordingSet(directory: directory) }
        #expect(try #require(fault).message.contains("index.csv:4: expected 6 fields, found 2"), "lines within cells count")
    }

    @Test(arguments: [
        ("Waist", "waist"), ("left hip", "waist"), ("pocket_front_left", "pocket"), ("Right trouser-pocket", "pocket"),
        ("left_front_trouser_pocket", "pocket"), ("back_pocket", "back_pocket"), ("jacket pocket", "jacket_pocket"), ("right_leg", "thigh"),
        ("leg", "leg"), ("torso", "chest"), ("wrist-left", "wrist"), ("LeftWrist", "wrist"), ("l_wrist", "wrist"),
        ("wrist (left)", "wrist"),
        ("right_arm", "wrist"), ("left_upper_arm", "upper_arm"), ("Left Ankle", "ankle"), ("left", "left"), ("Purse", "purse"),
    ]) func placesHaveOneName(name: String, place: String) { #expect(RecordingSet.place(name) == place) }

    @Test func theColumnsOfAHeaderAreNamed() {
        let fault = #expect(throws: Fault.self) { _ = try CSVTable(Array("time,ax,ay\n".utf8), path: "a.csv", columns: ["time", "x"]) }
        #expect(fault?.remedy == "Its columns are to be time, x; they are time, ax, ay.")
    }

    @Test func labelledStretchesBecomeRecordings() throws {
        let directory = try made(
            index: "p.i16,p,waist,walk,1,0,99,\np.i16,p,waist,row,1,100,199,\np.i16,p,waist,lie,1,200,299,\np.i16,q,waist,walk,1,0,73,\n",
            labels: "walk,WALKING\nlie,SITTING|LAYING\nrow,unknown\n")
        let set = try RecordingSet(directory: directory)
        var taken = RecordingSet.Taken(), looked: [String] = []
        for entry in set.entries { try set.add(entry, to: &taken) { looked.append($0.person) } }
        #expect(
            taken.recordings.map(\.recording.label) == ["WALKING", "SITTING|LAYING"]
                && taken.recordings.allSatisfy { $0.recording.rate == 25_000 })
        #expect(taken.unlabelled == 1 && taken.short == 1 && looked == ["p", "q"])
        #expect(taken.recordings[1].recording.samples == Array(try set.stream(of: set.entries[0]).pieces[2].samples))
        let store = try RecordingStore(making: temporaryDirectory())
        #expect(try store.add(taken.recordings).count == 2 && store.labels() == ["WALKING", "SITTING|LAYING"], "the later one is later")
        let twins = [
            (Recording(label: "a", rate: 50_000, samples: []), CalendarTime(nanoseconds: 0)),
            (Recording(label: "A", rate: 50_000, samples: []), CalendarTime(nanoseconds: 0)),
        ]
        #expect(throws: Fault.self) { try store.add(twins) }
        #expect(try store.entries().count == 2, "nothing of what cannot all be kept")
    }

    @Test func aRowBeyondItsFileIsRefused() throws {
        let directory = try made(index: "p.i16,p,waist,walk,1,0,300,\n", labels: "walk,WALKING\n"),
            set = try RecordingSet(directory: directory)
        let fault = #expect(throws: Fault.self) { _ = try set.stream(of: set.entries[0]) }
        #expect(try #require(fault).message.contains("sample 301 of 300"))
    }

    @Test func peopleAndPlacementsAreChosen() throws {
        let sets = [
            try RecordingSet(directory: simulatedSet(people: 3)), try RecordingSet(directory: simulatedSet(people: 2, placement: "wrist")),
        ]
        #expect(try RecordingSet.entries(of: sets, people: [], placements: []).count == 5)
        #expect(try RecordingSet.entries(of: sets, people: ["s3"], placements: []).count == 1)
        #expect(try RecordingSet.entries(of: sets, people: ["s1", "s2"], placements: ["wrist"]).map(\.entry.person) == ["s1", "s2"])
        #expect(throws: Fault.self) { _ = try RecordingSet.entries(of: sets, people: ["s9"], placements: []) }
        #expect(throws: Fault.self) { _ = try RecordingSet.entries(of: sets, people: [], placements: ["ankle"]) }
    }

    @Test func rangesAt50HzLieInside() {
        #expect((10..<20).at50Hz(50_000) == 10..<20)
        #expect((10..<20).at50Hz(25_000) == 20..<40)
        #expect((1..<100).at50Hz(102_400) == 1..<48)
    }
}

@Suite struct LifeStreamTests {
    private static let names = ["STANDING", "SITTING", "LAYING", "WALKING", "STAND_TO_SIT", "SIT_TO_STAND", "SIT_TO_LIE", "LIE_TO_SIT"]

    /// Ten seconds of each: sample values tell what they are of.
    private func stream() -> LabelledStream {
        let samples = Self.names.indices.flatMap { [Int16](repeating: Int16($0), count: 1500) }
        let stretches = Self.names.enumerated().map { index, name in
            LabelledStream.Stretch(
                range: index * 500..<(index + 1) * 500, activity: name, labels: name.contains("_TO_") ? nil : [name])
        }
        return LabelledStream(
            name: "1", person: "p", placement: "waist", rate: 50_000, pieces: [.init(samples: samples, stretches: stretches)])
    }

    @Test func activitiesFollowEachOtherThroughTransitions() throws {
        let life = try #require(LifeStream.chained(stream(), seed: 3)), piece = life.pieces[0]
        var end = 0
        for (index, stretch) in piece.stretches.enumerated() {
            #expect(stretch.range.lowerBound == end && !stretch.range.isEmpty)
            end = stretch.range.upperBound
            let own = Int16(Self.names.firstIndex(of: stretch.activity) ?? -1)
            #expect(piece.samples[stretch.range.lowerBound * 3..<end * 3].allSatisfy { $0 == own })
            if stretch.labels != nil { #expect(stretch.range.count >= 250) }
            guard index > 0, stretch.labels != nil, piece.stretches[index - 1].labels != nil else { continue }
            // Without a transition between them only walking begins and ends standing.
            #expect(Set([stretch.activity, piece.stretches[index - 1].activity]) == ["WALKING", "STANDING"])
        }
        #expect(end * 3 == piece.samples.count && piece.stretches.count { $0.labels != nil } == 40)
    }

    @Test func aSeedGivesOneOrder() {
        #expect(LifeStream.chained(stream(), seed: 3)?.pieces == LifeStream.chained(stream(), seed: 3)?.pieces)
        #expect(LifeStream.chained(stream(), seed: 3)?.pieces != LifeStream.chained(stream(), seed: 4)?.pieces)
    }

    /// One that a set counts as an activity, and calls like a transition, leads from nothing to nothing: any follows any.
    @Test func whatIsCalledLikeATransitionIsNone() throws {
        var stream = stream()
        for index in stream.pieces[0].stretches.indices {
            stream.pieces[0].stretches[index].activity = ["still", "SIT_TO_STAND", "walk", "lie"][index % 4]
            stream.pieces[0].stretches[index].labels = ["STANDING"]
        }
        #expect(try #require(LifeStream.chained(stream, seed: 3)).pieces[0].stretches.count == 40)
    }

    @Test func oneActivityHasNoOtherOrder() {
        var stream = stream()
        stream.pieces[0].stretches = [stream.pieces[0].stretches[0]]
        #expect(LifeStream.chained(stream, seed: 1) == nil)
    }
}
