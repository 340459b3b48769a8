/// What to do about a sensor whose samples come at another rate than announced.
struct RateWatch {
    enum Verdict: Equatable {
        case fine
        /// A little off: decisions get worse.
        case off
        /// Far off: it may help to set it up again.
        case setUpAgain
        /// As far off as before: that is its rate, mHz.
        case take(Int)
    }

    // mHz, of the last measurement that was far off.
    private var far: Int?

    /// - Parameters:
    ///   - measured: mHz.
    ///   - rate: that the samples are taken for, mHz.
    ///   - blur: how much two measurements of one rate may differ, percent.
    mutating func judge(_ measured: Int, against rate: Int, blur: Int = 2) -> Verdict {
        let off = abs(measured - rate)
        guard off * 5 > rate else {
            far = nil
            return off * 50 > rate ? .off : .fine
        }
        defer { far = measured }
        guard let far, abs(measured - far) * 100 <= far * blur, SamplingRates.usable.contains(measured) else { return .setUpAgain }
        return .take((measured + far) / 2)
    }
}
