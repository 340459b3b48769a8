internal import CCurl
internal import Support
internal import Synchronization

/// The one thread that works on every transfer of the program, at low priority; it sleeps while there is none.
@safe final class TransferLoop: @unchecked Sendable {
    /// nil where libcurl cannot be loaded, or no thread can be had. Begun with the first transfer: libcurl takes 7 MB.
    static let shared = TransferLoop()

    // For the loop's thread alone, but for waking it.
    private let raw: OpaquePointer
    private let waiting: Mutex<[Transfer]> = Mutex([])

    private init?() {
        guard let raw = unsafe gw_transfers_open() else { return nil }
        unsafe self.raw = raw
        guard Worker.startIfPossible(isPolite: true, { [self] in run() }) != nil else { return nil }
    }

    func begin(_ transfer: Transfer) {
        waiting.withLock { $0.append(transfer) }
        wake()
    }

    /// Has it look anew for what is to begin or to be cancelled.
    func wake() { unsafe gw_transfers_wake(raw) }

    private func run() {
        while true {
            let begun = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            for transfer in begun {
                transfer.retain()
                unsafe gw_transfers_begin(raw, transfer.raw)
            }
            unsafe Transfer.release(gw_transfers_step(raw))?.finish()
        }
    }
}
