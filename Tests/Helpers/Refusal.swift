package import Support

/// What a call throws; nil where it does not.
package func refusal(_ body: () throws(Fault) -> Void) -> Fault? {
    do throws(Fault) { try body() } catch { return error }
    return nil
}
