internal import NeuralNetwork
internal import Recognition
internal import Support

extension WearingRows {
    /// Rows of a worn network, after recordings were looked at for how the sensor was worn.
    ///
    /// - Parameters:
    ///   - forEachWindow: hands over each window of the recordings, in their order.
    ///   - remedy: what helps where they do not show it.
    /// - Returns: nil for other networks.
    /// - Throws: `.badData` when it is not known which way is up.
    static func oriented(
        _ network: Network, _ known: WearingKnowledge, remedy: String, forEachWindow: (([Int16]) -> Void) throws(Fault) -> Void
    ) throws(Fault) -> WearingRows? {
        guard network.inputKind == .worn else { return nil }
        var rows = try WearingRows(network)
        rows.use(known.configured)
        // The first windows of walking tell the directions in which all of them are then seen.
        for _ in 0..<WearingTrial.passes where rows.orientation != .learnt { try forEachWindow { _ = rows.row($0) } }
        if rows.orientation == .unknown, let learnt = known.learnt { rows.use(learnt) }
        guard rows.orientation != .unknown else {
            throw Fault(
                .badData, "it is not known which way is up: nobody walks for ten seconds in these recordings", remedy: remedy)
        }
        return rows
    }
}
