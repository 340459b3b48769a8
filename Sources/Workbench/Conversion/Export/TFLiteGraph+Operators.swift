internal import NeuralNetwork

extension TFLiteGraph.Operator {
    /// What a layer's limits are as an operator's own activation.
    enum Limit: Int8 { case none = 0, relu = 1, relu6 = 3 }

    typealias Value = FlatBufferWriter.Value

    private static func narrow(_ type: IntegerType, _ int8: Int, _ int16: Int) -> Int { type == .int8 ? int8 : int16 }
    private static func limit(_ limit: Limit) -> Value { .number(limit.rawValue) }

    static let quantize = Self(code: 114, version: 2, optionsKind: 89)
    static let reshape = Self(code: 22, version: 1, optionsKind: 17)
    static func dequantize(_ type: IntegerType) -> Self { Self(code: 6, version: narrow(type, 2, 3), optionsKind: 38) }
    static func softmax(_ type: IntegerType) -> Self {
        Self(code: 25, version: narrow(type, 2, 3), optionsKind: 9, options: [0: .float(1)])
    }
    static func dense(_ type: IntegerType, _ activation: Limit, keepsRows: Bool) -> Self {
        Self(code: 9, version: 12, optionsKind: 8, options: [0: limit(activation), 2: .flag(keepsRows)])
    }
    /// - Parameter isSame: as many positions come out as go in, by the stride.
    static func convolution(_ type: IntegerType, _ window: KernelShape, isSame: Bool, _ activation: Limit) -> Self {
        Self(
            code: 3, version: narrow(type, 3, 4), optionsKind: 1,
            options: [
                0: .number(Int8(isSame ? 0 : 1)), 1: .number(Int32(window.strideWidth)), 2: .number(Int32(window.strideHeight)),
                3: limit(activation), 4: .number(Int32(window.dilationWidth)), 5: .number(Int32(window.dilationHeight)),
            ])
    }
    static func depthwise(_ type: IntegerType, _ window: KernelShape, isSame: Bool, _ activation: Limit) -> Self {
        Self(
            code: 4, version: narrow(type, 3, 5), optionsKind: 2,
            options: [
                0: .number(Int8(isSame ? 0 : 1)), 1: .number(Int32(window.strideWidth)), 2: .number(Int32(window.strideHeight)),
                3: .number(Int32(1)), 4: limit(activation), 5: .number(Int32(window.dilationWidth)),
                6: .number(Int32(window.dilationHeight)),
            ])
    }
    static func pool(_ type: IntegerType, isAverage: Bool, _ window: KernelShape, isSame: Bool) -> Self {
        Self(
            code: isAverage ? 1 : 17, version: narrow(type, 2, 3), optionsKind: 5,
            options: [
                0: .number(Int8(isSame ? 0 : 1)), 1: .number(Int32(window.strideWidth)), 2: .number(Int32(window.strideHeight)),
                3: .number(Int32(window.width)), 4: .number(Int32(window.height)), 5: limit(.none),
            ])
    }
    static func pad(_ type: IntegerType) -> Self { Self(code: 34, version: narrow(type, 2, 3), optionsKind: 22) }
    static func mean(_ type: IntegerType) -> Self {
        Self(code: 40, version: narrow(type, 2, 3), optionsKind: 27, options: [0: .flag(false)])
    }
    static func add(_ type: IntegerType, _ activation: Limit) -> Self {
        Self(code: 0, version: narrow(type, 2, 5), optionsKind: 11, options: [0: limit(activation), 1: .flag(false)])
    }
    static func subtract(_ type: IntegerType, _ activation: Limit) -> Self {
        Self(code: 41, version: narrow(type, 2, 5), optionsKind: 28, options: [0: limit(activation), 1: .flag(false)])
    }
    static func multiply(_ type: IntegerType, _ activation: Limit) -> Self {
        Self(code: 18, version: narrow(type, 2, 4), optionsKind: 21, options: [0: limit(activation)])
    }
    static let subtractFloats = Self(code: 41, version: 1, optionsKind: 28, options: [0: limit(.none)])
    static let multiplyFloats = Self(code: 18, version: 1, optionsKind: 21, options: [0: limit(.none)])
    static func extremum(_ type: IntegerType, isMaximum: Bool) -> Self {
        Self(code: isMaximum ? 55 : 57, version: narrow(type, 2, 4), optionsKind: 39)
    }
    static func concatenation(_ type: IntegerType, axis: Int) -> Self {
        Self(code: 2, version: narrow(type, 2, 3), optionsKind: 10, options: [0: .number(Int32(axis)), 1: limit(.none)])
    }
    static func slice(_ type: IntegerType) -> Self { Self(code: 65, version: narrow(type, 2, 4), optionsKind: 48) }
    static func gather(_ type: IntegerType) -> Self {
        Self(code: 36, version: narrow(type, 2, 4), optionsKind: 23, options: [0: .number(Int32(1))])
    }
    /// The right one's rows as columns.
    static func matrixProduct(_ type: IntegerType) -> Self {
        Self(code: 126, version: narrow(type, 2, 3), optionsKind: 101, options: [0: .flag(false), 1: .flag(true)])
    }
    static func sigmoid(_ type: IntegerType) -> Self { Self(code: 14, version: narrow(type, 2, 3)) }
    static func tanh(_ type: IntegerType) -> Self { Self(code: 28, version: narrow(type, 2, 3)) }
    /// In float; [sequence, step, number].
    static func lstm(cellClip: Float) -> Self {
        Self(
            code: 44, version: 1, optionsKind: 71,
            options: [0: .number(Int8(4)), 1: .float(cellClip), 2: .float(0), 3: .flag(false), 4: .flag(false)])
    }
}
