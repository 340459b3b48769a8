import Gaitway
import Testing

@Suite struct ActivitiesTests {
    private func decisions(_ source: ActivitySource, _ model: ActivityModel = .shipped) async throws -> [ActivityDecision] {
        try await Activities(source: source, model: model, pace: .fastest).reduce(into: []) { $0.append($1) }
    }

    /// The README's example.
    @Test func simulatedWearer() async throws {
        let found = try await decisions(try ActivitySource("simulated:stand=6,walk=8,lie=8"))
        // Ends of windows: 128 samples, then every 64, at 50 Hz.
        let ends: [Double] = (0..<16).map { Double(128 + 64 * $0) / 50 }
        #expect(found.map(\.time) == ends)
        let runs: [(String?, Int)] = [("STANDING", 4), ("WALKING", 6), ("WALKING_UPSTAIRS", 1), (nil, 2), ("LAYING", 3)]
        let expected = runs.flatMap { [String?](repeating: $0, count: $1) }
        #expect(found.map(\.activity) == expected)
        for decision in found {
            #expect(decision.probabilities.count == 9)
            #expect(decision.probabilities[decision.window] == decision.confidence)
            #expect(decision.probabilities.values.max() == decision.confidence)
            #expect(abs(decision.probabilities.values.reduce(0, +) - 1) < 0.001)
        }
    }

    @Test func anEndlessSourceIsReadAsFastAsItIsTaken() async throws {
        var count = 0
        for try await _ in Activities(source: .simulated, pace: .fastest) {
            count += 1
            if count == 200 { break }
        }
        #expect(count == 200)
    }

    @Test func aCancelledTaskEnds() async throws {
        let task = Task { try await Activities(source: .simulated, pace: .real).reduce(0) { count, _ in count + 1 } }
        task.cancel()
        #expect(try await task.value == 0)
    }

    @Test(arguments: [
        (ActivitySource.iio("no-such-sensor"), ActivityModel.shipped, Fault.Code.sensorUnavailable),
        (.recording("/no/such.i16"), .shipped, .noInput),
        (.simulated, .file("/no/such.safetensors"), .noInput),
    ])
    func whatIsMissing(_ source: ActivitySource, _ model: ActivityModel, _ code: Fault.Code) async throws {
        let fault = await #expect(throws: Fault.self) { try await decisions(source, model) }
        #expect(fault?.code == code)
    }

    @Test func aModelWithoutTheTrustedKeysSignatureIsRefused() async throws {
        let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let model = ActivityModel.file(
            "\(root)/board/models/activity.safetensors", trusting: "\(root)/Tests/Fixtures/signatures/public.pem")
        let fault = await #expect(throws: Fault.self) { try await decisions(.simulated, model) }
        #expect(fault?.code == .permission)
    }
}
