/// The falling rate's curve, from products alone, so that no platform's cosine takes part.
enum Cosine {
    /// cos(pi x) for 0 <= x <= 1, within 3e-4.
    static func ofHalfTurn(_ x: Double) -> Double {
        let t = (0.5 - x) * 3.141592653589793, t2 = t * t
        return t * (1 - t2 * (1.0 / 6 - t2 * (1.0 / 120 - t2 * (1.0 / 5040))))
    }
}
