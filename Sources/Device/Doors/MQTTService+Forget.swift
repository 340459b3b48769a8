internal import Glibc
package import Support

extension MQTTService {
    /// Removes what a broker keeps of a board, so that Home Assistant removes its device; tries for five seconds.
    ///
    /// - Parameter name: the board's there.
    /// - Throws: `.temporary` where the broker does not confirm it, `.configuration` where there can be no connection.
    package static func forget(_ settings: MQTTSettings, name: String) throws(Fault) {
        let board = HomeAssistant(name: name, prefix: settings.prefix, discovery: settings.discovery)
        let connection = try MQTTConnection(settings, id: "gaitway_\(board.id)", will: "", at: board.statusTopic, keepalive: 60)
        let end = SystemTime.sinceBoot + 5_000_000_000
        var waiting: Set<Int32>?
        try connection.connect()
        while waiting?.isEmpty != true {
            guard SystemTime.sinceBoot < end else { throw Fault(.temporary, "the broker \(settings.host) does not answer") }
            let wanted = connection.wantsToWrite ? Int16(POLLIN | POLLOUT) : Int16(POLLIN)
            var file = pollfd(fd: connection.descriptor, events: wanted, revents: 0)
            _ = unsafe poll(&file, 1, 200)
            let isReadable = file.revents & ~Int16(POLLOUT) != 0, isWritable = file.revents & Int16(POLLOUT) != 0
            for event in try connection.work(isReadable: isReadable, isWritable: isWritable) {
                switch event {
                case .refused(let reason): throw Fault(.permission, "the broker \(settings.host) takes no connection: \(reason)")
                case .connected:
                    waiting = Set(board.retainedTopics.compactMap { connection.publish($0, [], isRetained: true) })
                case .published(let number): waiting?.remove(number)
                case .message: break
                }
            }
        }
        connection.disconnect()
        _ = try? connection.work(isReadable: false, isWritable: true)
    }
}
