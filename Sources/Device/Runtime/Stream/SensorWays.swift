internal import Sensing
internal import Support

/// The ways to the samples of a sensor of this machine.
struct SensorWays {
    let device: String?
    let cancellation: Stop
    /// From the kernel.
    let kernel: () throws(Fault) -> any SampleSource

    /// - Throws: those of the kernel; where it is busy, also why the program that has it gives nothing.
    func either() throws(Fault) -> any SampleSource {
        let busy: Fault
        do throws(Fault) { return try kernel() } catch {
            guard error.condition == .sensorBusy else { throw error }
            busy = error
        }
        do throws(Fault) { return try stream() } catch { throw error.code == .permission ? error : busy }
    }

    /// - Throws: those of the last program that was asked.
    func stream() throws(Fault) -> any SampleSource {
        var last = Fault(.sensorUnavailable, "no other gaitway reads the sensor")
        for path in ControlSocket.paths {
            do throws(Fault) { return try StreamSource(at: path, device: device, cancellation: cancellation) } catch {
                if last.code != .permission { last = error }
            }
        }
        throw last
    }

    /// Whether a program waits for a sensor that somebody else has.
    ///
    /// - Parameter names: of that sensor.
    func isAwaited(_ names: [String]) -> Bool {
        let question = String(decoding: JSONValue.members([("command", .string("status"))]).bytes, as: UTF8.self)
        return ControlSocket.paths.contains { path in
            guard let answer = ControlSocket.answerAtOnce(question, at: path), let status = JSONValue(parsing: Array(answer.utf8)),
                let awaited = status["waits_for"]?.text
            else { return false }
            // Without a name: for any.
            return awaited.isEmpty || names.contains(awaited)
        }
    }
}
