/// Numbers with a shape: what a prediction gives, as Core ML's MLMultiArray.
public struct MultiArray: Sendable, Equatable {
    /// Extents, outermost first.
    public let shape: [Int]
    /// Row-major.
    public var values: [Double]

    /// `values` must be as many as the shape has places.
    public init(shape: [Int], values: [Double]) {
        precondition(shape.reduce(1, *) == values.count)
        self.shape = shape
        self.values = values
    }

    /// How many values it has.
    public var count: Int { values.count }

    /// By place in row-major order.
    public subscript(_ index: Int) -> Double {
        get { values[index] }
        set { values[index] = newValue }
    }
}

extension Double {
    /// Itself: what a prediction's element is asked for where it is an NSNumber.
    public var doubleValue: Double { self }
}
