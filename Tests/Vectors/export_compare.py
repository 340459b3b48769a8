#!/usr/bin/env python3
"""What `gaitway model export` writes, run by onnxruntime and LiteRT beside `gaitway model predict`: every network of the fixtures, and both
models that are shipped. Where a network does not hesitate between two classes, all three decide alike.

    export_compare.py GAITWAY
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnxruntime
from ai_edge_litert.interpreter import Interpreter, OpResolverType

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "Tests/Fixtures/tflite"
GAITWAY = sys.argv[1]
# LSTM layers of int8 with weights at random: their hidden state stops at the integers' limits, which it does not in float.
RANDOM = {"lstm-1", "lstm-3"}
REFUSALS = {"onnx": "no operators of ONNX are written for", "tflite": "LiteRT has no operator for"}


def gaitway(*arguments):
    return subprocess.run([GAITWAY, *map(str, arguments)], capture_output=True, text=True)


def predicted(model, rows, fresh):
    path = model.with_suffix(".csv")
    np.savetxt(path, rows, delimiter=",", fmt="%.9f")
    result = gaitway("model", "predict", model, "--input", path, *(["--fresh"] if fresh else []))
    assert result.returncode == 0, result.stderr
    return np.array([[float(number) for number in line.split(",")] for line in result.stdout.split()])


def by_onnxruntime(path, rows):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    given, wanted = session.get_inputs()[0], session.get_outputs()[0].name
    return session.run([wanted], {given.name: rows.astype(np.float32).reshape([-1] + given.shape[1:])})[0]


def by_litert(path, rows, fresh):
    network = Interpreter(str(path), experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
    network.allocate_tensors()
    given, wanted = network.get_input_details()[0], network.get_output_details()[0]["index"]
    outputs = []
    for row in rows.astype(np.float32):
        if fresh:
            network.reset_all_variables()
        network.set_tensor(given["index"], row.reshape(given["shape"]))
        network.invoke()
        outputs.append(network.get_tensor(wanted)[0].copy())
    return np.array(outputs)


def inputs(model, count):
    """Rows that wander through what the network's input holds, as features do; windows of 128 samples: gravity somewhere, and steps."""
    random = np.random.default_rng(7)
    if count == 384:
        time, rows = np.arange(128)[:, None] / 50, []
        for turn in range(200):
            up, steps = random.normal(0, 1, 3), random.uniform(0, 0.4) * random.uniform(0, 1, 3) * (turn % 3)
            rows.append(up / np.linalg.norm(up) + steps * np.sin(2 * np.pi * random.uniform(1.4, 2.2) * time + random.uniform(0, 6, 3)))
        return np.round(np.array(rows).reshape(200, -1), 4)
    return np.round(np.cumsum(random.normal(0, 0.1, (200, count)), 0) % 2 - 1, 4)


def of_columns(work, models):
    """A classifier on features whose columns are of very different sizes, each with a power of two of its own."""
    random = np.random.default_rng(3)
    sizes = 10.0 ** random.uniform(-3, 2, 17)
    rows = random.normal(0, 1, (400, 17)) * sizes
    weights = (random.normal(0, 1, (4, 17)) / sizes).astype("<f4")
    header = json.dumps({"0.weight": {"dtype": "F32", "shape": [4, 17], "data_offsets": [0, weights.nbytes]}}).encode()
    (work / "columns-float.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + weights.tobytes())
    np.savetxt(work / "columns.csv", rows, delimiter=",", fmt="%.9f")
    model = work / "columns.safetensors"
    result = gaitway("model", "import", work / "columns-float.safetensors", "--input", "features", "--calibrate", work / "columns.csv",
                     "--bits", "8", "--activations", "int16", "--output", model)
    assert result.returncode == 0, result.stderr
    exponents = json.loads(gaitway("model", "inspect", model, "--json").stdout)["input_exponents"]
    assert len(set(exponents)) > 3, exponents
    models.append(("columns", model, False))
    return rows


def compare(name, model, fresh, failures, rows=None):
    layers = json.loads(gaitway("model", "inspect", model, "--json").stdout)["layers"]
    count = int(np.prod(next(layer["inputs"] for layer in layers if layer["sources"][0] == 0)))
    rows = inputs(model, count) if rows is None else rows
    expected = predicted(model, rows, fresh)
    ordered = np.sort(expected, 1)
    whole = 1 if np.allclose(expected.sum(1), 1, atol=0.02) else max(np.ptp(expected), 1e-9)
    clear = ordered[:, -1] - ordered[:, -2] > 0.1 * whole if expected.shape[1] > 1 else np.ones(len(rows), bool)
    taken = {}
    for kind, refusal in REFUSALS.items():
        path = model.with_suffix(f".{kind}")
        result = gaitway("model", "export", model, "--format", kind, "--output", path)
        if result.returncode:
            if result.returncode != 64 or refusal not in result.stderr:
                failures.append(f"{name}: {result.stderr}")
            continue
        found = by_onnxruntime(path, rows) if kind == "onnx" else by_litert(path, rows, fresh)
        alike = found.argmax(1) == expected.argmax(1)
        taken[kind] = (alike[clear].sum(), clear.sum(), np.abs(found - expected).max())
        if found.shape != expected.shape or not alike[clear].all() and name not in RANDOM:
            failures.append(f"{name}.{kind}: {(~alike[clear]).sum()} of {clear.sum()} clear decisions differ, by {taken[kind][2]:.4f}")
    return taken


if __name__ == "__main__":
    failures, taken, decisions = [], {"onnx": 0, "tflite": 0}, {"onnx": 0, "tflite": 0}
    with tempfile.TemporaryDirectory() as work:
        models = []
        for file in sorted(FIXTURES.glob("*.tflite")):
            model = pathlib.Path(work) / f"{file.stem}.safetensors"
            fresh = file.stem.endswith("fresh") or file.stem.startswith("keras")
            state = "fresh" if fresh else "kept"
            if gaitway("model", "import", file, "--input", "features", "--state", state, "--output", model).returncode == 0:
                models.append((file.stem, model, fresh))
        for name in ("activity", "waist"):
            model = pathlib.Path(work) / f"{name}.safetensors"
            model.write_bytes((ROOT / f"board/models/{name}.safetensors").read_bytes())
            models.append((name, model, False))
        columns = of_columns(pathlib.Path(work), models)
        for name, model, fresh in models:
            for kind, (_, clear, _) in compare(name, model, fresh, failures, columns if name == "columns" else None).items():
                taken[kind] += 1
                decisions[kind] += clear
    for failure in failures:
        print(failure)
    print(f"exported: of {len(models)} networks {taken['onnx']} as ONNX, {taken['tflite']} as TFLite; {decisions['onnx']} and {decisions['tflite']} clear decisions")
    # So that a reason to refuse does not empty the comparison.
    sys.exit(bool(failures) or len(models) < 55 or taken["onnx"] < 55 or taken["tflite"] < 30)
