package import SystemPackage

extension Fault {
    /// Why a file cannot be read.
    package init(opening path: String, _ error: Errno) {
        switch error {
        case .permissionDenied, .notPermitted:
            self.init(.permission, "no permission to read \(path)", remedy: "Run as its owner, or: sudo chmod a+r \(path)")
        case .noSuchFileOrDirectory, .notDirectory:
            self.init(.noInput, "\(path) does not exist")
        case .isDirectory:
            self.init(.noInput, "\(path) is a directory, not a file")
        default:
            self.init(.noInput, "cannot read \(path): \(error)")
        }
    }

    /// Why a file or directory cannot be written.
    package init(writing path: String, _ error: Errno) {
        switch error {
        case .permissionDenied, .notPermitted, .readOnlyFileSystem:
            self.init(
                .permission, "no permission to write \(path): \(error)", remedy: "Choose another place, or change the directory's owner.")
        case .noSuchFileOrDirectory, .notDirectory:
            self.init(.noInput, "cannot write \(path): its directory does not exist")
        case .noSpace:
            self.init(
                .failure, "cannot write \(path): the disk is full", remedy: "Nothing was changed. Free some space and try again.",
                condition: .diskFull)
        default:
            self.init(.failure, "cannot write \(path): \(error)", remedy: "Nothing was changed.")
        }
    }
}
