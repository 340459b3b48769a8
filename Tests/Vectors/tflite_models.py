#!/usr/bin/env python3
"""Makes int8 .tflite networks with fixed seeds and what LiteRT's reference kernels say to random rows:

    tflite_models.py DIRECTORY [--count 40] [--rows 1000] [--largest 130]

Writes N.tflite, N.inputs.csv and N.outputs.csv (the quantised integers) for every network N.

    pip install ai-edge-litert flatbuffers numpy
"""
import argparse
import pathlib

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

import tflite

schema = tflite.schema

def network(rng, number, largest):
    """A chain of one to four dense layers with odd sizes; every form of scales, activations and ends takes its turn."""
    depth = 1 + number % 4
    sizes = [int(rng.integers(1, largest)) for _ in range(depth)] + [int(rng.integers(1, 13))]
    builder = tflite.Builder()
    scale, zero = np.float32(rng.uniform(0.004, 0.06)), int(rng.integers(-128, 128))
    source = at = builder.tensor((1, sizes[0]), schema.TensorType.INT8, scale, zero)
    for layer, (inputs, outputs) in enumerate(zip(sizes, sizes[1:])):
        weights, bias, weight_scales, output = tflite.random_dense(rng, inputs, outputs, scale)
        if number % 3 == 0:
            weight_scales = weight_scales[:1]  # one for the whole layer
        if number % 5 == 0:
            output = (np.float32(output[0] / 7), output[1])  # saturates
        last = layer + 1 == depth
        separate = not last and number % 7 == 0
        at = builder.dense(at, weights, bias, scale, weight_scales, output, relu=not last and not separate)
        if separate:
            relu = builder.tensor((1, outputs), schema.TensorType.INT8, *output)
            builder.operator(schema.BuiltinOperator.RELU, [at], [relu])
            at = relu
        if not last and number % 6 == 0:
            shaped = builder.tensor((1, 1, outputs), schema.TensorType.INT8, *output)
            shape = builder.tensor((3,), schema.TensorType.INT32, [], 0, np.array([1, 1, outputs], "<i4"))
            builder.operator(schema.BuiltinOperator.RESHAPE, [at, shape], [shaped])
            flat = builder.tensor((1, outputs), schema.TensorType.INT8, *output)
            back = builder.tensor((2,), schema.TensorType.INT32, [], 0, np.array([1, outputs], "<i4"))
            builder.operator(schema.BuiltinOperator.RESHAPE, [shaped, back], [flat])
            at = flat
        scale, zero = output
    at = (builder.logistic if number % 4 == 3 else builder.softmax)(at, sizes[-1])
    return builder.finish([source], [at]), sizes[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--largest", type=int, default=130)
    options = parser.parse_args()
    options.directory.mkdir(parents=True, exist_ok=True)
    for number in range(options.count):
        rng = np.random.default_rng(1000 + number)
        content, inputs = network(rng, number, options.largest)
        rows = rng.integers(-128, 128, (options.rows, inputs)).astype(np.int8)
        rows[::10] = rng.choice([-128, 127], (len(rows[::10]), inputs))
        interpreter = Interpreter(model_content=content, num_threads=1, experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
        interpreter.allocate_tensors()
        outputs = []
        for row in rows:
            interpreter.set_tensor(interpreter.get_input_details()[0]["index"], row[None])
            interpreter.invoke()
            outputs.append(interpreter.get_tensor(interpreter.get_output_details()[0]["index"]).ravel())
        (options.directory / f"{number}.tflite").write_bytes(content)
        np.savetxt(options.directory / f"{number}.inputs.csv", rows, "%d", ",")
        np.savetxt(options.directory / f"{number}.outputs.csv", np.array(outputs), "%d", ",")


main()
