"""Builds .tflite files of integers, for LiteRT and tflite-micro to run: golden vectors and the benchmark's peer."""
import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType

TYPES = {8: schema.TensorType.INT8, 16: schema.TensorType.INT16}
PADDING = {"SAME": 0, "VALID": 1}
CURVES = {None: schema.ActivationFunctionType.NONE, "relu": schema.ActivationFunctionType.RELU, "relu6": schema.ActivationFunctionType.RELU6}


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
        entry.version = {schema.BuiltinOperator.FULLY_CONNECTED: 7, schema.BuiltinOperator.RESHAPE: 1, schema.BuiltinOperator.CONV_2D: 3}.get(code, 2)
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

    def value(self, bits, shape, quantisation):
        """A computed tensor; quantisation = (scale, zero point)."""
        return self.tensor(shape, TYPES[bits], *quantisation)

    def weights(self, bits, values, scales, bias, input_scale, axis=0):
        """Constant weights and their bias."""
        w = self.tensor(values.shape, schema.TensorType.INT8, scales, 0, values.astype(np.int8), axis=axis)
        kind = (schema.TensorType.INT32, "<i4") if bits == 8 else (schema.TensorType.INT64, "<i8")
        return w, self.tensor(bias.shape, kind[0], np.float32(input_scale) * np.float32(scales), 0, bias.astype(kind[1]))

    def reshape(self, bits, source, shape, quantisation):
        out = self.value(bits, shape, quantisation)
        self.operator(schema.BuiltinOperator.RESHAPE, [source, self.constant(shape)], [out])
        return out

    def constant(self, integers):
        return self.tensor((len(integers),), schema.TensorType.INT32, [], 0, np.array(integers, "<i4"))

    def convolution(self, bits, source, values, scales, bias, input_scale, shape, output, padding, stride, dilation, curve, depthwise=False):
        """values: [outputs, height, width, inputs], depthwise [1, height, width, outputs]."""
        w, b = self.weights(bits, values, scales, bias, input_scale, axis=3 if depthwise else 0)
        out = self.value(bits, shape, output)
        options = schema.DepthwiseConv2DOptionsT() if depthwise else schema.Conv2DOptionsT()
        options.padding, options.strideH, options.strideW = PADDING[padding], *stride
        options.dilationHFactor, options.dilationWFactor = dilation
        options.fusedActivationFunction = CURVES[curve]
        code, kind = schema.BuiltinOperator.CONV_2D, schema.BuiltinOptions.Conv2DOptions
        if depthwise:
            code, kind = schema.BuiltinOperator.DEPTHWISE_CONV_2D, schema.BuiltinOptions.DepthwiseConv2DOptions
            options.depthMultiplier = 1  # derived from the shapes by every interpreter
        self.operator(code, [source, w, b], [out], kind, options)
        return out

    def pool(self, bits, source, shape, quantisation, size, stride, padding, average):
        out = self.value(bits, shape, quantisation)
        options = schema.Pool2DOptionsT()
        options.padding, options.filterHeight, options.filterWidth, options.strideH, options.strideW = PADDING[padding], *size, *stride
        code = schema.BuiltinOperator.AVERAGE_POOL_2D if average else schema.BuiltinOperator.MAX_POOL_2D
        self.operator(code, [source], [out], schema.BuiltinOptions.Pool2DOptions, options)
        return out

    def mean(self, bits, source, axes, shape, output):
        out = self.value(bits, shape, output)
        options = schema.ReducerOptionsT()
        options.keepDims = len(shape) > 2
        self.operator(schema.BuiltinOperator.MEAN, [source, self.constant(axes)], [out], schema.BuiltinOptions.ReducerOptions, options)
        return out

    def add(self, bits, left, right, shape, output, curve=None):
        out = self.value(bits, shape, output)
        options = schema.AddOptionsT()
        options.potScaleInt16, options.fusedActivationFunction = False, CURVES[curve]
        self.operator(schema.BuiltinOperator.ADD, [left, right], [out], schema.BuiltinOptions.AddOptions, options)
        return out

    def concatenate(self, bits, sources, axis, shape, quantisation):
        out = self.value(bits, shape, quantisation)
        options = schema.ConcatenationOptionsT()
        options.axis = axis
        self.operator(schema.BuiltinOperator.CONCATENATION, sources, [out], schema.BuiltinOptions.ConcatenationOptions, options)
        return out

    def unary(self, code, bits, source, shape, output):
        out = self.value(bits, shape, output)
        self.operator(code, [source], [out])
        return out

    def last_step(self, bits, source, steps, units, quantisation):
        """x[:, -1, :], as Keras's return_sequences=False becomes."""
        out = self.value(bits, (1, units), quantisation)
        options = schema.StridedSliceOptionsT()
        options.beginMask = options.endMask = 5
        options.shrinkAxisMask = 2
        options.ellipsisMask = options.newAxisMask = 0
        inputs = [source, self.constant([0, -1, 0]), self.constant([0, 0, 0]), self.constant([1, 1, 1])]
        self.operator(schema.BuiltinOperator.STRIDED_SLICE, inputs, [out], schema.BuiltinOptions.StridedSliceOptions, options)
        return out

    def lstm(self, bits, source, steps, gates, input_scale, output, cell_bits, clip):
        """gates: (weights, scale, recurrent, scale, bias) of input, forget, modulation, output."""
        units = gates[0][2].shape[0]
        weights, recurrent, biases = [], [], []
        for w, w_scale, r, r_scale, bias in gates:
            tensor, b = self.weights(bits, w, [w_scale], bias, input_scale)
            weights.append(tensor)
            biases.append(b)
            recurrent.append(self.tensor(r.shape, schema.TensorType.INT8, [r_scale], 0, r.astype(np.int8)))
        hidden = self.value(bits, (1, units), output)
        cell = self.value(16, (1, units), (np.float32(2.0**-cell_bits), 0))
        for state in (hidden, cell):
            self.graph.tensors[state].isVariable = True
        out = self.value(bits, (1, steps, units), output)
        options = schema.UnidirectionalSequenceLSTMOptionsT()
        options.fusedActivationFunction, options.cellClip, options.timeMajor = schema.ActivationFunctionType.TANH, clip, False
        inputs = [source] + weights + recurrent + [-1] * 3 + biases + [-1, -1, hidden, cell] + [-1] * 4
        self.operator(schema.BuiltinOperator.UNIDIRECTIONAL_SEQUENCE_LSTM, inputs, [out], schema.BuiltinOptions.UnidirectionalSequenceLSTMOptions, options)
        gate = (np.float32(2.0**-12), 0)
        self.graph.operators[-1].intermediates = [self.value(16, (0,), gate) for _ in range(4)] + [self.value(bits, (0,), output)]
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


def run_litert(content, rows, reset):
    """What LiteRT's reference kernels give for rows of integers; `reset`: variables begin anew with every row."""
    interpreter = Interpreter(model_content=content, num_threads=1, experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    interpreter.allocate_tensors()
    source, result = interpreter.get_input_details()[0], interpreter.get_output_details()[0]
    outputs = []
    for row in rows:
        if reset:
            interpreter.reset_all_variables()
        interpreter.set_tensor(source["index"], row.reshape(source["shape"]).astype(source["dtype"]))
        interpreter.invoke()
        outputs.append(interpreter.get_tensor(result["index"]).ravel())
    return np.array(outputs)


def run_micro(content, rows, reset):
    """The same from tflite-micro, the only one with an int16 LSTM."""
    from tflite_micro.python.tflite_micro import runtime

    interpreter = runtime.Interpreter.from_bytes(content)
    source = interpreter.get_input_details(0)
    outputs = []
    for row in rows:
        if reset:
            interpreter.reset()
        interpreter.set_input(row.reshape(source["shape"]).astype(source["dtype"]), 0)
        interpreter.invoke()
        outputs.append(interpreter.get_output(0).ravel())
    return np.array(outputs)
