package import CrowdLearning
internal import Sensing
internal import Support
internal import Training

/// Labelled recordings as a crowd's samples.
package enum OwnSamples {
    /// - Parameter subject: of several people's recordings, the one who takes part.
    package static func from(_ directory: String, subject: Int? = nil) -> CrowdSamples {
        { (task) throws(Fault) in
            let input = try BoardModel.input(task.parameters), set = try TrainingSet.recordings(in: directory)
            guard let subject = HAPTRecordings.areIn(directory) ? subject : 0, set.subjects.contains(subject) else {
                throw Fault(
                    .usage, "whose recordings of \(directory)?",
                    remedy: "--subject, one of \(set.subjects.map(String.init).joined(separator: ", "))")
            }
            return try CrowdData(set, subject: subject, input).relabelled(from: set.labels, to: task.labels)
        }
    }
}
