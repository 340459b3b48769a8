package import Support

private let fixtures = "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/Fixtures"
package let coreMLFixtures = fixtures + "/coreml", uploadFixtures = fixtures + "/uploads"

package func numberRows(_ path: String) throws(Fault) -> [[Double]] {
    try NumberRows.cells(path).map { $0.cells.compactMap { Double($0) } }
}
