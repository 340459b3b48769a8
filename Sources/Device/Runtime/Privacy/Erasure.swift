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
    private let ledger: PrivacyLedger
    private let stop: Stop

    /// Erases all of it; a place that fails holds up no other one.
    ///
    /// - Parameter stop: ends what waits for a network.
    /// - Returns: what became of each place.
    /// - Throws: those of the settings and of reading what left.
    package static func run(_ settings: Settings, stop: Stop) throws(Fault) -> [Step] {
        let erasure = Erasure(settings: settings, ledger: PrivacyLedger(), stop: stop)
        let left = try PrivacyLedger.read(in: Places.state).entries.filter { $0.erased == nil && $0.items > 0 }
        let plan = try UploadPlan(settings), client = try FleetClient(registeredIn: nil)
        return [erasure.spool(plan), erasure.bucket(plan), client.map { erasure.hub($0) }].compactMap { $0 }
            + erasure.rest(left, bucket: plan.bucket, hub: client?.hub)
    }

    private init(settings: Settings, ledger: PrivacyLedger, stop: Stop) {
        (self.settings, self.ledger, self.stop) = (settings, ledger, stop)
    }

    private func step(_ place: String, _ body: () throws(Fault) -> String) -> Step {
        do throws(Fault) { return Step(place: place, outcome: .removed(try body())) } catch {
            return Step(place: place, outcome: .failed(error))
        }
    }

    private func spool(_ plan: UploadPlan) -> Step? {
        guard Files.isDirectory(plan.directory) else { return nil }
        return step("what waits here") { () throws(Fault) in Units.files(try plan.spool().clear()) }
    }

    private func bucket(_ plan: UploadPlan) -> Step? {
        guard let bucket = plan.bucket else { return nil }
        return step("s3://\(bucket)") { () throws(Fault) in
            let store = try AWSStore(settings, plan)
            do throws(RemoteFailure) {
                let files = try store.removeFiles(stop).count, rows = store.tableName == nil ? 0 : try store.removeRows(stop)
                try? ledger.noteErased(.uploads, at: store.place)
                return Units.files(files) + (store.tableName.map { ", \(rows) row\(rows == 1 ? "" : "s") of the table \($0)" } ?? "")
            } catch {
                throw error.fault
            }
        }
    }

    private func hub(_ client: FleetClient) -> Step {
        step(client.hub) { () throws(Fault) in
            try Awaited.value { () async throws(Fault) in try await client.erase() }
            for kind in [Departure.heartbeats, .events] { try? ledger.noteErased(kind, at: client.hub) }
            return "all that it kept of this board, its part in the crowd too; the board is not registered any more"
        }
    }

    // What left for places that are not reached from here, or not any more.
    private func rest(_ left: [LedgerEntry], bucket: String?, hub: String?) -> [Step] {
        var named: Set<String> = [], steps: [Step] = []
        for entry in left where named.insert(entry.destination).inserted {
            let remedy: String? =
                switch entry.kind {
                case .uploads: "s3://\(bucket ?? "")" == entry.destination ? nil : "it is not upload.bucket any more: delete there"
                case .heartbeats, .events: hub == entry.destination ? nil : "the board is not registered there any more: ask its operator"
                case .broker: "what others kept of its messages is theirs: remove the device there"
                }
            if let remedy { steps.append(Step(place: entry.destination, outcome: .cannot(remedy))) }
        }
        if let database = settings.crowd.database {
            steps.append(Step(place: database, outcome: .cannot("a crowd elsewhere keeps gradients as it likes: ask its operator")))
        }
        return steps
    }
}
