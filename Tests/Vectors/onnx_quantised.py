#!/usr/bin/env python3
"""Quantises the networks of onnx_models.py with onnxruntime's own tools, and writes what onnxruntime says to a few rows:

    onnx_quantised.py ONNX_DIRECTORY DIRECTORY [KIND or NAME...]

Writes NAME-int8.onnx (QDQ, a scale for each channel), NAME-uint8.onnx (QDQ, one scale for all), NAME-float-weights.onnx (QDQ, weights in
float before their QuantizeLinear, as PyTorch leaves them), NAME-symmetric.onnx (QDQ, zero points of zero),
NAME-constants.onnx (scales and zero points by Constant, as PyTorch writes them), NAME-integers.onnx (QOperator: operators on integers) and NAME-dynamic.onnx, with .outputs.csv for the rows of rows-96.csv: of QDQ the
quantised integers before the last DequantizeLinear, minus 128 where they are uint8; of dynamic ones floats.

    pip install onnx onnxruntime numpy sympy
"""
import logging
import pathlib
import sys
import tempfile
import warnings

import numpy as np
import onnx
import onnx.numpy_helper
import onnxruntime
from onnx import TensorProto, helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

STATIC = {
    "int8": "encoder limited-pool normed-pieces flat causal cropped depthwise dilated elu groups largest leaky norm picture prelu residual selu new-residual softplus".split(),
    "uint8": "normed-pieces flat picture residual groups mish".split(),
    "float-weights": "flat residual".split(),
    "symmetric": "encoder".split(),
    "constants": "flat".split(),
    "integers": "flat picture residual groups cropped depthwise leaky swish attention".split(),
    "uint8-integers": "flat groups".split(),
}
# The runtime quantises a part of these alone: LSTM and GRU stay in float.
PARTLY = {"int8": ["convolutions-lstm", "keras-both-ways"]}
DYNAMIC = "flat residual groups convolutions-lstm lstm-both-ways transformer keras-both-ways gru".split()


