internal import NIOCore
internal import Synchronization

/// The connections of now. Where there are too many, one that waits makes room: first one that never asked for anything, the oldest; a
/// request that is being answered is never cut.
final class ConnectionRegistry: Sendable {
    private struct Connection {
        var channel: any Channel
        var address: String
        var isBusy = false
        /// Requests that were answered.
        var answered = 0
    }

    private struct State {
        var connections: [Int: Connection] = [:]
        var byAddress: [String: Int] = [:]
        var next = 0
    }

    private let state = Mutex(State())
    private let limit: Int, addressLimit: Int

    /// - Parameters:
    ///   - limit: connections in all.
    ///   - addressLimit: of one address.
    init(limit: Int, addressLimit: Int) { (self.limit, self.addressLimit) = (limit, addressLimit) }

    /// Takes a connection in.
    ///
    /// - Returns: its number; nil where all others are busy and it has to go.
    func add(_ channel: any Channel, from address: String) -> Int? {
        let (number, victim): (Int?, (any Channel)?) = state.withLock { state in
            var victim: Int?
            if state.connections.count >= limit {
                victim = Self.idle(state, nil)
            } else if state.byAddress[address, default: 0] >= addressLimit {
                victim = Self.idle(state, address)
            } else {
                return (Self.insert(channel, address, &state), nil)
            }
            guard let victim, let gone = Self.drop(victim, &state) else { return (nil, nil) }
            return (Self.insert(channel, address, &state), gone.channel)
        }
        victim?.close(promise: nil)
        return number
    }

    func begins(_ number: Int) { state.withLock { $0.connections[number]?.isBusy = true } }

    func ends(_ number: Int) {
        state.withLock { state in
            state.connections[number]?.isBusy = false
            state.connections[number]?.answered += 1
        }
    }

    func remove(_ number: Int) { state.withLock { _ = Self.drop(number, &$0) } }

    private static func insert(_ channel: any Channel, _ address: String, _ state: inout State) -> Int {
        state.next += 1
        state.connections[state.next] = Connection(channel: channel, address: address)
        state.byAddress[address, default: 0] += 1
        return state.next
    }

    private static func drop(_ number: Int, _ state: inout State) -> Connection? {
        guard let gone = state.connections.removeValue(forKey: number) else { return nil }
        let left = state.byAddress[gone.address, default: 1] - 1
        state.byAddress[gone.address] = left > 0 ? left : nil
        return gone
    }

    // Numbers grow: the smallest is the oldest.
    private static func idle(_ state: State, _ address: String?) -> Int? {
        var silent: Int?, used: Int?
        for (number, connection) in state.connections where !connection.isBusy && (address == nil || connection.address == address) {
            if connection.answered == 0 { silent = min(silent ?? number, number) } else { used = min(used ?? number, number) }
        }
        return silent ?? used
    }
}
