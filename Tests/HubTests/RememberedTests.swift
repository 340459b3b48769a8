import Support
import Synchronization
import Testing

@testable import Hub

/// What takes long to find.
@Suite struct RememberedTests {
    /// Counts how often it is looked for, and gives that number.
    private final class Looks: Sendable {
        let count = Mutex(0)
        let takes: Duration
        let fails: Bool

        init(taking takes: Duration, fails: Bool = false) { (self.takes, self.fails) = (takes, fails) }

        func look() async throws(Fault) -> Int {
            let number = count.withLock { count in
                count += 1
                return count
            }
            try? await Task.sleep(for: takes)
            if fails { throw Fault(.temporary, "away") }
            return number
        }
    }

    @Test func whatIsQuickIsLookedForEachTime() async throws {
        let remembered = Remembered<Int>(), looks = Looks(taking: .zero)
        for number in 1...3 { #expect(try await remembered.of("a") { () throws(Fault) in try await looks.look() } == number) }
    }

    @Test func whatTakesLongIsLookedForOnceAndGivenToAll() async throws {
        let remembered = Remembered<Int>(), looks = Looks(taking: .milliseconds(400))
        let found = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { try await remembered.of("a") { () throws(Fault) in try await looks.look() } } }
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(found == [1])
        #expect(try await remembered.of("a") { () throws(Fault) in try await looks.look() } == 1)
        // Another key is another thing.
        #expect(try await remembered.of("b") { () throws(Fault) in try await looks.look() } == 2)
    }

    @Test func whoDoesNotWaitHasNothingAndLaterAll() async throws {
        let remembered = Remembered<Int>(), looks = Looks(taking: .milliseconds(500))
        #expect(try await remembered.of("a", within: .milliseconds(20)) { () throws(Fault) in try await looks.look() } == nil)
        #expect(try await remembered.of("a") { () throws(Fault) in try await looks.look() } == 1)
        #expect(try await remembered.of("a", within: .milliseconds(20)) { () throws(Fault) in try await looks.look() } == 1)
    }

    @Test func aFailureIsNotKept() async throws {
        let remembered = Remembered<Int>(), fails = Looks(taking: .milliseconds(300), fails: true), looks = Looks(taking: .zero)
        await #expect(throws: Fault.self) { try await remembered.of("a") { () throws(Fault) in try await fails.look() } }
        #expect(try await remembered.of("a") { () throws(Fault) in try await looks.look() } == 1)
    }
}
