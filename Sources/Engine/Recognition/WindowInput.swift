internal import CRecognition
package import NeuralNetwork

/// What networks take of a window, for training and measuring; the loop does it inside ``Recogniser``.
package enum WindowInput {
    /// - Parameters:
    ///   - window: filtered samples, Q3.12 g, x, y, z interleaved.
    ///   - kind: not ``NetworkInput/features`` and ``NetworkInput/worn``, which no window makes by itself.
    /// - Returns: int16 in Q3.12; empty when the window is too short for features.
    package static func row(_ window: [Int16], _ kind: NetworkInput) -> [Int16] {
        let length = Int32(window.count / 3), count = Int(gw_input_count(kind.raw, length))
        guard kind != .raw, kind != .features, kind != .worn, count > 0 else { return kind == .raw ? window : [] }
        let work = unsafe kind.work(window: window.count / 3)
        defer { unsafe work.deallocate() }
        return unsafe window.withUnsafeBufferPointer {
            unsafe Array(UnsafeBufferPointer(start: gw_input_row(kind.raw, $0.baseAddress, length, work), count: count))
        }
    }
}

extension NetworkInput {
    /// Memory in which ``raw`` is made of windows of so many samples; whoever asks for it frees it.
    func work(window: Int) -> UnsafeMutableRawPointer {
        UnsafeMutableRawPointer.allocate(byteCount: max(8, gw_input_work(raw, Int32(window))), alignment: 16)
    }

    var raw: gw_input {
        switch self {
        case .raw, .features: GW_INPUT_WINDOW
        case .features17: GW_INPUT_FEATURES
        case .rawAndFeatures17: GW_INPUT_WINDOW_AND_FEATURES
        case .features80: GW_INPUT_RICH
        case .shifted: GW_INPUT_SHIFTED
        case .worn: GW_INPUT_WORN
        }
    }
}
