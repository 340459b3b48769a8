internal import Doors
internal import Fleet
internal import Ledger
internal import ObjectStores
package import Settings
package import Support
internal import Upload

/// Removes what left this board wherever it can be removed, and what waits to leave it.
package struct Erasure {
    /// What became of one place.
    package struct Step: Sendable, Equatable {
        package enum Outcome: Sendable, Equatable {
            /// What was removed: "3 files".
            case removed(String)
            /// Nothing here can remove it; what its owner does.
            case cannot(String)
            case failed(Fault)
        }

        package let place: String
        package let outcome: Outcome
    }

    private let settings: Settings
    private let ledger = PrivacyLedger()
    private let stop: Stop
    /// Whether a gaitway runs, which records, tells and publishes on.
    private let isRunning = ControlClient.isAnswered

    /// Erases all of it; a place that fails holds up no other one.
    ///
    /// - Parameter stop: ends what waits for a network.
    /// - Returns: what became of each place.
    /// - Throws: those of the settings, of reading what left, and of the running program.
    package static func run(_ settings: Settings, stop: Stop) throws(Fault) -> [Step] {
        // Root erases with the rights of whose state it is: what lies there may lead elsewhere.
        try OwnersRights.run(in: Places.state) { () throws(Fault) in try erase(settings, stop) }
    }

    private static func erase(_ settings: Settings, _ stop: Stop) throws(Fault) -> [Step] {
        let erasure = Erasure(settings: settings, stop: stop), plan = try UploadPlan(settings)
        // It drops what it holds, and counts what it sent.
        if erasure.isRunning { try ControlClient.ask([("command", "discard")]) }
        // One that cannot be read stops nothing.
        var left: [LedgerEntry] = [], unread: [Step] = []
        do throws(Fault) {
            left = try PrivacyLedger.read(in: Places.state).entries.filter { $0.erased == nil && $0.messages > 0 }
        } catch {
            unread = [Step(place: "the list of what left", outcome: .failed(error))]
        }
        let client = try FleetClient(registeredIn: nil), store = plan.bucket == nil ? nil : try AWSStore(settings, plan)
        let steps = [
            erasure.waiting(plan), store.map { erasure.bucket($0) }, client.map { erasure.hub($0) },
            try MQTTSettings(settings).map { erasure.broker($0, client) },
        ]
        let reached = [store?.place, client?.place].compactMap { $0 }
        return steps.compactMap { $0 } + unread + erasure.rest(left.filter { $0.kind != .broker && !reached.contains($0.destination) })
    }

    private init(settings: Settings, stop: Stop) { (self.settings, self.stop) = (settings, stop) }

    private func step(_ place: String, _ body: () throws(Fault) -> String) -> Step {
        do throws(Fault) { return Step(place: place, outcome: .removed(try body())) } catch {
            return Step(place: place, outcome: .failed(error))
        }
    }

    // There while a hub was asked to remove the board and has not answered.
    private let mark = Places.state + "/hub-erasure"

    private func note(_ kind: Departure, at place: String?) throws(Fault) {
        do throws(Fault) { try ledger.noteErased(kind, at: place) } catch {
            throw Fault(error.code, "it is erased there, and that cannot be written down: \(error.message)", remedy: error.remedy)
        }
    }

    private func waiting(_ plan: UploadPlan) -> Step? {
        let events = EventQueue(in: Places.state).count, hasSpool = Files.isDirectory(plan.directory)
        guard hasSpool || events > 0 else { return nil }
        return step("what waits here") { () throws(Fault) in
            let spool = hasSpool ? try plan.spool() : nil
            // What a crash left half-written waits as well.
            _ = try spool?.recover()
            let files = try spool?.clear() ?? 0
            try EventQueue.remove(in: Places.state)
            return "\(Units.files(files)), \(Units.several(events, "event"))"
        }
    }

    private func bucket(_ store: AWSStore) -> Step {
        step(store.place) { () throws(Fault) in
            let files: Int, rows: Int
            do throws(RemoteFailure) {
                files = try store.removeFiles(stop).count
                rows = store.tableName == nil ? 0 : try store.removeRows(stop)
            } catch {
                throw error.fault
            }
            try note(.uploads, at: store.place)
            return Units.files(files) + (store.tableName.map { ", \(rows) row\(rows == 1 ? "" : "s") of the table \($0)" } ?? "")
        }
    }

    private func hub(_ client: FleetClient) -> Step {
        step(client.place) { () throws(Fault) in
            let before = try? Files.read(mark, limit: 1000)
            try Files.write(Array(client.place.utf8), to: mark, isPrivate: true)
            do throws(Fault) {
                try Awaited.value(unless: stop) { () async throws(Fault) in try await client.erase() }
            } catch  where error.code == .permission && before == Array(client.place.utf8) {
                // It was asked before, and the answer got lost: with the board its tokens went.
                try client.forget()
            } catch  where error.code == .permission {
                // That is an answer: nothing was lost.
                try Files.remove(mark)
                throw Fault(
                    error.code, error.message,
                    remedy: "Where the hub has removed the board already: gaitway unregister --forget. Else ask its operator.")
            }
            if isRunning { try ControlClient.ask([("command", "forget-hub")]) }
            // What it wrote meanwhile goes, too.
            try client.forget()
            try Files.remove(mark)
            for kind in [Departure.heartbeats, .events] { try note(kind, at: client.place) }
            return "all that it kept of this board, its part in the crowd too; the board is not registered any more"
        }
    }

    // What a broker retains; what others made of its messages is theirs.
    private func broker(_ broker: MQTTSettings, _ client: FleetClient?) -> Step {
        let place = "the broker \(broker.host)"
        guard !isRunning else {
            return Step(place: place, outcome: .cannot("the running gaitway publishes there: stop it, and erase again"))
        }
        return step(place) { () throws(Fault) in
            try MQTTService.forget(broker, name: broker.name ?? client?.device.deviceId ?? DeviceDescription().deviceId)
            try note(.broker, at: nil)
            return "what it retained of this board; Home Assistant and others keep their own"
        }
    }

    // What left for places that are not reached from here, or not any more.
    private func rest(_ left: [LedgerEntry]) -> [Step] {
        var named: Set<String> = [], steps: [Step] = []
        for entry in left where named.insert(entry.destination).inserted {
            let why =
                entry.kind == .uploads
                ? "files went there before, as other settings said: delete them with that server's tools"
                : "the board was registered there before, and is not any more: ask its operator"
            steps.append(Step(place: entry.destination, outcome: .cannot(why)))
        }
        if let database = settings.crowd.database {
            steps.append(Step(place: database, outcome: .cannot("a crowd elsewhere keeps gradients as it likes: ask its operator")))
        }
        return steps
    }
}
