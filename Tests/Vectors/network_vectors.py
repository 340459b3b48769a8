#!/usr/bin/env python3
"""Writes networks/: small networks as C headers with what LiteRT (tflite-micro for int16 LSTM) makes of a few rows, and, of LSTM
layers, every gate and cell at every step. `gaitway model import` and `model export --format c-header` bring the networks to C; the
numbers are the oracles'.

    pip install ai-edge-litert tflite-micro flatbuffers numpy
    python3 Tests/Vectors/network_vectors.py .build/release/gaitway
"""
import pathlib
import subprocess
import sys
import tempfile
from importlib.metadata import version

import numpy as np

import lstm_gates
import tflite
import tflite_models

ROWS = 6
CHOSEN = {"dense": (0, 3, 6, 7, 11), "convolution": (0, 1, 2, 3, 5, 11), "lstm": (0, 1, 3), "dense-16x8": (1, 3), "convolution-16x8": (1, 2, 3), "lstm-16x8": (0, 1)}


def array(kind, name, values):
    text = ", ".join(str(int(v)) for v in np.asarray(values).ravel())
    return f"static const {kind} {name}[] = {{{text}}};"


def export(gaitway, content, name, directory):
    """The network as a C header."""
    with tempfile.TemporaryDirectory() as work:
        model = pathlib.Path(work, "m.tflite")
        model.write_bytes(content)
        quiet = {"check": True, "stderr": subprocess.DEVNULL}
        subprocess.run([gaitway, "model", "import", model, "--input", "features", "--output", f"{work}/m.safetensors"], **quiet)
        target = directory / f"{name}.h"
        subprocess.run([gaitway, "model", "export", f"{work}/m.safetensors", "--format", "c-header", "--output", target, "--name", name], **quiet)
        return target


def random_rows(rng, network, count):
    rows = rng.integers(network.low, network.high + 1, (count, int(np.prod(network.builder.graph.tensors[network.source].shape))))
    rows[::3] = rng.choice([network.low, network.high], rows[::3].shape)
    return rows


def lstm_with_gates(gaitway, bits, directory):
    """One LSTM layer; the numpy one must agree with the interpreter on every step."""
    rng = np.random.default_rng(77 + bits)
    network = tflite_models.Network(rng, bits, (1, 6, 3))
    made = {}
    build = network.builder.lstm
    network.builder.lstm = lambda *arguments: made.update(arguments=arguments) or build(*arguments)
    network.lstm(5, clip=0.0)
    network.last_step()
    _, _, _, gates, scale, output, cell_bits, clip = made["arguments"]
    name = f"lstm_gates_{bits}"
    content = network.finish()
    rows = random_rows(rng, network, ROWS)
    results = (tflite.run_litert if bits == 8 else tflite.run_micro)(content, rows, True)
    source = network.builder.graph.tensors[network.source].quantization
    sums, curves, cells, hidden = [], [], [], []
    for row, result in zip(rows, results):
        lstm = lstm_gates.LSTM(bits, gates, (scale, source.zeroPoint[0]), output, cell_bits, clip)
        for x in row.reshape(6, 3):
            for kept, values in zip((sums, curves, cells, hidden), lstm.step(x)):
                kept.append(values)
        assert list(result) == list(hidden[-1]), f"the int{bits} LSTM in numpy is not the interpreter's"
    header = export(gaitway, content, name, directory)
    lines = [array("int16_t", f"{name}_{part}", values) for part, values in
             (("inputs", rows), ("sums", sums), ("curves", curves), ("cells", cells), ("hidden", hidden))]
    header.write_text(header.read_text() + "\n".join(lines) + "\n")


def main():
    gaitway = sys.argv[1]
    directory = pathlib.Path(__file__).parent / "networks"
    directory.mkdir(exist_ok=True)
    for old in directory.glob("*.h"):
        old.unlink()
    entries = []
    for order, (family, (make, bits, _, run)) in enumerate(tflite_models.FAMILIES.items()):
        for number in CHOSEN[family]:
            rng = np.random.default_rng(9000 + 100 * order + number)
            network = make(rng, number, bits, 14)
            fresh = number % 2 == 0
            rows = random_rows(rng, network, ROWS)
            content = network.finish()
            name = f"{family}_{number}".replace("-", "_")
            header = export(gaitway, content, name, directory)
            lines = [array("int16_t", f"{name}_inputs", rows), array("int16_t", f"{name}_outputs", run(content, rows, fresh))]
            header.write_text(header.read_text() + "\n".join(lines) + "\n")
            entries.append((name, fresh))
    lstm_with_gates(gaitway, 8, directory)
    lstm_with_gates(gaitway, 16, directory)
    versions = f"ai-edge-litert {version('ai-edge-litert')}, tflite-micro {version('tflite-micro')}"
    (directory / "all.h").write_text("\n".join(
        [f"// Made by network_vectors.py with {versions}; do not edit."]
        + [f'#include "{name}.h"' for name, _ in entries] + ['#include "lstm_gates_8.h"', '#include "lstm_gates_16.h"']
        + [f"enum {{ NETWORK_ROWS = {ROWS}, NETWORK_COUNT = {len(entries)} }};",
           "static const struct network_vector {", "    const char *name;", "    const gw_network_spec *spec;",
           "    const int16_t *inputs, *outputs;", "    bool fresh; // its state is forgotten before each row", "} network_vectors[NETWORK_COUNT] = {"]
        + [f'    {{"{name}", &{name}, {name}_inputs, {name}_outputs, {str(fresh).lower()}}},' for name, fresh in entries] + ["};", ""]))


main()
