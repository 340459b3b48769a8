public import FoundationEssentials
public import Support
internal import Synchronization
package import Upload

/// Labelled data on its way to S3: SwiftyForesight's class, with its names and its CSV.
///
/// Features come as one vector for each feature (the timestamps' first), each over all times; labels as one vector for each time.
/// SwiftyForesight printed a message when something was wrong and went on; here the message comes too, and `async` calls throw what it
/// says. Their twins with a completion handler give it false.
public final class LibraData: Sendable {
    /// Whether the first feature vector holds the timestamps.
    public let timestamp: Bool
    /// Feature vectors, that of the timestamps included.
    public let numInputFeatures: Int
    /// Numbers of a label vector.
    public let numOutputFeatures: Int
    let store: any RemoteStore
    /// Where files are formatted, and the logs of failed uploads kept.
    public let directory: String

    private struct State {
        var data: [String: [[Double]]] = [:]
        var metadata: [String: String] = [:]
        // Why the last features or labels were not taken; formatting then says so.
        var refused: Fault?
    }
    private let state = Mutex(State())

    /// - Parameters:
    ///   - featureVectors: not counting that of the timestamps.
    ///   - documents: a directory; the current one when nil.
    public convenience init(
        hasTimestamps: Bool, featureVectors: Int, labelVectorLength: Int, withManager manager: CloudManager, documents: URL? = nil
    ) {
        self.init(
            hasTimestamps: hasTimestamps, featureVectors: featureVectors, labelVectorLength: labelVectorLength, store: manager,
            documents: documents)
    }

    /// The same with a store of any kind.
    package init(hasTimestamps: Bool, featureVectors: Int, labelVectorLength: Int, store: any RemoteStore, documents: URL? = nil) {
        timestamp = hasTimestamps
        numInputFeatures = max(0, featureVectors) + (hasTimestamps ? 1 : 0)
        numOutputFeatures = max(0, labelVectorLength)
        self.store = store
        directory = documents?.path ?? "."
    }

    /// With the original's order of arguments.
    public convenience init(
        hasTimestamp: Bool, featureVectors: Int, labelVectorLength: Int, withManager manager: CloudManager, documents: URL? = nil
    ) {
        self.init(
            hasTimestamps: hasTimestamp, featureVectors: featureVectors, labelVectorLength: labelVectorLength, withManager: manager,
            documents: documents)
    }

    /// "Features": a vector for each; "Labels": a vector for each time.
    public var data: [String: [[Double]]] { state.withLock { $0.data } }
    /// By the names in ``Keys``.
    public var metadata: [String: String] { state.withLock { $0.metadata } }

    /// Sets the features, as many vectors as there are features, all as long as there are times.
    ///
    /// - Returns: whether they were taken. If not, a message says why, what was there stays, and ``formatData(saveFileName:)`` throws it.
    @discardableResult
    public func addFeatures(_ features: [[Double]]) -> Bool {
        add("Features", "addFeatures", features) { shape, vectors throws(Fault) in try shape.check(features: vectors) }
    }

    /// Sets the labels, a vector for each time.
    ///
    /// - Returns: as ``addFeatures(_:)``.
    @discardableResult
    public func addLabels(_ labels: [[Double]]) -> Bool {
        add("Labels", "addLabels", labels) { shape, vectors throws(Fault) in try shape.check(labels: vectors) }
    }

    private func add(
        _ name: String, _ function: String, _ vectors: [[Double]], _ check: (LibraShape, [[Double]]) throws(Fault) -> Void
    ) -> Bool {
        do throws(Fault) {
            try check(shape, vectors)
            state.withLock { state in
                state.data[name] = vectors
                state.refused = nil
            }
            return true
        } catch {
            report(error, function)
            state.withLock { $0.refused = error }
            return false
        }
    }

    private var shape: LibraShape { LibraShape(features: numInputFeatures, labels: numOutputFeatures) }

    /// Sets the metadata, whose keys are those of ``Keys``.
    public func addMetadata(withAttributes attributes: [String: String]) { state.withLock { $0.metadata = attributes } }
    /// As ``addMetadata(withAttributes:)``.
    public func addMetadata(_ attributes: [String: String]) { addMetadata(withAttributes: attributes) }

    /// Forgets features, labels and metadata; no file and nothing remote.
    public func clearData() { state.withLock { $0 = State() } }

    /// Writes features and labels into a CSV file, as a whole.
    ///
    /// - Parameter saveFileName: begins with the user's ID; without one it is ID_yyyyMMddHHmmss_data.csv, in local time.
    /// - Throws: `.usage` when something is missing or does not fit, saying what was expected and what came; those of writing a file.
    /// - Returns: the file and its bytes.
    public func formatData(saveFileName: String? = nil) async throws(Fault) -> (data: Data, url: URL) { try format(saveFileName) }

    /// The same at once. `completion` is told whether it worked, the bytes and the file.
    public func formatData(saveFileName: String? = nil, completion: ((Bool, Data, URL) -> Void)? = nil) {
        do throws(Fault) {
            let (bytes, url) = try format(saveFileName)
            completion?(true, bytes, url)
        } catch {
            report(error, "formatData")
            completion?(false, Data(), URL(filePath: directory))
        }
    }

    private func format(_ name: String?) throws(Fault) -> (Data, URL) {
        let (data, refused) = state.withLock { ($0.data, $0.refused) }
        if let refused { throw refused }
        let bytes = try shape.csv(features: data["Features"] ?? [], labels: data["Labels"] ?? [])
        let path = "\(directory)/\(try fileName(name))"
        try Files.write(bytes, to: path)
        return (Data(bytes), URL(filePath: path))
    }

    private func fileName(_ wish: String?) throws(Fault) -> String {
        guard !store.userID.isEmpty, !store.userID.contains("/") else {
            throw Fault(.usage, "\"\(store.userID)\" cannot be a user's ID", remedy: "Files are named after it: letters and digits.")
        }
        if let wish {
            guard wish.hasPrefix(store.userID), !wish.contains("/"), wish.utf8.count <= 255 else {
                throw Fault(
                    .usage, "a file cannot be called \"\(wish)\"",
                    remedy: "Begin with the user's ID, \(store.userID), by which files are found to delete them; without \"/\".")
            }
            return wish
        }
        return freshName()
    }

    // Of this user and moment, and of no other file.
    func freshName() -> String {
        Self.names.withLock { names in
            let name = DataFileName.first(of: store.userID, from: SystemTime.wallSeconds) {
                names.contains($0) || Files.exists("\(directory)/\($0)")
            }
            // A file that went is no longer there, and its name is not free.
            if names.count >= Self.mostNames { names.removeAll() }
            names.insert(name)
            return name
        }
    }

    // Of all files that this program formatted.
    private static let names: Mutex<Set<String>> = Mutex([])
    private static let mostNames = 10_000

    func report(_ fault: Fault, _ function: String) { StandardError.write("Error in LibraData.\(function)(): \(fault.message)") }
}
