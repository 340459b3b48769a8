import Agent
import Support
import Upload

/// What `gaitway doctor` says of recorded windows. Like all of it, it changes nothing.
enum UploadCheck {
    static func examine(_ configuration: Configuration) -> Finding {
        do throws(Fault) {
            guard let plan = try UploadPlan(enabledBy: configuration) else { return .ok("uploads", "off: nothing is recorded") }
            let waiting = Files.isDirectory(plan.directory + "/pending") ? try plan.spool().status() : nil
            let said = "\(plan.content.rawValue) windows as \(plan.user) in \(plan.directory); \(waiting?.files ?? 0) files wait"
            do throws(Fault) { _ = try plan.manager() } catch { return .warning("uploads", "\(said); \(error.message)", remedy: error.remedy) }
            if let waiting, waiting.refused > 0 { return .warning("uploads", "\(said), \(waiting.refused) were refused", remedy: "gaitway upload list; gaitway upload retry") }
            return .ok("uploads", said)
        } catch {
            return .problem("uploads", error)
        }
    }
}
