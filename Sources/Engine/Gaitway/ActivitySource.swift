internal import Sensing
public import Support

/// Where samples come from.
public struct ActivitySource: Sendable {
    let specification: SourceSpecification

    /// What `gaitway run --source` takes: `iio:lis3dh`, `recording:PATH`, `simulated:stand=20,walk=40`.
    ///
    /// - Throws: `.usage` naming the forms.
    public init(_ text: String) throws(Fault) { specification = try SourceSpecification(text) }

    private init(_ specification: SourceSpecification) { self.specification = specification }

    /// An accelerometer through Linux IIO.
    ///
    /// - Parameters:
    ///   - device: its name, label or number; nil for the first one.
    ///   - host: a machine that runs `iiod`; nil for this one.
    public static func iio(_ device: String? = nil, host: String? = nil) -> ActivitySource {
        ActivitySource(.iio(device: device, uri: host.map { "ip:\($0)" }))
    }

    /// A recording, or a directory of them.
    public static func recording(_ path: String) -> ActivitySource { ActivitySource(.recording(path: path)) }

    /// A simulated wearer who stands, sits, lies and walks without end.
    public static var simulated: ActivitySource { ActivitySource(.simulated(.endless)) }
}
