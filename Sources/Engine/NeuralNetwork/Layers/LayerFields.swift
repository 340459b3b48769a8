/// The numbers of a layer by name, as its file and `gw_layer` have them. What an operation does not have is nil or empty.
package struct LayerFields: Sendable {
    /// From the input, and from the hidden state.
    package var weights: [Weights] = []
    package var window: KernelShape?
    package var factors: [Multiplier] = []
    package var cellFraction: Int?
    package var cellClip: Int?
    package var resetAfter: Bool?
    package var axis: Int?
    package var first: Int?
    package var factor: Int?
    package var shift: Int?
    /// Integers of the output's type.
    package var table: [Int16]?
    /// Numbers of the source's elements.
    package var places: [Int32]?
    package var forest: Forest?
    package var support: SupportVectors?
}
