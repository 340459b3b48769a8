internal import ObjectStores
internal import Settings
internal import Support
internal import Upload

extension Examination {
    /// Recorded windows, and where they go.
    static func uploads(_ settings: Settings) -> Finding {
        do throws(Fault) {
            guard let plan = try UploadPlan(enabledBy: settings) else { return .ok("uploads", "off: nothing is recorded") }
            let waiting = Files.isDirectory(plan.directory + "/pending") ? try plan.spool().status() : nil
            let said = "\(plan.content.rawValue) windows as \(plan.user) in \(plan.directory); \(waiting?.files ?? 0) files wait"
            do throws(Fault) { _ = try AWSStore(settings, plan) } catch {
                return .warning("uploads", "\(said); \(error.message)", remedy: error.remedy)
            }
            // What sends would refuse it with the first file.
            if let path = settings.upload.credentials { _ = try Credentials(file: path) }
            if let waiting, waiting.refused > 0 {
                return .warning("uploads", "\(said), \(waiting.refused) were refused", remedy: "gaitway upload list; gaitway upload retry")
            }
            return .ok("uploads", said)
        } catch {
            return .problem("uploads", error)
        }
    }
}
