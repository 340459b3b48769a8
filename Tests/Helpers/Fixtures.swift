package import Support

package let coreMLFixtures = "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/Fixtures/coreml"

package func numberRows(_ path: String) throws(Fault) -> [[Double]] {
    try NumberRows.cells(path).map { $0.cells.compactMap { Double($0) } }
}
