internal import CFeatures
internal import CRecognition

/// Features of windows in the wearer's own directions, for training: walking is what the labels call walking. The loop does the same
/// inside ``Recogniser``, where a network finds walking.
package struct WearingObserver {
    private var orientation = gw_orientation()
    private var work = [Int64](repeating: 0, count: Int(GW_WEARING_WORK) / 8 + 1)

    // Cosine and sine of the turns of the directions forward and ahead, Q1.14.
    private var turn: (cosine: Int32, sine: Int32) = (1 << 14, 0), turnAhead: (cosine: Int32, sine: Int32) = (1 << 14, 0)

    /// Whether one of them is turned.
    package var isMistaken: Bool { turn.cosine != 1 << 14 || turnAhead.cosine != 1 << 14 }

    /// Probability of walking, Q0.15, from which the loop learns from a window.
    package static let walkingProbable = Int16(GW_WALKING_PROBABLE)
    /// Windows in the profile from which on it is known how the sensor is worn.
    package static let enough = Int(GW_ORIENTATION_ENOUGH)

    package init() {}

    /// Takes another horizontal direction for forward than walking shows: some gaits hardly tell which it is.
    ///
    /// - Parameter turn: cosine and sine of the angle.
    package mutating func mistakeForward(cosine: Double, sine: Double) {
        turn = (Int32((cosine * 16384).rounded()), Int32((sine * 16384).rounded()))
    }

    /// The same with the direction ahead.
    package mutating func mistakeAhead(cosine: Double, sine: Double) {
        turnAhead = (Int32((cosine * 16384).rounded()), Int32((sine * 16384).rounded()))
    }

    /// Learns from a window of walking: Q3.12 g, x, y, z interleaved.
    package mutating func learn(_ window: [Int16]) {
        let features = features(window)
        unsafe gw_orientation_take(&orientation, window, Int32(window.count / 3), features, true)
    }

    /// The window's ``NetworkInput/countWearing`` features, Q3.12; empty for a window of fewer than 64 samples or more than 256.
    package mutating func features(_ window: [Int16]) -> [Int16] {
        var features = [Int16](repeating: 0, count: Int(GW_WEARING_FEATURES)), frame = orientation.frame
        let length = Int32(window.count / 3)
        if orientation.windows == 0 { unsafe gw_frame_upright(&frame, window, length) }
        if turn.cosine != 1 << 14 { unsafe gw_frame_turn(&frame, turn.cosine, turn.sine) }
        if turnAhead.cosine != 1 << 14 { unsafe gw_frame_turn_ahead(&frame, turnAhead.cosine, turnAhead.sine) }
        return unsafe gw_wearing_features(window, length, &frame, &work, &features) == GW_OK ? features : []
    }
}
