import Support
import Synchronization
import Testing

@testable import Hub

/// What takes long to find.
@Suite struct RememberedTests {
    /// Counts how often it is looked for, and gives that number. The clock is its own.
    private final class Looks: Sendable {
        let clock = Mutex(0.0), count = Mutex(0)
        let takes: Double
        let fails: Bool
        // Nothing is found before it is open.
        let gate: AsyncStream<Void>, open: AsyncStream<Void>.Continuation

        init(taking takes: Double, fails: Bool = false, isOpen: Bool = true) {
            (self.takes, self.fails) = (takes, fails)
            (gate, open) = AsyncStream.makeStream()
            if isOpen { open.finish() }
        }

        func look() async throws(Fault) -> Int {
            let number = count.withLock { count in
                count += 1
                return count
            }
            for await _ in gate {}
            clock.withLock { $0 += takes }
            if fails { throw Fault(.temporary, "away") }
            return number
        }

        var remembered: Remembered<Int> { Remembered { self.clock.withLock { $0 } } }
        func pass(_ seconds: Double) { clock.withLock { $0 += seconds } }
    }

    @Test func whatIsQuickIsLookedForEachTime() async throws {
        let looks = Looks(taking: 0.1), remembered = looks.remembered
        for number in 1...3 { #expect(try await remembered.of("a") { () throws(Fault) in try await looks.look() } == number) }
    }

    @Test func whatTakesLongIsLookedForOnceAndGivenToAll() async throws {
        let looks = Looks(taking: 1, isOpen: false), remembered = looks.remembered
        let found = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { try await remembered.of("a") { () throws(Fault) in try await looks.look() } } }
            looks.open.finish()
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(found == [1])
        looks.pass(3)
        #expect(try await remembered.of("a") { () throws(Fault) in try await looks.look() } == 1)
        // Another key is another thing.
        #expect(try await remembered.of("b") { () throws(Fault) in try await looks.look() } == 2)
    }

    @Test func whatIsOldIsGivenOnceMoreAndLookedForMeanwhile() async throws {
        let looks = Looks(taking: 1), remembered = looks.remembered
        func ask() async throws -> Int { try await remembered.of("a") { () throws(Fault) in try await looks.look() } }
        #expect(try await ask() == 1)
        looks.pass(5)
        #expect(try await ask() == 1)
        while looks.count.withLock({ $0 }) < 2 { await Task.yield() }
        while try await ask() != 2 { await Task.yield() }
        // What nobody asked for is forgotten.
        looks.pass(100)
        #expect(try await ask() == 3)
    }

    @Test func whoDoesNotWaitHasNothingAndLaterAll() async throws {
        let looks = Looks(taking: 1, isOpen: false), remembered = looks.remembered
        #expect(try await remembered.of("a", within: .milliseconds(20)) { () throws(Fault) in try await looks.look() } == nil)
        looks.open.finish()
        #expect(try await remembered.of("a") { () throws(Fault) in try await looks.look() } == 1)
        #expect(try await remembered.of("a", within: .milliseconds(20)) { () throws(Fault) in try await looks.look() } == 1)
    }

    @Test func aFailureIsNotKept() async throws {
        let fails = Looks(taking: 1, fails: true), looks = Looks(taking: 0), remembered = fails.remembered
        await #expect(throws: Fault.self) { try await remembered.of("a") { () throws(Fault) in try await fails.look() } }
        #expect(try await remembered.of("a") { () throws(Fault) in try await looks.look() } == 1)
    }
}
