/// A window that slides over height and width.
package struct KernelShape: Sendable, Hashable, Codable {
    package var height: Int
    package var width: Int
    package var strideHeight = 1
    package var strideWidth = 1
    package var dilationHeight = 1
    package var dilationWidth = 1
    /// Padding before the first row and column; what lies behind the last follows from the output's shape.
    package var top = 0
    package var left = 0

    package init(height: Int, width: Int) {
        self.height = height
        self.width = width
    }

    enum CodingKeys: String, CodingKey {
        case height, width, top, left
        case strideHeight = "stride_height"
        case strideWidth = "stride_width"
        case dilationHeight = "dilation_height"
        case dilationWidth = "dilation_width"
    }
}
