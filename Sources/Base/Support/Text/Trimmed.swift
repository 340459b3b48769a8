extension StringProtocol {
    /// Without white space at either end.
    package var trimmed: SubSequence {
        let begin = firstIndex { !$0.isWhitespace } ?? endIndex
        let end = lastIndex { !$0.isWhitespace }.map(index(after:)) ?? begin
        return self[begin..<end]
    }
}
