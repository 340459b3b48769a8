internal import CProcess

/// What a process takes from the others.
package enum ProcessPriority {
    /// Everything else goes first, and where memory runs out this process is ended first. Before it has another thread.
    package static func yield() { gw_process_yield_to_others() }
}
