internal import Glibc

/// Calls `body` with pointers to texts that end with zero, and a nil behind the last.
func withCStrings<Result>(_ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result) -> Result {
    let copies = unsafe texts.map { unsafe strdup($0) }
    defer { unsafe copies.forEach { unsafe free($0) } }
    let pointers: [UnsafePointer<CChar>?] = unsafe copies.map { unsafe UnsafePointer($0) } + [nil]
    return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress.unsafelyUnwrapped) }
}

/// Calls `body` with pointers to the arrays; nil for those that are nil.
func withBytes<Result>(_ arrays: [[UInt8]?], _ body: ([UnsafePointer<CChar>?]) -> Result) -> Result {
    var joined: [UInt8] = [], starts: [Int?] = []
    for array in arrays {
        starts.append(array.map { _ in joined.count })
        joined += array ?? []
    }
    return unsafe joined.withUnsafeBytes { buffer in
        let start = buffer.baseAddress
        return unsafe body(
            starts.map { place in
                unsafe place.flatMap { unsafe start?.advanced(by: $0).assumingMemoryBound(to: CChar.self) }
            })
    }
}
