import ArgumentParser
import Cryptography
import HubStore
import NeuralNetwork
import ObjectStores
import Sensing
import Support
import Training
import Upload

struct Foresight: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Retrain on what a user labelled, and offer the model to that user's boards.",
        discussion: """
            Reads the user's LibraData files from the bucket (upload.content raw), adapts the model to them (as `gaitway personalise` \
            does), signs it with your key, and rolls it out as USER_model0: boards of that user have `updates.model = "USER_model0"`. \
            Run it as often as you like; where nothing new was labelled nothing is made. Credentials come from the environment or \
            --credentials.
            """)

    @OptionGroup var store: StoreOptions
    @Option(help: ArgumentHelp("Whose files: upload.user of the boards.", valueName: "name")) var user: String
    @Option(help: ArgumentHelp("The bucket with them.", valueName: "name")) var bucket: String
    @OptionGroup var access: BucketOptions
    @Option(help: ArgumentHelp("The model that the boards have, and that is adapted.", valueName: "file"), completion: .file()) var model:
        String
    @Option(help: ArgumentHelp("Your private key, PEM.", valueName: "file"), completion: .file()) var key: String
    @Option(help: ArgumentHelp("Of each activity, so many seconds are learnt from, the newest first.", valueName: "seconds"))
    var seconds = 60
    @Option(help: ArgumentHelp("How many files are read, the newest first.", valueName: "count")) var files = 200
    @Option(help: ArgumentHelp("Of the user's boards, how many percent begin with it.", valueName: "percent")) var percent = 100.0

    // Of one file: an hour of raw windows has 16 MB.
    private static let fileLimit = 64 << 20

    func validate() throws {
        guard (3...36_000).contains(seconds), (1...10_000).contains(files), (0...100).contains(percent) else {
            throw ValidationError("--seconds takes 3 to 36000, --files 1 to 10000, --percent 0 to 100")
        }
    }

    func run() async throws {
        let base = try NetworkFile.load(model), key = try SigningKey(file: key)
        let streams = try labelled(base)
        guard streams.contains(where: { $0.pieces.contains { !$0.stretches.isEmpty } }) else {
            throw Fault(
                .noInput, "\(user) has labelled nothing in s3://\(bucket) that can be read",
                remedy: "On the board: gaitway label WALKING, with uploads on and upload.content raw.")
        }
        let store = try await store.make(), org = self.store.org, name = "\(user)_model0"
        _ = try await store.makeModel(name, description: "learnt from what \(user) labelled", org: org, now: StoreOptions.now)
        let hubModel = try await store.find(model: name, org), known = try await store.versions(of: hubModel)
        let version = min(max(known.first?.version ?? 0, base.version), HubStore.versionRange.upperBound - 1) + 1
        let learnt = try Personalisation(base, seconds: seconds).learn(from: streams, version: version)
        let windows = learnt.windows.map { "\($0.label) \($0.count)" }.joined(separator: ", ")
        let description = "of \(windows) windows until \(streams.first?.name ?? "")"
        guard known.first?.description != description else {
            print("nothing new was labelled: version \(known[0].version) stays")
            return
        }
        guard learnt.share > 0 else {
            throw Fault(.badData, "what was labelled (\(windows) windows) makes the model no better without making it worse for others")
        }
        var network = learnt.network
        network.version = version
        let bytes = try NetworkFile.encode(network)
        let new = NewVersion(
            version: version, labels: network.labels, expires: network.expires, bytes: bytes,
            signature: try ModelSignature.sign(SignedContents(bytes, name: "\(name).safetensors"), with: key), description: description)
        let made = try await store.add(new, to: hubModel, now: StoreOptions.now)
        let rollout = try await store.start(
            Rollout(model: hubModel.id, version: made.version, percentage: percent, minimum: 1, created: StoreOptions.now))
        print("\(name) \(made.version), \(description)")
        func share(_ part: Double) -> String { Decimals.text(100 * part, places: 1) + " %" }
        print(
            """
            right in \(share(learnt.before)) of those windows before, \(share(learnt.after)) now; of other people's examples \
            \(share(learnt.othersBefore)) and \(share(learnt.othersAfter)); roll-out \(rollout.id)
            """)
    }

    // The newest first, for what was labelled last is learnt from first.
    private func labelled(_ base: Network) throws -> [LabelledStream] {
        let remote = AWSStore(user: user, bucket: bucket, table: nil, try access.services()), stop = Stop()
        do throws(RemoteFailure) {
            var streams: [LabelledStream] = []
            for name in try remote.files(stop).sorted().reversed().prefix(files) {
                let bytes = try remote.object(name, limit: Self.fileLimit, stop)
                do throws(Fault) {
                    streams.append(
                        try LibraStreams.read(bytes, name: name, labels: base.labels, window: base.window, hop: base.hop))
                } catch {
                    StandardError.write("gaitway-hub: \(error)")
                }
            }
            return streams
        } catch {
            throw error.fault
        }
    }
}
