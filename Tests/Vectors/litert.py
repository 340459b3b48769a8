#!/usr/bin/env python3
"""Writes litert_vectors.h: what LiteRT's reference kernels make of small int8 networks.

    pip install ai-edge-litert flatbuffers numpy
    python3 Tests/Vectors/litert.py > Tests/Vectors/litert_vectors.h
"""
import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from importlib.metadata import version

import tflite

CASES = 12


def row(values):
    return ", ".join(str(int(v)) for v in np.asarray(values).ravel())


def network(index, sizes, last):
    rng = np.random.default_rng(100 + index)
    builder = tflite.Builder()
    scale, zero = np.float32(0.0173), int(rng.integers(-60, 60))
    source = at = builder.tensor((1, sizes[0]), tflite.schema.TensorType.INT8, scale, zero)
    lines, layers = [], []
    for number, (inputs, outputs) in enumerate(zip(sizes, sizes[1:])):
        weights, bias, weight_scales, output = tflite.random_dense(rng, inputs, outputs, scale)
        relu = number + 2 < len(sizes)
        at = builder.dense(at, weights, bias, scale, weight_scales, output, relu)
        factors = [tflite.multiplier(np.float64(scale) * np.float64(w) / np.float64(output[0])) for w in weight_scales]
        name = f"litert_{index}_{number}"
        lines += [
            f"static const int8_t {name}_weights[] = {{{row(weights)}}};",
            f"static const int32_t {name}_bias[] = {{{row(bias)}}};",
            f"static const gw_multiplier {name}_factors[] = {{{', '.join('{%d, %d}' % f for f in factors)}}};",
        ]
        activation = "GW_RELU" if relu else ("GW_SIGMOID" if last == "logistic" else "GW_LINEAR")
        layers.append(
            f"{{{inputs}, {outputs}, {name}_weights, {name}_bias, {name}_factors, {zero}, {output[1]}, {activation}, "
            f"{{{tflite.multiplier(output[0])[0]}, {tflite.multiplier(output[0])[1]}}}}}")
        scale, zero = output
    logits = at
    end = builder.softmax(at, sizes[-1]) if last == "softmax" else builder.logistic(at, sizes[-1])
    interpreter = Interpreter(
        model_content=builder.finish([source], [end, logits]), num_threads=1,
        experimental_op_resolver_type=OpResolverType.BUILTIN_REF, experimental_preserve_all_tensors=True)
    interpreter.allocate_tensors()
    inputs, outputs, finals = [], [], []
    for case in range(CASES):
        x = rng.integers(-128, 128, sizes[0]) if case % 3 else rng.choice([-128, 127], sizes[0])
        interpreter.set_tensor(interpreter.get_input_details()[0]["index"], x.astype(np.int8)[None])
        interpreter.invoke()
        finals.append(interpreter.get_tensor(end)[0])
        outputs.append(interpreter.get_tensor(logits)[0])
        inputs.append(x)
    lines += [
        f"static const gw_dense litert_{index}_layers[] = {{{', '.join(layers)}}};",
        f"static const int8_t litert_{index}_inputs[] = {{{row(inputs)}}};",
        f"static const int8_t litert_{index}_sums[] = {{{row(outputs)}}}; // before soft-max or logistic",
        f"static const int8_t litert_{index}_outputs[] = {{{row(finals)}}}; // scale 1/256, zero point -128",
    ]
    print("\n".join(lines))
    output = "GW_SOFTMAX" if last == "softmax" else "GW_INDEPENDENT"
    return f"    {{{len(layers)}, litert_{index}_layers, {output}, litert_{index}_inputs, litert_{index}_sums, litert_{index}_outputs}},"


print(f"// Made by litert.py with ai-edge-litert {version('ai-edge-litert')}, reference kernels; do not edit.")
entries = [
    network(index, sizes, last)
    for index, (sizes, last) in enumerate([
        ((7, 5, 3), "softmax"), ((33, 17, 6), "softmax"), ((96, 24, 6), "softmax"), ((1, 1, 1), "softmax"), ((50, 19, 4), "logistic"), ((16, 3), "logistic"),
    ])
]
print(f"enum {{ LITERT_CASES = {CASES}, LITERT_NETWORKS = {len(entries)} }};")
print("static const struct litert_network {")
print("    int32_t layer_count;\n    const gw_dense *layers;\n    gw_output output;\n    const int8_t *inputs, *sums, *outputs;")
print("} litert_networks[LITERT_NETWORKS] = {")
print("\n".join(entries))
print("};")
