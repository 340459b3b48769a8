internal import Sensing
internal import Support

/// The ways to the samples of a sensor of this machine.
struct SensorWays {
    let device: String?
    let cancellation: Stop
    /// From the kernel.
    let kernel: () throws(Fault) -> any SampleSource

    // ms in which a program that runs answers.
    private static let patience = 200

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

    /// Whether a program that serves samples runs and has no sensor yet.
    func ownerWaits() -> Bool {
        ControlSocket.paths.contains { path in
            do throws(Fault) {
                _ = try StreamSource(at: path, device: device, patience: Self.patience, cancellation: cancellation)
                return false
            } catch { return error.code == .temporary }
        }
    }
}
