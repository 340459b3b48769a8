/// One after the other.
actor Turn {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Returns once whoever came before has ended.
    func begin() async {
        if isTaken { return await withCheckedContinuation { waiting.append($0) } }
        isTaken = true
    }

    func end() { if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() } }
}
