internal import Support

/// Who has a device file open.
enum DeviceHolder {
    /// "iiod (process 312)" for each; empty when nobody has it or the others' files may not be looked at.
    static func find(_ device: String) -> [String] {
        let processes = ((try? Files.list("/proc")) ?? []).filter { Int32($0) != nil }
        return processes.filter { process in
            ((try? Files.list("/proc/\(process)/fd")) ?? []).contains { Files.target(ofLink: "/proc/\(process)/fd/\($0)") == device }
        }.map { process in
            let name = (try? Files.read("/proc/\(process)/comm", limit: 64)).map { String(decoding: $0.prefix { $0 != 10 }, as: UTF8.self) }
            return "\(name ?? "?") (process \(process))"
        }
    }
}
