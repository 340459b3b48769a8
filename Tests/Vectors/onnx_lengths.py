#!/usr/bin/env python3
"""Makes networks in which numbers are divided by lengths, sums and root mean squares, and what onnxruntime says to the rows of rows-17.csv:

    onnx_lengths.py DIRECTORY

DIRECTORY holds what onnx_models.py wrote. In some the divisor is written as exporters and people do, in others it only looks like that: it
has another shape, or what follows is not over all classes.

    pip install torch onnx onnxruntime onnxscript numpy
"""
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from onnx_models import without_traces

INPUTS, CLASSES = 17, 6


class Graph:
    """Operators one after the other, on x of the given shape; opset 18."""

    def __init__(self, shape=(1, INPUTS)):
        self.random = np.random.default_rng(1)
        self.shape, self.nodes, self.constants = shape, [], []

    def op(self, kind, inputs, **attributes):
        name = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name

    def constant(self, numbers, kind=np.float32):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.array(numbers, kind), name))
        return name

    def shaped(self, source, *shape):
        return self.op("Reshape", [source, self.constant(shape, np.int64)])

    def reduced(self, kind, source, *axes, **attributes):
        return self.op(kind, [source, self.constant(axes, np.int64)], **attributes)

    def dense(self, source, inputs, outputs):
        weights = self.constant(self.random.normal(size=(inputs, outputs)) / inputs ** 0.5)
        return self.op("MatMul", [source, weights])

    def model(self, output):
        """Its output has a number for each class."""
        graph = helper.make_graph(
            self.nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, self.shape)],
            [helper.make_tensor_value_info(output, TensorProto.FLOAT, [1, CLASSES])], self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def no_axes():
    """Without axes nothing is added, but a length of one number is its magnitude."""
    graph = Graph()
    magnitude = graph.op("ReduceL2", ["x"], noop_with_empty_axes=1)
    return graph.model(graph.dense(magnitude, INPUTS, CLASSES))


def of_parts():
    """Soft-max is not the network's last where less than all of it is divided behind it."""
    graph = Graph()
    parts = graph.shaped(graph.op("Softmax", [graph.dense("x", INPUTS, CLASSES)], axis=-1), 3, 2)
    return graph.model(graph.shaped(graph.op("LpNormalization", [parts], axis=1, p=2), 1, CLASSES))


def expanded():
    """The lengths are as many as there are rows afterwards."""
    graph = Graph()
    row = graph.shaped("x", 1, 1, INPUTS)
    lengths = graph.op("Expand", [graph.reduced("ReduceL2", row, -1), graph.constant([1, 3, 1], np.int64)])
    total = graph.op("Tanh", [graph.reduced("ReduceSum", graph.op("Div", [row, lengths]), 1)])
    return graph.model(graph.dense(graph.shaped(total, 1, INPUTS), INPUTS, CLASSES))


def three_axes():
    """An epsilon with more axes gives them to the quotient: its maximum over the second is each number itself."""
    graph = Graph()
    mean = graph.reduced("ReduceMean", graph.op("Mul", ["x", "x"]), -1)
    root = graph.op("Sqrt", [graph.op("Add", [mean, graph.constant([[[1e-5]]])])])
    quotient = graph.op("Div", ["x", root])
    moved = graph.op("Tanh", [graph.op("Sub", [quotient, graph.op("Mul", [graph.reduced("ReduceMax", quotient, 1), graph.constant(0.5)])])])
    return graph.model(graph.dense(graph.shaped(moved, 1, INPUTS), INPUTS, CLASSES))


def of_weights():
    """Weights of unit length, which older files compute anew each time; the row has it, too."""
    graph = Graph()
    rows = []
    for source in ("x", graph.constant(graph.random.normal(size=(CLASSES, INPUTS)))):
        length = graph.op("Clip", [graph.reduced("ReduceL2", source, -1), graph.constant(1e-12)])
        rows.append(graph.op("Div", [source, length]))
    return graph.model(graph.op("MatMul", [rows[0], graph.op("Transpose", [rows[1]], perm=[1, 0])]))


