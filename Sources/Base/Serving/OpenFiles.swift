internal import Glibc

/// How many files and connections this process may have open.
enum OpenFiles {
    /// As many as the system allows: the usual 1024 are too few for a thousand boards.
    static func raised() -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        if limit.rlim_cur < min(limit.rlim_max, most) {
            limit.rlim_cur = min(limit.rlim_max, most)
            _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
        return Int(clamping: min(limit.rlim_cur, most))
    }

    private static let most: rlim_t = 65_536
}
