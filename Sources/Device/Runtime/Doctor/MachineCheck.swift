internal import Glibc
internal import Support

extension Examination {
    static func machine() -> [Finding] { [disk(), clock(), service()] }

    // The service's, unless another one is named.
    private static var state: String { Places.isGiven ? Places.state : Places.service }

    private static func disk() -> Finding {
        var place = state[...]
        while !place.isEmpty, !Files.isDirectory(String(place)) { place = place.prefix(upTo: place.lastIndex(of: "/") ?? place.startIndex) }
        if place.isEmpty { place = "/" }
        guard let bytes = FreeSpace.bytes(String(place)) else { return .warning("disk", "cannot tell how full \(place) is") }
        let free = bytes >> 20
        let text = "\(free) MB free on \(place)"
        return free >= 50
            ? .ok("disk", text)
            : .warning(
                "disk", "\(text): recording and updates will stop, recognition goes on",
                remedy: "sudo journalctl --vacuum-size=50M; sudo apt-get clean")
    }

    // Recognition needs no clock of day; uploads and signed models do.
    private static func clock() -> Finding {
        guard time(nil) > 1_767_225_600 else {
            return .warning("clock", "the clock stands before 2026", remedy: "sudo timedatectl set-ntp true")
        }
        let synchronised =
            Files.exists("/run/systemd/timesync/synchronized") || Files.exists("/run/chrony") || Files.exists("/run/ntpd.pid")
        return synchronised
            ? .ok("clock", "set by a time server")
            : .warning("clock", "no time server has set it, as far as can be seen", remedy: "timedatectl status")
    }

    // systemd keeps a link for every unit that runs.
    static var serviceIsRunning: Bool {
        var status = stat()
        return unsafe lstat("/run/systemd/units/invocation:gaitway.service", &status) == 0
    }

    private static func service() -> Finding {
        guard Files.exists("/run/systemd/system") else { return .ok("service", "no systemd here: started by hand") }
        guard Files.exists("/lib/systemd/system/gaitway.service") || Files.exists("/etc/systemd/system/gaitway.service") else {
            return .ok("service", "not installed")
        }
        return serviceIsRunning
            ? .ok("service", "running")
            : .warning("service", "installed and not running", remedy: "sudo systemctl enable --now gaitway; journalctl -u gaitway -n 20")
    }
}
