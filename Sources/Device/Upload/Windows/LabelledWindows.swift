package import Logging
package import Recognition
internal import Sensing
package import Settings
internal import Support

/// What the sensor shows while the user says what the wearer does: a few seconds of each activity, kept on the board for
/// `gaitway personalise`.
package struct LabelledWindows {
    private enum Rule {
        /// Samples at 50 Hz of one recording, and recordings of a label: older ones make room.
        static let samples = 500, kept = 3
    }

    private let spool: String
    // A file that is missing is looked for without anything being allocated.
    private let path: String
    private let directory: String
    private let log: Logger
    private var label: String?
    // x, y, z interleaved at 50 Hz, as the front end filtered them, up to `end`.
    private var samples: [Int16] = []
    private var end: Int64 = 0
    // Samples of the stream up to which windows hold what was before the label; nil until the first window after it.
    private var since: Int64?
    private var fault = RepeatedFault()

    /// Where they are kept.
    package static var place: String { Places.state + "/labelled" }

    /// - Parameter directory: where recordings go; it is made when there is one.
    package init(_ settings: Settings, directory: String = place, log: Logger) {
        (spool, self.directory, self.log) = (settings.upload.directory, directory, log)
        path = UserLabel.path(spool)
    }

    /// Looks whether somebody says what the wearer does.
    ///
    /// - Parameter isBehind: whether the windows that come next are of samples that waited: they are of the time before a new label.
    /// - Returns: whether windows are wanted.
    package mutating func look(isBehind: Bool = false) -> Bool {
        let now = Files.exists(path) ? UserLabel.current(in: spool)?.label : nil
        if now != label && !(isBehind && now != nil) {
            label = now
            samples = []
            since = nil
        }
        return label != nil
    }

    package mutating func take(_ activity: Activity) {
        guard let label, !activity.window.isEmpty else { return }
        let length = Int64(activity.window.count / 3)
        if since == nil || activity.end < end { since = activity.end }
        guard let since, activity.end - length >= since else {
            end = activity.end
            return
        }
        let hop = activity.end - end
        if samples.isEmpty || hop <= 0 || hop > length {
            samples = activity.window
        } else {
            samples += activity.window.suffix(Int(hop) * 3)
        }
        end = activity.end
        guard samples.count / 3 >= Rule.samples else { return }
        let recording = Recording(label: label, rate: 50_000, samples: samples)
        samples = []
        do throws(Fault) {
            try keep(recording)
        } catch {
            if fault.isNew(error.message) { log.warning("what was labelled is not kept for gaitway personalise: \(error)") }
        }
    }

    private func keep(_ recording: Recording) throws(Fault) {
        let store = try RecordingStore(making: directory)
        let path = try store.add(recording, at: .now)
        // A clock that was set back makes the new one the oldest.
        let others = try store.entries().filter { $0.label == recording.label && $0.path != path }
        for entry in others.dropLast(Rule.kept - 1) { try store.delete(entry) }
    }
}
