/// Rows of numbers whose memory is used again once nobody keeps them: one for the present, one that the loop keeps of the last window, one
/// that its reader may keep.
struct NumberRing {
    private var rows = [[Int16]](repeating: [], count: 3)
    private var next = 0

    /// A row of `numbers`. A row that somebody keeps is copied here, as every array is.
    mutating func take(_ numbers: ArraySlice<Int16>) -> [Int16] {
        unsafe numbers.withUnsafeBufferPointer { unsafe take($0, count: numbers.count) }
    }

    /// A row of the first `count` of `numbers`.
    mutating func take(_ numbers: UnsafeBufferPointer<Int16>, count: Int) -> [Int16] {
        next = (next + 1) % rows.count
        if rows[next].count != count {
            for index in rows.indices { rows[index] = [Int16](repeating: 0, count: count) }
        }
        for index in 0..<min(count, numbers.count) { unsafe rows[next][index] = numbers[index] }
        return rows[next]
    }
}
