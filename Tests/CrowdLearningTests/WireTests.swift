import Glibc
import Support
import Testing

@testable import CrowdLearning

@Suite struct WireTests {
    private func value(_ json: String) throws -> JSONValue { try #require(JSONValue(parsing: Array(json.utf8))) }

    /// All shapes of a vector that clients and servers have written.
    @Test(arguments: [
        ("[1,2.5]", [1, 2.5]), (#"{"0":1,"1":2.5}"#, [1, 2.5]), ("[[1,2.5],[7,-1]]", [1, 2.5]), (#"["1","2.5"]"#, [1, 2.5]),
    ])
    func vectors(_ json: String, _ wanted: [Double]) throws { #expect(try CrowdVector.read(try value(json)) == wanted) }

    @Test(arguments: ["null", "[]", "{}"]) func nothing(_ json: String) throws { #expect(try CrowdVector.read(try value(json)) == nil) }

    @Test(arguments: ["3", #""x""#, #"{"1":1}"#, #"{"0":1,"x":2}"#, #"["inf"]"#, #"["nan"]"#, "[1,null]", "[1,[2]]"]) func noVectors(
        _ json: String
    ) throws {
        let value = try value(json)
        #expect(throws: Fault.self) { try CrowdVector.read(value) }
    }

    @Test func parametersOfAllGenerations() throws {
        let node = try CrowdParameters(
            try value(
                #"{"paramIter":3,"D":785,"K":1,"L":"1e-6","N":60000,"clientBatchSize":"10","lossFunction":"LogReg","#
                    + #""noiseDistribution":"Gauss","noiseScale":0.5,"naughtRate":2,"descentAlg":"tf"}"#
            ))
        #expect(
            node.iteration == 3 && node.features == 785 && node.classes == 2 && node.decay == 1e-6 && node.batch == 10
                && node.loss == .logistic && node.noiseScale == 0.5 && node.rate == 2)
        #expect(try CrowdParameters(try value(#"{"lossFunction":"NNdemo1","K":10,"D":784}"#)).model().hidden == 200)
        #expect(try CrowdParameters(CrowdParameters().json) == CrowdParameters())
        for bad in [
            #"{"D":0}"#, #"{"D":1.5}"#, #"{"K":100000}"#, #"{"L":-1}"#, #"{"L":"inf"}"#, #"{"lossFunction":"Poisson"}"#, #"{"D":"x"}"#,
            "[1]",
        ] {
            let value = try value(bad)
            #expect(throws: Fault.self, "\(bad)") { try CrowdParameters(value) }
        }
    }

    @Test func filesOfAllSpellings() throws {
        for (features, labels, separator) in [
            ("TrainingFeature.dat", "TrainLabel.dat", " "), ("trainingFeature.dat", "trainingLabel.dat", ","),
            ("MNISTTrainImages.dat", "MNISTTrainLabels.dat", "\t"), ("binaryTrainImages.dat", "binaryTrainLabels.dat", "  "),
        ] {
            let directory = try directory(), rows = [["0", "255", "1"], ["3.5", "-1e-2", "1"]]
            try Files.write(
                Array((rows.map { $0.joined(separator: separator) }.joined(separator: "\r\n") + "\n\n").utf8),
                to: "\(directory)/\(features)")
            try Files.write(Array("1\n-1\n\n".utf8), to: "\(directory)/\(labels)")
            let data = try CrowdFiles.read(directory, .training)
            #expect(data.features == [0, 255, 1, 3.5, -0.01, 1] && data.labels == [1, 0] && data.dimension == 3 && !data.isNormalised)
            let normalised = data.normalised()
            #expect(normalised.isNormalised && abs(normalised.features(of: 0).reduce(0) { $0 + abs($1) } - 1) < 1e-12)
            #expect(try CrowdData(bytes: data.bytes).features == data.features)
        }
        let directory = try directory()
        #expect(throws: Fault.self) { try CrowdFiles.read(directory, .training) }
        for (features, labels) in [
            ("1 2\n3\n", "0\n1\n"), ("1 x\n", "0\n"), ("1 2\n", "0\n1\n"), ("1 2\n", "0.5\n"), ("1 nan\n", "0\n"), ("", "0\n"),
            ("1 2\n", "0 1\n"),
        ] {
            try Files.write(Array(features.utf8), to: directory + "/trainingFeature.dat")
            try Files.write(Array(labels.utf8), to: directory + "/trainingLabel.dat")
            #expect(throws: Fault.self, "\(features)") { try CrowdFiles.read(directory, .training) }
        }
    }

    private func directory() throws -> String {
        var template = Array("/tmp/gaitway-crowd-XXXXXX".utf8CString)
        return String(cString: try #require(mkdtemp(&template)))
    }

    @Test func noSampleComesTwiceInAnEpoch() {
        var sampler = BatchSampler(count: 10, using: RandomNumbers(seed: 1))
        for epoch in 1...5 {
            let drawn = (0..<3).flatMap { _ in sampler.batch(3) }
            #expect(Set(drawn).count == 9 && sampler.epoch == epoch)
        }
        #expect(sampler.batch(100).sorted() == Array(0..<10))
    }

    @Test func labelsByName() throws {
        let data = try CrowdData(features: [1, 2, 3], dimension: 1, labels: [0, 1, 2])
        let found = try data.relabelled(from: ["Walking upstairs", "dancing", "sitting"], to: ["SITTING", "WALKING_UPSTAIRS"])
        #expect(found.features == [1, 3] && found.labels == [1, 0])
        #expect(throws: Fault.self) { try data.relabelled(from: ["a", "b", "c"], to: ["d"]) }
    }
}
