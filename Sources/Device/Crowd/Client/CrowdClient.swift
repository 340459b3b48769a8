package import CrowdLearning
package import Logging
package import Support

/// A device in the crowd: Crowd-ML's three workflows. Calls block; each ends by its timeout, or when it is cancelled.
package final class CrowdClient: Sendable {
    package struct Options: Sendable {
        /// Seconds without anything that counts until it gives up.
        package var timeout = 60.0
        /// Seconds between two looks where no event comes.
        package var interval = 1.0
        /// Seconds between two looks at least, whatever the server says; and between two gradients.
        package var leastInterval = 0.02, spacing = 0.0
        package var convention = ClientConvention.paper
        /// What is asked of the crowd before anything leaves.
        package var floor: PrivacyFloor
        /// Where it is written down.
        package var budget: String

        package init(budget: String, floor: PrivacyFloor) { (self.budget, self.floor) = (budget, floor) }
    }

    /// How training went.
    package struct Report: Sendable, Equatable {
        /// Check-ins that count; those that came too late.
        package var counted = 0, stale = 0
        package var iteration = 0
        package var budget = PrivacyBudget()
        package var promise = PrivacyPromise.none(reason: "nothing was sent")
        /// What has been waited for longer than is usual; nil for nothing.
        package var obstacle: String?

        package init() {}
    }

    private let database: CrowdDatabase
    private let samples: CrowdSamples
    private let options: Options
    private let cancellation: Stop
    private let log: Logger

    package init(_ database: CrowdDatabase, _ options: Options, cancellation: Stop, log: Logger, samples: @escaping CrowdSamples) {
        (self.database, self.options, self.cancellation, self.log, self.samples) = (database, options, cancellation, log, samples)
    }

    /// Share of this device's own samples that the crowd's weights decide wrongly, 0 ... 1.
    ///
    /// - Throws: `.temporary` "Weight is empty in FireBase. " where there are none yet.
    package func error() throws(Fault) -> (task: CrowdTask, error: Double, samples: Int) {
        let (task, weights) = try weights(), data = try samples(task)
        try data.require(task.model)
        return (task, task.model.error(weights, on: data), data.count)
    }

    /// The crowd's weights, and what they are of.
    ///
    /// - Throws: `.temporary` where there are none yet.
    package func weights() throws(Fault) -> (task: CrowdTask, weights: [Double]) {
        let task = try CrowdTask(try database.get("parameters"))
        guard let weights = try weights(task) else { throw Handshake.Reason.noWeights.fault }
        return (task, weights)
    }

    /// Sends one gradient, and does not wait until the server has it.
    ///
    /// - Throws: `.temporary` "Old gradients has not been checked out. " where the one before still waits.
    package func once() throws(Fault) -> Report {
        var round = try Round(self)
        while true {
            let (view, tag) = try look()
            switch try perform(round.handshake.look(view), of: &round, view, tag) {
            case .send, .resend: return round.report
            case .wait(let reason): throw reason.fault
            case .join, .reload, .counted, .stale: continue
            }
        }
    }

    /// Sends gradients until so many count. One call goes on through the same epoch: it gives away less than several.
    ///
    /// - Parameters:
    ///   - progress: is called at each look at the database.
    ///   - pace: called after each gradient that counts; may wait.
    /// - Throws: `.temporary` when nothing has counted for as long as the timeout, saying how far it came; `.permission` when the privacy
    ///   budget is spent; `.badData` where the samples do not fit what is learnt.
    package func train(rounds: Int, progress: (Report) -> Void, pace: (() -> Void)?) throws(Fault) -> Report {
        let events = DatabaseEvents(database, log: log)
        defer { events.stop() }
        var round: Round?, deadline = SystemTime.uptime + options.timeout, fault = RepeatedFault(), obstacle = "", told = Report()
        var looked = -options.leastInterval, waits: Double?
        // Who sends rarely asks a server that is down rarely.
        var backOff = BackOff(base: options.interval, cap: max(options.interval, min(Self.longestWait, options.spacing)), jitter: .none)
        while told.counted < rounds, !cancellation.isRaised {
            // A server that changes all the time keeps nobody busy.
            cancellation.isRaised(within: Int(max(0, looked + options.leastInterval - SystemTime.uptime) * 1000))
            looked = SystemTime.uptime
            do throws(Fault) {
                var present = if let round { round } else { try Round(self, told) }
                defer { round = present }
                let (hasCounted, next) = try step(&present) { pace == nil && $0.counted < rounds }
                if hasCounted {
                    fault.clear()
                    (obstacle, waits) = ("", nil)
                    if present.report.counted < rounds { pace?() }
                    deadline = SystemTime.uptime + options.timeout
                }
                backOff.reset()
                told = present.report
                if case .wait(let reason) = next {
                    obstacle = reason.explanation
                    waits = reason == .tooSoon ? nil : waits ?? SystemTime.uptime
                    if let waits, SystemTime.uptime - waits > Self.usualWait { told.obstacle = obstacle }
                }
                progress(told)
                switch next {
                case .wait(.tooSoon): cancellation.isRaised(within: Int(min(600, present.earliest - SystemTime.uptime) * 1000) + 1)
                case .wait: events.wait(options.interval, cancellation)
                default: break
                }
            } catch {
                // A network or server that is down comes back.
                guard error.code == .temporary else { throw error }
                if fault.isNew(error.message) { log.info("the crowd is waited for: \(error.message)") }
                obstacle = error.message
                told.obstacle = obstacle
                progress(told)
                if error.condition == .daySpent {
                    cancellation.isRaised(within: Int(min(Self.dayPause, max(0, deadline - SystemTime.uptime)) * 1000) + 1)
                } else {
                    events.wait(backOff.next(), cancellation)
                }
            }
            if SystemTime.uptime > deadline {
                throw Fault(
                    .temporary,
                    """
                    \(told.counted) of \(rounds) rounds counted, then nothing for \(Decimals.text(options.timeout, places: 0)) s: \
                    \(obstacle)
                    """,
                    remedy: "Does the crowd's server run? It may take longer with --timeout.")
            }
        }
        return told
    }

    // Until the next look whether another day has begun, s.
    private static let dayPause = 600.0
    // Within which a server takes what was sent; between two looks at one that is down, at most: s.
    private static let usualWait = 10.0, longestWait = 300.0

    /// One device's way through the handshake, with the samples for the parameters of now.
    private struct Round {
        var handshake: Handshake
        var maker: GradientMaker
        var report: Report
        var hasBegunWeights = false
        /// When the next gradient may go, s.
        var earliest: Double

        init(_ client: CrowdClient, _ report: Report = Report(), earliest: Double = 0) throws(Fault) {
            let task = try CrowdTask(try client.database.get("parameters"))
            try client.options.floor.check(task)
            maker = try GradientMaker(task, try client.samples(task), as: client.options.convention)
            handshake = Handshake(parameterIteration: task.parameters.iteration)
            self.earliest = earliest
            self.report = report
            self.report.obstacle = nil
            self.report.promise = maker.promise
            self.report.budget = try PrivacyBudget.read(client.options.budget)
        }
    }

    // Whether something counted, and what was done then. `goesOn`: whether the next gradient follows at once.
    private func step(_ round: inout Round, goesOn: (Report) -> Bool) throws(Fault) -> (hasCounted: Bool, Handshake.Step) {
        let (view, tag) = try look()
        round.report.iteration = view.iteration ?? round.report.iteration
        let next = round.handshake.look(view)
        switch next {
        case .counted: round.report.counted += 1
        case .stale: round.report.stale += 1
        default: return (false, try perform(next, of: &round, view, tag))
        }
        guard goesOn(round.report) else { return (next == .counted, next) }
        // The same view tells what comes next.
        return (next == .counted, try perform(round.handshake.look(view), of: &round, view, tag))
    }

    // What was done in the end: without weights nothing is sent.
    private func perform(
        _ step: Handshake.Step, of round: inout Round, _ view: Handshake.View, _ tag: String
    ) throws(Fault) -> Handshake.Step {
        switch step {
        case .join: try join(view)
        case .send where SystemTime.uptime < round.earliest, .resend where SystemTime.uptime < round.earliest: return .wait(.tooSoon)
        case .send(let number): return try send(&round, number, view, onlyIf: nil) ? step : .wait(.noWeights)
        case .resend(let number): return try send(&round, number, view, onlyIf: tag) ? step : .wait(.noWeights)
        case .reload: round = try Round(self, round.report, earliest: round.earliest)
        case .wait(.noWeights): beginWeights(&round, view)
        case .counted, .stale, .wait: break
        }
        return step
    }

    // The first servers wait for weights of whoever comes first; later ones have some by then, and forbid it.
    private func beginWeights(_ round: inout Round, _ view: Handshake.View) {
        guard !round.hasBegunWeights else { return }
        round.hasBegunWeights = true
        let place = "trainingWeights", zeros = JSONValue.array([JSONValue](repeating: .integer(0), count: round.maker.task.model.length))
        do throws(Fault) {
            guard try database.get("\(place)/weights", numbers: round.maker.task.model.length) == .null else { return }
            let members = [("weights", zeros), ("iteration", view.iteration == nil ? .integer(1) : nil)]
            try database.patch(place, JSONValue.members(members).bytes)
            log.notice("the crowd had no weights: it begins with zeros of this device")
        } catch {
            log.debug("the crowd's server has no weights yet, and takes none: \(error.message)")
        }
    }

    private func look() throws(Fault) -> (Handshake.View, tag: String) {
        let (node, tag) = try database.tagged("users/\(try database.user())")
        var view = Handshake.View()
        view.node = UserNode(node)
        view.iteration = UserNode.whole(try database.get("trainingWeights/iteration"))
        view.parameterIteration = UserNode.whole(try database.get("parameters/paramIter")) ?? 0
        return (view, tag)
    }

    // As clients of 2016 say hello.
    private func join(_ view: Handshake.View) throws(Fault) {
        let greeting = CheckIn(vector: nil, number: 1, weightIteration: view.iteration ?? 0, parameterIteration: view.parameterIteration)
        try database.patch("users/\(try database.user())", greeting.greeting(view.node.flag))
    }

    private func weights(_ task: CrowdTask) throws(Fault) -> [Double]? {
        let found = try database.get("trainingWeights/weights", numbers: task.model.length)
        guard let weights = try CrowdVector.read(found) else { return nil }
        guard weights.count == task.model.length else {
            throw Fault(
                .badData, "the crowd has \(weights.count) weights, \(task.parameters.loss.rawValue) of its parameters \(task.model.length)")
        }
        return weights
    }

    private func send(_ round: inout Round, _ number: Int, _ view: Handshake.View, onlyIf tag: String?) throws(Fault) -> Bool {
        guard let iteration = view.iteration, let weights = try weights(round.maker.task) else { return false }
        var budget = round.report.budget
        let promise = round.maker.promise
        let vector = try round.maker.make(weights, number: number) { (beginsEpoch) throws(Fault) in
            budget = try spend(promise, beginsEpoch)
        }
        round.report.budget = budget
        let
            json = CheckIn(vector: vector, number: number, weightIteration: iteration, parameterIteration: view.parameterIteration).json(
                view.node.flag), place = "users/\(try database.user())"
        // Where the answer is lost nobody knows whether it arrived: the next look tells.
        round.handshake.didSend(number, iteration)
        round.earliest = SystemTime.uptime + options.spacing
        if let tag { _ = try database.put(place, json, onlyIf: tag) } else { try database.patch(place, json) }
        return true
    }

    // On the disk before anything leaves, and one program after the other: never too little is counted.
    private func spend(_ promise: PrivacyPromise, _ beginsEpoch: Bool) throws(Fault) -> PrivacyBudget {
        guard let lock = try FileLock(options.budget + ".lock", cancellation) else { throw Fault(.temporary, "cancelled") }
        defer { lock.release() }
        var budget = try PrivacyBudget.read(options.budget)
        try budget.spend(
            promise, beginsEpoch: beginsEpoch, limit: options.floor.limit, perDay: options.floor.perDay, now: SystemTime.wallSeconds)
        try budget.write(options.budget)
        return budget
    }
}
