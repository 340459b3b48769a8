/// Angles in radians, the same on every machine.
enum Trigonometry {
    /// Within 1e-9 of angles up to 1e5: Taylor's series about zero, for a quarter of the circle.
    static func cosine(_ x: Double) -> Double {
        let turn = (x / .pi).rounded(), angle = x - turn * .pi // between -pi / 2 and pi / 2
        var term = 1.0, sum = 1.0
        for k in 1...8 {
            term *= -angle * angle / Double((2 * k - 1) * 2 * k)
            sum += term
        }
        return turn.truncatingRemainder(dividingBy: 2) == 0 ? sum : -sum
    }

    /// Within 1e-14.
    static func arctangent(_ x: Double) -> Double {
        func halved(_ y: Double) -> Double { y / (1 + (1 + y * y).squareRoot()) } // the tangent of half the angle
        let size = x.magnitude, y = halved(halved(size > 1 ? 1 / size : size))
        var sum = 0.0, power = y // Taylor's series of at most a sixteenth of the circle's quarter
        for k in 0..<10 {
            sum += (k % 2 == 0 ? power : -power) / Double(2 * k + 1)
            power *= y * y
        }
        let angle = size > 1 ? .pi / 2 - 4 * sum : 4 * sum
        return x < 0 ? -angle : angle
    }

    /// Within 1e-14; of what is beyond 1 or -1, the angle there.
    static func arcsine(_ x: Double) -> Double {
        let x = min(max(x, -1), 1)
        return arctangent(x / (1 - x * x).squareRoot())
    }
}
