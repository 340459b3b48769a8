package import Logging
internal import ServiceLifecycle
internal import Support

/// Keeps a file of metrics for node_exporter's textfile collector: replaced twice a minute, removed at the end.
package final class MetricsService: Service {
    private static let interval = 30.0

    private let directory: String
    private let log: Logger
    private let text: @Sendable () -> String
    private var path: String { directory + "/gaitway.prom" }

    /// - Parameters:
    ///   - directory: the collector's.
    ///   - text: the metrics, in Prometheus's text format.
    package init(_ directory: String, log: Logger, text: @escaping @Sendable () -> String) {
        (self.directory, self.log, self.text) = (directory, log, text)
    }

    package func run() async {
        await cancelWhenGracefulShutdown {
            var fault = RepeatedFault()
            while !Task.isCancelled {
                self.write(&fault)
                try? await Task.sleep(for: .seconds(Self.interval))
            }
        }
        // Values that nobody renews would pass for new ones.
        try? Files.remove(path)
    }

    private func write(_ fault: inout RepeatedFault) {
        do throws(Fault) {
            try Files.write(Array(text().utf8), to: path, isPublished: true)
            fault.clear()
        } catch {
            if fault.isNew(error.message) { log.warning("metrics.textfile: \(error)") }
        }
    }
}
