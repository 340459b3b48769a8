import SwiftProtobuf

extension Gaitway_Coreml_Model {
    /// Errors: those of the protocol buffer, which may nest no deeper than a model does.
    package init(bytes: [UInt8]) throws {
        var options = BinaryDecodingOptions()
        options.messageDepthLimit = 32
        self = try Gaitway_Coreml_Model(serializedBytes: bytes, options: options)
    }
}
