internal import Glibc
package import Support

extension MQTTConnection {
    /// Publishes messages and waits until the broker has them; at least once.
    ///
    /// - Parameters:
    ///   - id: of this client.
    ///   - patience: seconds.
    /// - Throws: `.temporary` where the broker does not confirm them, `.permission` where it refuses the client, `.configuration` where
    ///   there can be no connection.
    package static func deliver(
        _ messages: [(topic: String, payload: [UInt8])], to broker: Broker, id: String, isRetained: Bool, patience: Double
    ) throws(Fault) {
        let connection = try MQTTConnection(broker, id: id, will: nil, keepalive: 60)
        let end = SystemTime.sinceBoot + Int64(patience * 1e9)
        var waiting: Set<Int32>?
        try connection.connect()
        while waiting?.isEmpty != true {
            guard SystemTime.sinceBoot < end else { throw Fault(.temporary, "the broker \(broker.host) does not answer") }
            let wanted = connection.wantsToWrite ? Int16(POLLIN | POLLOUT) : Int16(POLLIN)
            var file = pollfd(fd: connection.descriptor, events: wanted, revents: 0)
            _ = unsafe poll(&file, 1, 200)
            let isReadable = file.revents & ~Int16(POLLOUT) != 0, isWritable = file.revents & Int16(POLLOUT) != 0
            for event in try connection.work(isReadable: isReadable, isWritable: isWritable) {
                switch event {
                case .refused(let reason): throw Fault(.permission, "the broker \(broker.host) takes no connection: \(reason)")
                case .connected:
                    let numbers = messages.compactMap { connection.publish($0.topic, $0.payload, isRetained: isRetained) }
                    guard numbers.count == messages.count else {
                        throw Fault(.temporary, "the broker \(broker.host) takes no messages")
                    }
                    waiting = Set(numbers)
                case .published(let number): waiting?.remove(number)
                case .message: break
                }
            }
        }
        connection.disconnect()
        _ = try? connection.work(isReadable: false, isWritable: true)
    }
}
