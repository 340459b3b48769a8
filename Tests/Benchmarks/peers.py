"""Gaitway beside its peers, in turns within one run: LiteRT for the network, scipy for the front end. See `peers`."""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
from ai_edge_litert.interpreter import Interpreter
from scipy import signal

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Vectors"))
import tflite
import tflite_models

ROUNDS = 9


def litert_model(sizes):
    rng = np.random.default_rng(1)
    builder = tflite.Builder()
    scale = np.float32(0.0109)
    source = at = builder.tensor((1, sizes[0]), tflite.schema.TensorType.INT8, scale, -43)
    for number, (inputs, outputs) in enumerate(zip(sizes, sizes[1:])):
        weights, bias, weight_scales, output = tflite.random_dense(rng, inputs, outputs, scale)
        at = builder.dense(at, weights, bias, scale, weight_scales, output, relu=number == 0)
        scale = output[0]
    if len(sizes) > 1:
        at = builder.softmax(at, sizes[-1])
    return builder.finish([source], [at])


def litert_call(sizes):
    interpreter = Interpreter(model_content=litert_model(sizes), num_threads=1)
    interpreter.allocate_tensors()
    index = interpreter.get_input_details()[0]["index"]
    interpreter.set_tensor(index, np.random.default_rng(2).integers(-128, 128, (1, sizes[0]), dtype=np.int8))
    return interpreter.invoke


def median_ns(call, seconds=0.15):
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter_ns()
        for _ in range(16):
            call()
        times.append((time.perf_counter_ns() - start) / 16)
    return statistics.median(times)


def middle(values):
    return f"{statistics.median(values):9.1f} ({min(values):.1f} ... {max(values):.1f})"


def networks(bench):
    print("network, one call on one thread, ns: median over rounds (lowest ... highest)")
    empty = litert_call((4,))
    for sizes in ((300, 240, 6), (384, 240, 6)):
        call = litert_call(sizes)
        ours, theirs, ratios = [], [], []
        for _ in range(ROUNDS):
            litert = median_ns(call) - median_ns(empty)
            printed = subprocess.run([bench, *map(str, sizes), "60"], capture_output=True, text=True, check=True).stdout
            fastest = min(float(line.split()[1]) for line in printed.splitlines())
            theirs.append(litert), ours.append(fastest), ratios.append(fastest / litert)
        print(f"  {'-'.join(map(str, sizes))}  Gaitway {middle(ours)}  LiteRT {middle(theirs)}  ratio {statistics.median(ratios):.2f} (at most 0.60)")


def same_file(gaitway, name, network, shape, limit):
    """One .tflite file, int8, in both; then our slower kernels beside the same."""
    content = network.finish()
    interpreter = Interpreter(model_content=content, num_threads=1)
    interpreter.allocate_tensors()
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], np.random.default_rng(2).integers(-128, 128, shape, dtype=np.int8))
    empty = litert_call((4,))
    with tempfile.TemporaryDirectory() as directory:
        file, model = pathlib.Path(directory, "network.tflite"), pathlib.Path(directory, "model.safetensors")
        file.write_bytes(content)
        subprocess.run([gaitway, "model", "import", file, "--output", model], check=True, stderr=subprocess.DEVNULL)
        theirs, bare, ours = [], [], {}
        for _ in range(ROUNDS):
            theirs.append(median_ns(interpreter.invoke)), bare.append(theirs[-1] - median_ns(empty))
            measured = json.loads(subprocess.run([gaitway, "bench", "--model", model, "--json"], capture_output=True, text=True, check=True).stdout)
            for kernel, ns in measured["inference_ns"].items():
                ours.setdefault(kernel, []).append(ns)
    print(f"  {name}  LiteRT {middle(theirs)}, without Python's part {middle(bare)}; at most {limit}")
    for kernel, each in ours.items():
        whole, part = (statistics.median(n / t for n, t in zip(each, them)) for them in (theirs, bare))
        print(f"    {kernel:14} {middle(each)}  ratio {whole:.2f} / {part:.2f}")


def convolutions():
    """The shape of the network that Gaitway shipped first."""
    network = tflite_models.Network(np.random.default_rng(4), 8, (1, 1, 128, 3))
    for outputs, size in ((16, 8), (32, 5), (48, 5)):
        network.convolution(outputs, (1, size), stride=(1, 2), curve="relu")
    network.mean()
    network.dense(32, curve="relu")
    network.dense(6)
    network.probabilities()
    return network


def depthwise():
    """128 samples, 16 channels, three depthwise convolutions of five taps."""
    network = tflite_models.Network(np.random.default_rng(4), 8, (1, 1, 128, 3))
    network.convolution(16, (1, 5), curve="relu")
    for _ in range(3):
        network.convolution(16, (1, 5), curve="relu", depthwise=True)
    network.mean()
    network.dense(6)
    network.probabilities()
    return network


def lstm():
    """int8, 32 units over 128 steps of three axes, a dense layer of six."""
    network = tflite_models.Network(np.random.default_rng(3), 8, (1, 128, 3))
    network.lstm(32)
    network.last_step()
    network.dense(6)
    network.probabilities()
    return network


def front_end(gaitway):
    print("front end, one sample of three axes, ns")
    sos = signal.butter(10, 20, fs=50, output="sos")
    stream = np.random.default_rng(3).normal(size=(200_000, 3))
    ours, theirs, ratios = [], [], []
    for _ in range(ROUNDS):
        start = time.perf_counter_ns()
        signal.sosfilt(sos, stream, axis=0)
        scipy_ns = (time.perf_counter_ns() - start) / len(stream)
        measured = json.loads(subprocess.run([gaitway, "bench", "--json"], capture_output=True, text=True, check=True).stdout)
        theirs.append(scipy_ns), ours.append(measured["front_end_ns_per_sample"]), ratios.append(ours[-1] / scipy_ns)
    print(f"  Gaitway (median of 3, low-pass, gravity, integers) {middle(ours)}")
    print(f"  scipy sosfilt (low-pass alone, float64)            {middle(theirs)}")
    print(f"  ratio {statistics.median(ratios):.2f} (at most 0.70)")
    print(f"whole decision (64 samples, network, smoothing): {measured['decision_ns']:.0f} ns")


networks(sys.argv[1])
same_file(sys.argv[2], "convolutions 8, 5, 5, stride 2", convolutions(), (1, 1, 128, 3), "0.7 (AVX2: 1.0, of LiteRT with all that it has)")
same_file(sys.argv[2], "three depthwise convolutions", depthwise(), (1, 1, 128, 3), "0.6")
same_file(sys.argv[2], "LSTM 32, 128 steps", lstm(), (1, 128, 3), "0.5")
front_end(sys.argv[2])
