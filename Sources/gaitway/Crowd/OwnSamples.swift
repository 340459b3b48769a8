import Crowd
import CrowdLearning
import Models
import Sensing
import Support
import Training

/// Labelled recordings as a crowd's samples.
enum OwnSamples {
    /// - Parameter subject: of several people's recordings, the one who takes part.
    static func from(_ directory: String, subject: Int? = nil) -> CrowdSamples {
        { (task) throws(Fault) in
            let input = try input(task), set = try recordings(in: directory)
            guard let subject = HAPTRecordings.areIn(directory) ? subject : 0, set.subjects.contains(subject) else {
                throw Fault(.usage, "whose recordings of \(directory)?", remedy: "--subject, one of \(set.subjects.map(String.init).joined(separator: ", "))")
            }
            return try CrowdData(set, subject: subject, input).relabelled(from: set.labels, to: task.labels)
        }
    }

    /// One's own recordings, or several people's.
    static func recordings(in directory: String) throws(Fault) -> TrainingSet {
        if HAPTRecordings.areIn(directory) { return try TrainingSet(directory: directory) }
        return try TrainingSet(store: try RecordingStore(directory: directory), window: 128, fewest: 1)
    }

    /// What a crowd wants to know of each window.
    ///
    /// Errors: `.badData` where no window makes so many numbers.
    static func input(_ task: CrowdTask) throws(Fault) -> NetworkInput {
        guard let input = NetworkInput.allCases.first(where: { $0.count(window: 128) == task.parameters.features - 1 }) else {
            let known = NetworkInput.allCases.compactMap { $0.count(window: 128).map { "\($0 + 1)" } }.joined(separator: ", ")
            throw Fault(.badData, "the crowd learns from \(task.parameters.features) numbers, and recordings give \(known)", remedy: "--files DIR for other samples")
        }
        return input
    }
}
