internal import Support

/// A new program beside the one that is installed, both on the same simulated wearer: what does not start, decides on less, or always says
/// the same is not installed at all.
package struct ProgramTrial: Sendable {
    // All six of the first activities, six minutes; both programs take less than a second for them, on a slow board some seconds.
    private static let wearer = "simulated:stand=60,walk=60,sit=60,upstairs=60,downstairs=60,lie=60"
    // s.
    private static let longest = 180.0

    /// What is wrong with the new one; nil for nothing.
    ///
    /// - Parameters:
    ///   - new: the new program's file.
    ///   - old: that of the one that is installed.
    ///   - directory: where both may keep their state.
    /// - Throws: `.temporary` where nothing can be said of the new one: the old one does not do it either, or the machine has no room.
    static func run(_ new: String, beside old: String, in directory: String) async throws(Fault) -> String? {
        let expected: [UInt8], began = SystemTime.uptime
        do throws(Fault) { expected = try await decisions(of: old, directory + "/old") } catch {
            throw Fault(.temporary, "the present program cannot be run beside it: \(error.message)")
        }
        guard !activities(expected).isEmpty else { throw Fault(.temporary, "the present program decides nothing of a simulated wearer") }
        let patience = max(30, 10 * (SystemTime.uptime - began))
        do throws(Fault) {
            // It has to read this board's settings, too.
            try await SystemCommand(new, ["config", "show"]).run(within: patience)
            return verdict(of: try await decisions(of: new, directory + "/new", within: patience), beside: expected)
        } catch {
            // A hang is its own: the other one took a tenth of the time.
            if error.code == .temporary, error.condition != .tookTooLong { throw error }
            return error.message
        }
    }

    private static func decisions(of program: String, _ state: String, within seconds: Double = longest) async throws(Fault) -> [UInt8] {
        try await SystemCommand(
            program, ["run", "--config", "/dev/null", "--source", wearer, "--speed", "max", "--json"],
            environment: ["STATE_DIRECTORY": state, "HOME": state]
        ).output(within: seconds)
    }

    /// Both are lines of `gaitway run --json`.
    package static func verdict(of new: [UInt8], beside old: [UInt8]) -> String? {
        let new = activities(new), old = activities(old), kinds = (new: Set(new).count, old: Set(old).count)
        guard new.count * 10 >= old.count * 9 else {
            return "it decided on \(new.count) windows of a simulated wearer, and the present one on \(old.count)"
        }
        guard kinds.new * 2 >= kinds.old else {
            let said = Set(new).sorted().joined(separator: ", ")
            return "it says \(said) of a simulated wearer, for whom the present one has \(kinds.old) activities"
        }
        return nil
    }

    private static func activities(_ lines: [UInt8]) -> [String] {
        lines.split(separator: UInt8(ascii: "\n")).compactMap { JSONValue(parsing: Array($0))?["activity"]?.text }
    }
}
