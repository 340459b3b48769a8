"""Builds int8 .tflite files of dense layers, for LiteRT to run: golden vectors and the benchmark's peer."""
import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema


class Builder:
    """A model of one subgraph; tensors are added in order and referred to by index."""

    def __init__(self):
        self.model = schema.ModelT()
        self.model.version = 3
        self.model.description = "dense"
        self.model.buffers = [schema.BufferT()]
        self.model.operatorCodes = []
        self.graph = schema.SubGraphT()
        self.graph.tensors, self.graph.operators = [], []
        self.model.subgraphs = [self.graph]

    def tensor(self, shape, kind, scales, zero_point, data=None, axis=0):
        tensor = schema.TensorT()
        tensor.name = f"t{len(self.graph.tensors)}".encode()
        tensor.shape = list(shape)
        tensor.type = kind
        tensor.buffer = 0
        if data is not None:
            buffer = schema.BufferT()
            buffer.data = np.frombuffer(np.ascontiguousarray(data).tobytes(), np.uint8)
            self.model.buffers.append(buffer)
            tensor.buffer = len(self.model.buffers) - 1
        tensor.quantization = schema.QuantizationParametersT()
        tensor.quantization.scale = [float(s) for s in np.atleast_1d(scales)]
        tensor.quantization.zeroPoint = [int(zero_point)] * len(tensor.quantization.scale)
        tensor.quantization.quantizedDimension = axis
        self.graph.tensors.append(tensor)
        return len(self.graph.tensors) - 1

    def operator(self, code, inputs, outputs, kind=None, options=None):
        entry = schema.OperatorCodeT()
        entry.builtinCode = code
        entry.deprecatedBuiltinCode = min(code, 127)
        entry.version = {schema.BuiltinOperator.FULLY_CONNECTED: 4, schema.BuiltinOperator.RESHAPE: 1}.get(code, 2)
        self.model.operatorCodes.append(entry)
        operator = schema.OperatorT()
        operator.opcodeIndex = len(self.model.operatorCodes) - 1
        operator.inputs, operator.outputs = inputs, outputs
        if options is not None:
            operator.builtinOptionsType, operator.builtinOptions = kind, options
        self.graph.operators.append(operator)

    def dense(self, source, weights, bias, input_scale, weight_scales, output, relu):
        """output = (scale, zero point); weights[outputs][inputs] int8, bias int32. Returns the output's tensor."""
        w = self.tensor(weights.shape, schema.TensorType.INT8, weight_scales, 0, weights.astype(np.int8))
        b = self.tensor(bias.shape, schema.TensorType.INT32, np.float32(input_scale) * np.float32(weight_scales), 0, bias.astype("<i4"))
        out = self.tensor((1, weights.shape[0]), schema.TensorType.INT8, output[0], output[1])
        options = schema.FullyConnectedOptionsT()
        options.fusedActivationFunction = schema.ActivationFunctionType.RELU if relu else schema.ActivationFunctionType.NONE
        self.operator(schema.BuiltinOperator.FULLY_CONNECTED, [source, w, b], [out], schema.BuiltinOptions.FullyConnectedOptions, options)
        return out

    def softmax(self, source, count):
        out = self.tensor((1, count), schema.TensorType.INT8, 1 / 256, -128)
        options = schema.SoftmaxOptionsT()
        options.beta = 1.0
        self.operator(schema.BuiltinOperator.SOFTMAX, [source], [out], schema.BuiltinOptions.SoftmaxOptions, options)
        return out

    def logistic(self, source, count):
        out = self.tensor((1, count), schema.TensorType.INT8, 1 / 256, -128)
        self.operator(schema.BuiltinOperator.LOGISTIC, [source], [out])
        return out

    def finish(self, inputs, outputs):
        self.graph.inputs, self.graph.outputs = inputs, outputs
        packer = flatbuffers.Builder(1 << 20)
        packer.Finish(self.model.Pack(packer), b"TFL3")
        return bytes(packer.Output())


def multiplier(real):
    """A real factor as TFLite's QuantizeMultiplier has it: 31-bit multiplier and shift."""
    fraction, shift = np.frexp(np.float64(real))
    fixed = int(np.floor(fraction * (1 << 31) + 0.5))
    if fixed == 1 << 31:
        fixed, shift = fixed // 2, shift + 1
    return (0, 0) if shift < -31 else (fixed, int(shift))


def random_dense(rng, inputs, outputs, input_scale):
    """Weights, bias and scales of a layer whose outputs use the int8 range and sometimes leave it."""
    weights = rng.integers(-127, 128, (outputs, inputs))
    weight_scales = (rng.uniform(0.002, 0.02, outputs)).astype(np.float32)
    bias = rng.integers(-2000, 2000, outputs)
    spread = input_scale * float(weight_scales.mean()) * 74 * 74 * np.sqrt(inputs)
    return weights, bias, weight_scales, (np.float32(spread / 60), int(rng.integers(-40, 40)))
