internal import CProcess

/// Memory that a program which waits for minutes has no need of.
package enum IdleMemory {
    /// Gives back pages of code and free heap; what is needed again comes back by itself, at once.
    package static func giveBack() { gw_memory_give_back() }
}
