import ArgumentParser
import Glibc
import Models
import Support

/// Which model a verb uses.
struct ModelOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The network to run.", discussion: "Without it: $GAITWAY_MODEL, else the model that came with gaitway.", valueName: "file"))
    var model: String?

    func path() throws(Fault) -> String {
        if let model { return model }
        if let variable = unsafe getenv("GAITWAY_MODEL") { return unsafe String(cString: variable) }
        guard let found = Self.places.first(where: Files.exists) else {
            throw Fault(.noInput, "no model was given and none is installed", remedy: "Name one with --model FILE, or make one: gaitway train --recordings DIR --output FILE")
        }
        return found
    }

    func load() throws(Fault) -> Network { try NetworkFile.load(try path()) }

    // Beside a checkout's build folder, or where a package puts it.
    private static var places: [String] {
        var directory = executable, places: [String] = []
        while let slash = directory.lastIndex(of: "/"), slash > directory.startIndex {
            directory = String(directory[..<slash])
            places.append(directory + "/board/models/activity.safetensors")
        }
        return places + ["/usr/local/share/gaitway/activity.safetensors", "/usr/share/gaitway/activity.safetensors"]
    }

    private static var executable: String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe readlink("/proc/self/exe", bytes.assumingMemoryBound(to: CChar.self).baseAddress!, 4096)
        }
        return String(decoding: buffer.prefix(Swift.max(0, count)), as: UTF8.self)
    }
}
