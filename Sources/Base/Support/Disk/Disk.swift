/// What is done to a disk where a power cut must not lose anything, one call for each thing that a power cut can come before or after.
package protocol Disk: Sendable {
    func makeDirectory(_ path: String) throws(Fault)
    /// Makes and opens a file that is not there yet, readable by its owner alone, and locks it for this process.
    func create(_ path: String) throws(Fault) -> CInt
    /// All of `bytes` at the end.
    func append(_ bytes: ArraySlice<UInt8>, to file: CInt, _ path: String) throws(Fault)
    /// Writes over a file that is there, which a full disk lets one do. A power cut may tear it.
    func overwrite(_ path: String, with bytes: [UInt8]) throws(Fault)
    /// Cuts a file back.
    func truncate(_ file: CInt, to length: Int64, _ path: String) throws(Fault)
    /// Waits until the disk has the file's bytes.
    func synchronise(_ file: CInt, _ path: String) throws(Fault)
    func close(_ file: CInt)
    func rename(_ path: String, to other: String) throws(Fault)
    func remove(_ path: String) throws(Fault)
    /// Waits until the disk has the directory's names.
    func synchronise(directory path: String) throws(Fault)
    /// Bytes that may still be written.
    func freeBytes(_ path: String) throws(Fault) -> Int64
}

extension Disk {
    /// Replaces a file as a whole; what reads it sees the old or the new one, whatever happens.
    package func replace(_ path: String, with bytes: [UInt8], in directory: String) throws(Fault) {
        let temporary = path + ".part"
        if Files.exists(temporary) { try remove(temporary) }
        let file = try create(temporary)
        do throws(Fault) {
            try append(bytes[...], to: file, temporary)
            try synchronise(file, temporary)
        } catch {
            close(file)
            try? remove(temporary)
            throw error
        }
        close(file)
        try rename(temporary, to: path)
        try synchronise(directory: directory)
    }
}
