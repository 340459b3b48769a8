package import Logging
package import Support

/// What a user names as a source of samples.
///
/// * `iio`, `iio:NAME`, `iio:0`, `iio:iio:device0`: a sensor of this machine; `iio:ip:HOST`, `iio:usb:...`: of another, through libiio.
/// * `recording:PATH`: a file or directory.
/// * `simulated`, `simulated:stand=20,walk=40`, `simulated:seed=7,...`, `simulated:...,repeat`: the simulated wearer.
package enum SourceSpecification: Sendable, Equatable {
    case iio(device: String?, uri: String?)
    case recording(path: String)
    case simulated(SimulatedWearer.Script)

    /// - Throws: `.usage` naming the forms.
    package init(_ text: String) throws(Fault) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let rest = parts.count > 1 ? parts[1] : nil
        switch (parts[0], rest) {
        case ("iio", nil): self = .iio(device: nil, uri: nil)
        case ("iio", let rest?) where ["ip:", "usb:", "serial:"].contains(where: rest.hasPrefix): self = .iio(device: nil, uri: rest)
        case ("iio", let rest?) where !rest.isEmpty: self = .iio(device: rest, uri: nil)
        case ("recording", let rest?) where !rest.isEmpty: self = .recording(path: rest)
        case ("simulated", nil): self = .simulated(.endless)
        case ("simulated", let rest?): self = .simulated(try SimulatedWearer.Script(rest))
        default:
            throw Fault(
                .usage, "\"\(text)\" is not a source",
                remedy: "Sources: iio, iio:NAME, iio:ip:HOST, recording:PATH, simulated, simulated:stand=20,walk=40")
        }
    }

    /// Whether its samples come as time goes: a sensor's.
    package var isLive: Bool { if case .iio = self { true } else { false } }

    /// - Parameters:
    ///   - cancellation: ends the waits of a sensor.
    ///   - log: gets what a sensor has to report, and what is odd in a recording.
    ///   - request: what a sensor is asked for.
    /// - Throws: those of the source.
    package func open(
        cancellation: Stop = Stop(), log: Logger = Logger(label: "gaitway.sensing"), asking request: SensorRequest = SensorRequest()
    ) throws(Fault) -> any SampleSource {
        switch self {
        case .iio(let device, let uri):
            try IIOSource(device: device, uri: uri, request: request, cancellation: cancellation, log: log)
        case .recording(let path): try RecordedSource(path: path, log: log)
        case .simulated(let script): SimulatedWearer(script)
        }
    }
}
