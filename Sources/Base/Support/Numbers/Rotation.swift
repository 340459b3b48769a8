/// Rotations of vectors in space.
package enum Rotation {
    /// The matrix of a unit quaternion, row by row.
    package static func matrix(_ w: Double, _ x: Double, _ y: Double, _ z: Double) -> [Double] {
        let first: [Double] = [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)]
        let second: [Double] = [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)]
        let third: [Double] = [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]
        return first + second + third
    }
}
