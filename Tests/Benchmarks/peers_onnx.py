"""Gaitway beside onnxruntime on one thread, on the same ONNX files in turns: QDQ files with their own integers; recurrent ones, which
onnxruntime computes in float, quantised here on rows. See `peers`: peers_onnx.py GAITWAY."""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

import usual_networks
from litert_timer import median_ns

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "Tests/Fixtures"
ROWS = FIXTURES / "onnx/rows-96.csv"
QUANTISED = "causal depthwise dilated flat groups norm picture residual".split()
RECURRENT = "gru gru-both-ways keras-gru lstm".split()
ROUNDS = 5


def call_of(model):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    taken = session.get_inputs()[0]
    shape = [extent if isinstance(extent, int) else 1 for extent in taken.shape]
    inputs = {taken.name: np.random.default_rng(2).normal(size=shape).astype(np.float32)}
    return lambda: session.run(None, inputs)


def nothing():
    """A model of four numbers: what remains is Python's part of a call."""
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 4]) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "nothing", ends[:1], ends[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    return model.SerializeToString()


def beside(gaitway, name, file, *importing):
    call, empty = call_of(str(file)), call_of(nothing())
    theirs, bare, ours = [], [], []
    with tempfile.TemporaryDirectory() as directory:
        model = pathlib.Path(directory, "model.safetensors")
        subprocess.run([gaitway, "model", "import", file, "--output", model, *importing], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(ROUNDS):
            theirs.append(median_ns(call)), bare.append(theirs[-1] - median_ns(empty))
            measured = json.loads(subprocess.run([gaitway, "bench", "--model", model, "--json"], capture_output=True, text=True, check=True).stdout)
            ours.append(min(measured["inference_ns"].values()))
    whole, part = (statistics.median(n / t for n, t in zip(ours, them)) for them in (theirs, bare))
    middle = [statistics.median(some) for some in (ours, theirs, bare)]
    print(f"  {name:20} Gaitway {middle[0]:9.1f}  onnxruntime {middle[1]:9.1f}, without Python's part {middle[2]:9.1f}  ratio {whole:.2f} / {part:.2f}")


gaitway = sys.argv[1]
print("beside onnxruntime, QDQ files, ns: medians (at most 0.6)")
for name in QUANTISED:
    beside(gaitway, name, FIXTURES / f"onnx-quantised/{name}-int8.onnx")
print("recurrent ONNX files, which onnxruntime computes in float")
for name in RECURRENT:
    beside(gaitway, name, FIXTURES / f"onnx/{name}.onnx", "--calibrate", ROWS)
print("usual sizes on 128 samples, likewise")
with tempfile.TemporaryDirectory() as directory:
    rows, file = (pathlib.Path(directory, name) for name in ("rows.csv", "network.onnx"))
    np.savetxt(rows, np.random.default_rng(3).normal(size=(60, usual_networks.STEPS * usual_networks.AXES)), fmt="%.4f", delimiter=",")
    for units in 32, 64, 128:
        for operator in "LSTM", "GRU":
            usual_networks.recurrent(operator, units, file)
            beside(gaitway, f"{operator}, {units} units", file, "--calibrate", rows)
    usual_networks.attention(32, file)
    beside(gaitway, "attention, 4 heads", file, "--calibrate", rows)
    quantised = file.with_name("quantised.onnx")
    usual_networks.quantised(file, quantised)
    beside(gaitway, "attention, QDQ", quantised, "--calibrate", rows)
