internal import CRecognition
internal import NeuralNetwork

/// A network's prototypes as the C side reads them, in memory of its own.
@safe struct Novelty: ~Copyable {
    let raw: UnsafeMutablePointer<gw_prototypes>
    /// Distance beyond which a window is of no known activity, Q8.
    let limit: Int32
    private let wide: UnsafeMutableBufferPointer<Int32>
    private let narrow: UnsafeMutableBufferPointer<Int16>

    init(_ prototypes: Prototypes) {
        let count = prototypes.means.count, width = prototypes.scales.count
        unsafe wide = .allocate(capacity: width + count)
        unsafe narrow = .allocate(capacity: 2 * count * width)
        _ = unsafe wide.initialize(from: prototypes.scales + prototypes.offsets)
        _ = unsafe narrow.initialize(from: prototypes.means.flatMap { $0 } + prototypes.precisions.flatMap { $0 })
        unsafe raw = .allocate(capacity: 1)
        unsafe raw.initialize(
            to: gw_prototypes(
                count: Int32(count), width: Int32(width), scales: wide.baseAddress, means: narrow.baseAddress,
                precisions: narrow.baseAddress.map { unsafe $0 + count * width }, offsets: wide.baseAddress.map { unsafe $0 + width }))
        limit = prototypes.limit
    }

    deinit {
        unsafe raw.deallocate()
        unsafe wide.deallocate()
        unsafe narrow.deallocate()
    }
}