def limited_pool(path):
    """A ReLU behind a pool, of which quantize_static leaves the zero point alone; the same tensor with two scales."""
    random = np.random.default_rng(3)
    tensor = lambda name, *shape: onnx.numpy_helper.from_array(random.normal(0, 0.4, shape).astype(np.float32), name)
    make, value = helper.make_node, helper.make_tensor_value_info
    graph = helper.make_graph(
        [make("Conv", ["x", "w", "b"], ["c"]), make("MaxPool", ["c"], ["p"], kernel_shape=[2], strides=[2]), make("Relu", ["p"], ["r"]),
         make("GlobalAveragePool", ["r"], ["m"]), make("Flatten", ["m"], ["f"]), make("Gemm", ["f", "v", "d"], ["y"])],
        "limited", [value("x", TensorProto.FLOAT, [1, 3, 32])], [value("y", TensorProto.FLOAT, [1, 6])],
        [tensor("w", 8, 3, 5), tensor("b", 8), tensor("v", 8, 6), tensor("d", 6)])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def normed_pieces(path):
    """Batch normalisations that no convolution takes: of the input, and of two pieces put together, before a convolution."""
    random = np.random.default_rng(4)
    def tensor(name, *shape, low=None):
        numbers = random.normal(0, 0.4, shape) if low is None else random.uniform(low, 4 * low, shape)
        return onnx.numpy_helper.from_array(numbers.astype(np.float32), name)
    make, value = helper.make_node, helper.make_tensor_value_info
    norm = lambda source, name: make("BatchNormalization", [source] + [f"{name}{part}" for part in "gbmv"], [name])
    numbers = lambda name, width: [tensor(f"{name}g", width, low=0.3), tensor(f"{name}b", width), tensor(f"{name}m", width), tensor(f"{name}v", width, low=0.2)]
    graph = helper.make_graph(
        [norm("x", "n"), make("Conv", ["n", "w", "b"], ["c"]), make("Conv", ["n", "u", "e"], ["k"]), make("Concat", ["c", "k"], ["j"], axis=1),
         norm("j", "o"), make("Relu", ["o"], ["r"]), make("Conv", ["r", "z", "h"], ["q"]),
         make("GlobalAveragePool", ["q"], ["p"]), make("Flatten", ["p"], ["f"]), make("Gemm", ["f", "v", "d"], ["y"])],
        "normed", [value("x", TensorProto.FLOAT, [1, 3, 32])], [value("y", TensorProto.FLOAT, [1, 6])],
        numbers("n", 3) + numbers("o", 16)
        + [tensor("w", 8, 3, 5), tensor("b", 8), tensor("u", 8, 3, 5), tensor("e", 8), tensor("z", 8, 16, 3), tensor("h", 8), tensor("v", 8, 6), tensor("d", 6)])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def encoder(path):
    """A transformer's encoder layer on 32 samples and a class token, with factors of -1.2 ... 1.2 behind its normalisations."""
    random = np.random.default_rng(6)
    constants = []
    make, value = helper.make_node, helper.make_tensor_value_info
    def tensor(name, *shape, spread=0.3):
        constants.append(onnx.numpy_helper.from_array(random.normal(0, spread, shape).astype(np.float32), name))
        return name
    def dense(source, name, inputs, outputs):
        return [make("MatMul", [source, tensor(f"{name}w", inputs, outputs)], [f"{name}m"]), make("Add", [f"{name}m", tensor(f"{name}b", outputs)], [name])]
    def norm(source, name):
        constants.append(onnx.numpy_helper.from_array(random.uniform(-1.2, 1.2, 16).astype(np.float32), f"{name}g"))
        return [make("LayerNormalization", [source, f"{name}g", tensor(f"{name}b", 16)], [name], axis=-1)]
    nodes = [make("Transpose", ["x"], ["t"], perm=[0, 2, 1])] + dense("t", "e", 3, 16)
    nodes += [make("Concat", [tensor("token", 1, 1, 16), "e"], ["j"], axis=1)] + norm("j", "n")
    for name in "qkv":
        nodes += dense("n", name, 16, 16)
    factor = onnx.numpy_helper.from_array(np.float32(0.25), "factor")
    constants.append(factor)
    nodes += [make("Transpose", ["k"], ["kt"], perm=[0, 2, 1]), make("MatMul", ["q", "kt"], ["s"]), make("Mul", ["s", "factor"], ["sf"]),
              make("Softmax", ["sf"], ["p"], axis=-1), make("MatMul", ["p", "v"], ["a"])] + dense("a", "o", 16, 16)
    nodes += [make("Add", ["j", "o"], ["r"])] + norm("r", "u") + dense("u", "h", 16, 24) + [make("Relu", ["h"], ["hr"])] + dense("hr", "i", 24, 16)
    nodes += [make("Add", ["r", "i"], ["z"]), make("ReduceMean", ["z"], ["m"], axes=[1], keepdims=0), make("Gemm", ["m", tensor("cw", 16, 6), tensor("cb", 6)], ["y"])]
    graph = helper.make_graph(nodes, "encoder", [value("x", TensorProto.FLOAT, [1, 3, 32])], [value("y", TensorProto.FLOAT, [1, 6])], constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


# Networks that are not among those of onnx_models.py.
MADE = {"limited-pool": limited_pool, "normed-pieces": normed_pieces, "encoder": encoder}


def with_constants(model):
    """Scales and zero points as Constant nodes in the place of initializers."""
    graph = model.graph
    small = [one for one in graph.initializer if one.name.endswith(("_scale", "_zero_point"))]
    for one in small:
        graph.initializer.remove(one)
        graph.node.insert(0, helper.make_node("Constant", [], [one.name], value=one))
    return model


class Rows(CalibrationDataReader):
    def __init__(self, given):
        shape, random = [d.dim_value or 1 for d in given.type.tensor_type.shape.dim], np.random.default_rng(5)
        self.rows = iter([{given.name: random.normal(0, 0.6, shape).astype(np.float32)} for _ in range(200)])

    def get_next(self):
        return next(self.rows, None)


def outputs(model, rows, isDynamic):
    """What the runtime gives, without its optimisations, before the last DequantizeLinear."""
    graph, isSigned = model.graph, True
    if not isDynamic:
        last = next(node for node in graph.node if node.output[0] == graph.output[0].name)
        zero = next(one for one in graph.initializer if one.name == last.input[2])
        isSigned = zero.data_type == TensorProto.INT8
        del graph.output[:]
        graph.output.append(helper.make_tensor_value_info(last.input[0], zero.data_type, None))
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    given = graph.input[0]
    shape = [d.dim_value or 1 for d in given.type.tensor_type.shape.dim]
    found = np.array([session.run(None, {given.name: row.reshape(shape)})[0].ravel() for row in rows])
    return found if isDynamic else found.astype(int) - (0 if isSigned else 128)


def main():
    source, target = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    target.mkdir(parents=True, exist_ok=True)
    rows = np.loadtxt(source / "rows-96.csv", delimiter=",", dtype=np.float32)
    jobs = [(name, kind, False) for kind, names in STATIC.items() for name in names]
    jobs += [(name, kind, True) for kind, names in PARTLY.items() for name in names] + [(name, "dynamic", True) for name in DYNAMIC]
    for name, kind, isFloat in jobs:
        if len(sys.argv) > 3 and kind not in sys.argv[3:] and name not in sys.argv[3:]:
            continue
        path = target / f"{name}-{kind}.onnx"
        with tempfile.TemporaryDirectory() as directory:
            ready, made = f"{directory}/ready.onnx", str(source / f"{name}.onnx")
            if name in MADE:
                made = f"{directory}/{name}.onnx"
                MADE[name](made)
            quant_pre_process(made, ready, skip_symbolic_shape=True)
            if kind == "dynamic":
                quantize_dynamic(ready, str(path), weight_type=QuantType.QInt8)
            else:
                given = onnx.load(ready).graph.input[0]
                quantize_static(
                    ready, str(path), Rows(given), quant_format=QuantFormat.QOperator if kind.endswith("integers") else QuantFormat.QDQ,
                    weight_type=QuantType.QInt8, per_channel=not kind.startswith("uint8"),
                    activation_type=QuantType.QUInt8 if kind.startswith("uint8") else QuantType.QInt8,
                    extra_options={"AddQDQPairToWeight": kind == "float-weights", "ActivationSymmetric": kind == "symmetric"})
        found = outputs(onnx.load(path), rows, isFloat)
        if kind == "constants":
            onnx.save(with_constants(onnx.load(path)), path)
        np.savetxt(path.with_suffix(".outputs.csv"), found, fmt="%.7g" if isFloat else "%d", delimiter=",")


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    main()
