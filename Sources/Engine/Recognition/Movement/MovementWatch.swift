internal import CFeatures
internal import CSignal
package import Support

/// Finds steps and falls in samples as they come, wherever on the body the sensor is: integers alone, in C. See `gw_movement`.
@safe package struct MovementWatch: ~Copyable {
    let raw: OpaquePointer
    private let memory: UnsafeMutableRawPointer
    // What the C side reads of the model.
    private let model: UnsafeMutablePointer<gw_fall_model>
    private let tables: UnsafeMutableRawPointer
    /// Bytes of state.
    package let bytes: Int
    private let sensitivity: FallSensitivity
    private let confirm: Int32
    private var isAtWrist = false

    /// - Parameters:
    ///   - rate: of the samples that come in, mHz, 10000 ... 400000.
    ///   - falls: which blows are falls; nil where none are looked for.
    ///   - confirm: seconds down after which a fall is confirmed, 1 ... 600.
    /// - Throws: `.usage` for another rate.
    package init(
        rate: Int = 50_000, falls: FallModel? = nil, sensitivity: FallSensitivity = .normal, confirm: Double = 10
    ) throws(Fault) {
        guard (10_000...400_000).contains(rate) else {
            throw Fault(.usage, "a sampling rate of \(Decimals.text(rate, over: 1000, places: 1)) Hz cannot be used: 10 to 400 Hz")
        }
        let size = gw_movement_size(), memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        let model = UnsafeMutablePointer<gw_fall_model>.allocate(capacity: 1)
        let tables = unsafe Self.tables(falls, model)
        var watch: OpaquePointer?
        guard unsafe gw_movement_init(memory, size, Int32(rate), falls == nil ? nil : model, &watch) == GW_OK, let watch = unsafe watch
        else {
            unsafe memory.deallocate()
            unsafe model.deallocate()
            unsafe tables.deallocate()
            throw Fault(.badData, "the model of falls cannot be used")
        }
        self.sensitivity = sensitivity
        self.confirm = Int32(min(max(confirm, 1), 600) * 50)
        unsafe gw_falls_configure(gw_movement_falls(watch), sensitivity.extra, self.confirm)
        unsafe raw = watch
        unsafe self.memory = memory
        unsafe self.model = model
        unsafe self.tables = tables
        bytes = size + (falls?.bytes ?? 0)
    }

    deinit {
        unsafe memory.deallocate()
        unsafe model.deallocate()
        unsafe tables.deallocate()
    }

    // The model's tables, one behind the other.
    private static func tables(_ falls: FallModel?, _ model: UnsafeMutablePointer<gw_fall_model>) -> UnsafeMutableRawPointer {
        let falls = falls ?? FallModel(features: [], thresholds: [], leaves: [], limit: 0, trainedOn: [])
        let bytes = falls.leaves + falls.features, numbers = falls.thresholds
        let tables = UnsafeMutableRawPointer.allocate(byteCount: 2 * numbers.count + bytes.count + 8, alignment: 8)
        let thresholds = unsafe tables.bindMemory(to: Int16.self, capacity: numbers.count)
        for (index, number) in numbers.enumerated() { unsafe thresholds[index] = number }
        let leaves = unsafe (tables + 2 * numbers.count).bindMemory(to: Int8.self, capacity: bytes.count)
        for (index, byte) in bytes.enumerated() { unsafe leaves[index] = byte }
        unsafe model.initialize(
            to: gw_fall_model(
                trees: Int32(falls.trees), limit: falls.limit, features: leaves + falls.leaves.count, thresholds: thresholds, leaves: leaves
            ))
        return unsafe tables
    }

    /// Where on the body the sensor is, as far as that is known: an arm has blows of its own, which ask for more.
    package mutating func place(_ placement: String?) {
        let isWrist = placement == "wrist"
        guard isWrist != isAtWrist else { return }
        isAtWrist = isWrist
        unsafe gw_falls_configure(gw_movement_falls(raw), sensitivity.extra + (isWrist ? FallModel.wristExtra : 0), confirm)
    }

    /// Takes samples: Q3.12 g, x, y, z interleaved.
    package mutating func push(_ samples: ArraySlice<Int16>) {
        unsafe samples.withUnsafeBufferPointer { unsafe gw_movement_push(raw, $0.baseAddress, Int32($0.count / 3)) }
    }

    /// What comes next does not follow what came: steps stay counted.
    package mutating func interrupt() { unsafe gw_movement_interrupt(raw) }

    /// Up to the latest sample.
    package var moved: Moved { Moved(unsafe gw_movement_so_far(raw)) }

    /// Samples at 50 Hz at which the steps of the latest call of ``push(_:)`` were.
    package var instants: [Int64] {
        let steps = unsafe gw_movement_steps(raw)
        let count = unsafe Int(steps!.pointee.instant_count)
        return unsafe withUnsafeBytes(of: steps!.pointee.instants) { unsafe Array($0.bindMemory(to: Int64.self).prefix(count)) }
    }

    /// What was found of falls since the last call, one at a time.
    package mutating func takeFall() -> FallEvent? {
        var event = gw_fall_event()
        guard unsafe gw_falls_take(gw_movement_falls(raw), &event) else { return nil }
        let kind: FallEvent.Kind? =
            switch event.kind {
            case GW_FALL_IMPACT: .impact
            case GW_FALL_FALLEN: .fallen
            case GW_FALL_RECOVERED: .recovered
            default: nil
            }
        return kind.map { FallEvent(kind: $0, impact: event.impact, at: event.at) }
    }

    /// The blow that was judged within the latest call of ``push(_:)`` (of at most a second of samples); nil for none.
    package var candidate: FallCandidate? {
        var candidate = gw_fall_candidate()
        guard unsafe gw_falls_candidate(gw_movement_falls(raw), &candidate) else { return nil }
        let numbers = unsafe withUnsafeBytes(of: candidate.features) { unsafe Array($0.bindMemory(to: Int16.self)) }
        return FallCandidate(impact: candidate.impact, numbers: numbers, peak: candidate.peak)
    }
}
