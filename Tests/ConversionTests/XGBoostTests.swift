import NeuralNetwork
import Support
import Testing

@testable import Conversion

private let fixtures = "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/Fixtures/onnx"

/// Saved by XGBoost itself in Tests/Vectors/onnx_models.py; the outputs are onnxruntime's of the same trees.
@Suite struct XGBoostTests {
    @Test(arguments: [2, 5]) func theSameNumbersAsTheRuntime(_ classes: Int) throws {
        let path = "\(fixtures)/xgboost-\(classes).json", bytes = try Files.read(path, limit: 1 << 20)
        #expect(XGBoostFile.begins(bytes))
        var predictor = FloatPredictor(try XGBoostFile(bytes, path: path).graph)
        for (row, wanted) in zip(try rows("rows-17"), try rows("boosted-xgboost-\(classes).outputs")) {
            let outputs = try predictor.predict(row)
            #expect(outputs.count == classes && wanted.count == classes)
            for (a, b) in zip(outputs, wanted) { #expect((a - b).magnitude < 1e-4, "\(a) instead of \(b)") }
        }
    }

    @Test func whatCannotBeRunIsNamed() throws {
        let whole = String(decoding: try Files.read("\(fixtures)/xgboost-2.json", limit: 1 << 20), as: UTF8.self)
        for (from, to, message) in [
            ("binary:logistic", "reg:squarederror", "objective is reg:squarederror"), ("\"gbtree\"", "\"dart\"", "booster is dart"),
            ("\"num_class\":\"0\",\"num_feature\":\"17\"", "\"num_class\":\"0\",\"num_feature\":\"99999999999999999999\"", "features"),
            ("\"left_children\":[1,", "\"left_children\":[0,", "child of two"),
            ("\"left_children\":[1,", "\"left_children\":[99,", "has no children"),
            ("\"left_children\":[1,", "\"left_children\":[1,1,", "different lengths"),
            ("\"base_score\":\"", "\"base_score\":\"x", "base score"), ("\"base_score\":\"", "\"base_score\":\"2,", "base score"),
            ("\"tree_info\":[0", "\"tree_info\":[1", "a class that is not there"),
            ("\"size_leaf_vector\":\"1\"", "\"size_leaf_vector\":\"2\"", "several numbers at once"),
            ("{\"learner\":", "{\"learner\":7,\"x\":", "is no model of XGBoost"),
        ] {
            #expect(whole.contains(from), "\(from)")
            let broken = Array(whole.split(separator: from, maxSplits: 1, omittingEmptySubsequences: false).joined(separator: to).utf8)
            let fault = #expect(throws: Fault.self, "\(to)") { try XGBoostFile(broken, path: "x.json") }
            #expect(fault?.message.contains(message) ?? false, "\(fault?.message ?? "")")
        }
        let bytes = Array(whole.utf8)
        for end in stride(from: 0, to: bytes.count, by: 97) {
            #expect(throws: Fault.self) { try XGBoostFile(Array(bytes[..<end]), path: "x.json") }
        }
    }

    private func rows(_ name: String) throws -> [[Double]] {
        String(decoding: try Files.read("\(fixtures)/\(name).csv", limit: 1 << 20), as: UTF8.self).split(separator: "\n").map {
            $0.split(separator: ",").compactMap { Double($0) }
        }
    }
}
