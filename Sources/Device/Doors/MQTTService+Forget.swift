internal import MQTT
package import Support

extension MQTTService {
    /// Removes what a broker keeps of a board, so that Home Assistant removes its device; tries for five seconds.
    ///
    /// - Parameter name: the board's there.
    /// - Throws: those of ``MQTTConnection/deliver(_:to:id:isRetained:patience:)``.
    package static func forget(_ settings: MQTTSettings, name: String) throws(Fault) {
        let board = HomeAssistant(name: name, prefix: settings.prefix, discovery: settings.discovery)
        try MQTTConnection.deliver(
            board.retainedTopics.map { ($0, []) }, to: settings.broker, id: "gaitway_\(board.id)", isRetained: true, patience: 5)
    }
}
