package import NeuralNetwork
package import Recognition
internal import Support
internal import Synchronization

/// Between the loop and what fetches models: the loop tries a network, swaps it in between two windows, and goes back, as it is told; it
/// never waits for a disk or a network.
package final class ModelExchange: Sendable {
    /// What the loop found; the other side acts on it.
    package enum Finding: Sendable, Equatable {
        /// The shadow went well: it may decide once that is on the disk.
        case shadowPassed
        /// It decides well.
        case probationPassed
        case failed(String)
    }

    private enum Order { case shadow(Network), exchange, end }

    private struct State {
        var orders: [Order] = []
        var findings: [Finding] = []
        var trial: ModelTrial?
        var isOnProbation = false
        /// Of the shadow's windows, or of the probation's, that were seen.
        var share = 0.0
        var running: Network
        /// What is being tried, and what decided before it did.
        var candidate: Network?
        var before: Network?
    }

    private let state: Mutex<State>
    private let settings: ModelTrial.Settings
    private let found = WakeEvent()

    package init(running: Network, _ settings: ModelTrial.Settings) {
        state = Mutex(State(running: running))
        self.settings = settings
    }

    /// The network that decides.
    package var running: Network { state.withLock { $0.running } }

    /// The one that has proved itself: not one that is on probation.
    package var proved: Network { state.withLock { $0.candidate == nil ? $0.running : $0.before ?? $0.running } }

    /// How far the trial is, the shadow's half and the probation's; nil where nothing is tried.
    package var progress: Double? {
        state.withLock { state in
            guard state.candidate != nil else { return nil }
            return (state.share + (state.isOnProbation ? 1 : 0)) / 2
        }
    }

    // For the side that fetches.

    /// Tries a network beside the one that decides.
    package func tryOut(_ network: Network) {
        state.withLock { state in
            (state.candidate, state.before, state.orders) = (network, nil, [.shadow(network)])
            (state.share, state.isOnProbation) = (0, false)
        }
    }

    /// Lets the network in the shadow decide.
    package func promote() { state.withLock { $0.orders.append(.exchange) } }
    /// Ends what is being tried: the network that decides stays.
    package func finish() {
        state.withLock { state in
            state.candidate = nil
            state.orders.append(.end)
        }
    }

    /// Another network decides from the next window on, without being tried.
    package func goBack(to network: Network) {
        state.withLock { state in
            (state.candidate, state.orders) = (nil, [.shadow(network), .exchange, .end])
        }
    }

    /// What the loop found since the last call.
    package func takeFindings() -> [Finding] {
        state.withLock { state in
            defer { state.findings = [] }
            return state.findings
        }
    }

    /// Waits until the loop has found something, ``wake()`` is called or `other` is readable, at most so long.
    package func waitForFinding(milliseconds: Int, or other: CInt = -1) { found.wait(milliseconds: milliseconds, or: other) }

    /// Ends a wait for findings.
    package func wake() { found.raise() }

    // For the loop.

    /// Between two windows: does what was asked for.
    ///
    /// - Returns: the network that decides from now on, where that is another one.
    package func step(_ loop: inout ClassificationLoop) -> Network? {
        let orders = state.withLock { state in
            defer { state.orders = [] }
            return state.orders
        }
        guard !orders.isEmpty else { return nil }
        let before = loop.network.version
        for order in orders {
            switch order {
            case .shadow(let network):
                do throws(Fault) {
                    try loop.shadow(network)
                    begin(settings.shadow, onProbation: false)
                } catch {
                    report(.failed(error.message))
                }
            case .exchange:
                state.withLock { [before = loop.network] in $0.before = before }
                loop.exchange()
                begin(settings.probation, onProbation: true)
            case .end:
                loop.endShadow()
                state.withLock { $0.trial = nil }
            }
        }
        let network = loop.network
        state.withLock { $0.running = network }
        return network.version != before ? network : nil
    }

    /// Takes one window's decisions.
    package func take(_ activity: Activity) {
        guard let shadow = activity.shadow else { return }
        let finding: Finding? = state.withLock { state in
            guard state.trial != nil else { return nil }
            let (candidate, incumbent) = state.isOnProbation ? (activity.label, shadow.label) : (shadow.label, activity.label)
            let verdict = state.trial?.take(candidate: candidate, incumbent: incumbent, duration: shadow.duration)
            state.share = state.trial?.progress ?? 0
            switch verdict {
            case .passed:
                state.trial = nil
                return state.isOnProbation ? .probationPassed : .shadowPassed
            case .failed(let reason):
                state.trial = nil
                // Back at once: the old one is in the shadow.
                state.orders += state.isOnProbation ? [.exchange, .end] : [.end]
                state.candidate = nil
                return .failed(reason)
            default: return nil
            }
        }
        if let finding { report(finding) }
    }

    /// The loop goes on with a network of its owner's choice; a trial begins anew.
    package func use(_ network: Network) {
        state.withLock { state in
            (state.running, state.trial, state.orders) = (network, nil, state.candidate.map { [.shadow($0)] } ?? [])
        }
    }

    private func begin(_ windows: Int, onProbation: Bool) {
        state.withLock { state in
            (state.trial, state.isOnProbation) = (ModelTrial(windows: windows, slowest: settings.slowest), onProbation)
            state.share = 0
        }
    }

    func report(_ finding: Finding) {
        state.withLock { $0.findings.append(finding) }
        found.raise()
    }
}
