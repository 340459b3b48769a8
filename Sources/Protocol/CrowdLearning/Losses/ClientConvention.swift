/// Whose reading of lambda and of `noiseScale` counts: Crowd-ML's clients differ.
package enum ClientConvention: String, Sendable, CaseIterable {
    /// ICDCS 2015: lambda w, Laplace noise of scale `noiseScale`.
    case paper
    case android
    /// Both noises have the standard deviation `noiseScale`.
    case python
    /// Of 2017: Gaussian noise of `noiseScale`/√2. Its Laplace noise was none (exp in place of log); that of Android stands for it.
    case ios

    func decayFactor(_ loss: CrowdModel.Loss) -> Double {
        switch self {
        case .paper, .python: 1
        case .android: 2
        case .ios: loss == .logistic ? 1 : 2
        }
    }
}
