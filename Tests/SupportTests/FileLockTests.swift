import Glibc
import Support
import Testing

@Suite struct FileLockTests {
    /// A process that is just being started has copies of all descriptors until it runs its own program.
    @Test func itIsGivenBackAlsoWhereACopyOfItsDescriptorIsLeft() throws {
        let folder = try TemporaryFolder(for: "lock"), path = folder.path + "/lock", lock = try #require(try FileLock(path))
        #expect(try FileLock(path) == nil)
        let copies = try Files.list("/proc/self/fd").compactMap { Int32($0) }
            .filter { Files.target(ofLink: "/proc/self/fd/\($0)") == path }.map { dup($0) }
        defer { for copy in copies { close(copy) } }
        #expect(!copies.isEmpty)
        lock.release()
        #expect(try FileLock(path) != nil)
    }
}
