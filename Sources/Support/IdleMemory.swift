internal import CMemory

/// Memory that a program which waits for minutes has no need of.
public enum IdleMemory {
    /// Gives back pages of code and free heap; what is needed again comes back by itself, at once.
    public static func giveBack() { gw_memory_give_back() }
}