def magnitudes():
    """PyTorch's normalize with p=1."""
    graph = Graph()
    sums = graph.op("Clip", [graph.reduced("ReduceL1", "x", 1), graph.constant(1e-12)])
    shares = graph.op("Div", ["x", graph.op("Expand", [sums, graph.op("Shape", ["x"])])])
    return graph.model(graph.dense(graph.op("Relu", [shares]), INPUTS, CLASSES))


def inverse():
    """Times (sum of squares + epsilon)^-0.5 over the second of three axes, which is left out and put in again."""
    graph = Graph()
    table = graph.shaped(graph.dense("x", INPUTS, 12), 1, 3, 4)
    squares = graph.op("Pow", [graph.op("Identity", [table]), graph.constant(2.0)])
    sums = graph.op("Unsqueeze", [graph.reduced("ReduceSum", squares, 1, keepdims=0), graph.constant([1], np.int64)])
    factor = graph.op("Pow", [graph.op("Add", [graph.constant(1e-4), sums]), graph.constant(-0.5)])
    return graph.model(graph.dense(graph.shaped(graph.op("Mul", [factor, table]), 1, 12), 12, CLASSES))


def other_axis():
    """Less the mean over one axis, over the deviation along another."""
    graph = Graph()
    table = graph.shaped(graph.dense("x", INPUTS, 12), 1, 3, 4)
    means = [graph.reduced("ReduceMean", table, axis) for axis in (1, 2)]
    centred = [graph.op("Sub", [table, mean]) for mean in means]
    variance = graph.reduced("ReduceMean", graph.op("Mul", [centred[0], centred[0]]), 1)
    scores = graph.op("Div", [centred[1], graph.op("Sqrt", [graph.op("Add", [variance, graph.constant(1e-3)])])])
    return graph.model(graph.dense(graph.shaped(scores, 1, 12), 12, CLASSES))


class Scores(nn.Module):
    """How many deviations a number lies from the mean of its row, whose variance is divided by one less than there are."""

    def __init__(self):
        super().__init__()
        self.end = nn.Linear(INPUTS, CLASSES)

    def forward(self, x):
        return self.end((x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-6))


def layer():
    """PyTorch's own RMSNorm, whose axis its newer exporter counts from the front."""
    torch.manual_seed(1)
    network = nn.Sequential(nn.Linear(INPUTS, 16), nn.RMSNorm(16, eps=1e-5), nn.ReLU(), nn.Linear(16, CLASSES)).eval()
    return network


def main():
    directory = pathlib.Path(sys.argv[1])
    rows = np.loadtxt(directory / "rows-17.csv", delimiter=",", dtype=np.float32)
    torch.onnx.export(layer(), (torch.randn(1, INPUTS),), directory / "new-rms-layer.onnx", dynamo=True, external_data=False, verbose=False)
    without_traces(directory / "new-rms-layer.onnx")
    torch.manual_seed(1)
    scores = Scores().eval()
    torch.onnx.export(scores, (torch.randn(1, INPUTS),), directory / "deviation.onnx", dynamo=False, opset_version=17)
    torch.onnx.export(scores, (torch.randn(1, INPUTS),), directory / "new-deviation.onnx", dynamo=True, external_data=False, verbose=False)
    without_traces(directory / "new-deviation.onnx")
    made = {
        "length-no-axes": no_axes, "length-of-parts": of_parts, "length-expanded": expanded, "length-three-axes": three_axes,
        "deviation-other-axis": other_axis, "length-of-weights": of_weights, "length-magnitudes": magnitudes, "length-inverse": inverse,
    }
    for name, build in made.items():
        onnx.save(build(), directory / f"{name}.onnx")
    # onnxruntime's own joining of operators loses axes.
    plain = onnxruntime.SessionOptions()
    plain.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    for name in [*made, "new-rms-layer", "deviation", "new-deviation"]:
        session = onnxruntime.InferenceSession(str(directory / f"{name}.onnx"), plain, providers=["CPUExecutionProvider"])
        outputs = [session.run(None, {session.get_inputs()[0].name: row[None]})[0].ravel() for row in rows]
        with open(directory / f"{name}.outputs.csv", "w") as file:
            for row in outputs:
                file.write(",".join(repr(float(number)) for number in row) + "\n")


if __name__ == "__main__":
    main()
