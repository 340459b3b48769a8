"""Gaitway beside its peers, in turns within one run: LiteRT for the network, scipy for the front end. See `peers`."""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
from scipy import signal

from litert_timer import call_of, median_ns

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


def middle(values):
    return f"{statistics.median(values):9.1f} ({min(values):.1f} ... {max(values):.1f})"


def beside(theirs, bare):
    return f"LiteRT {middle(theirs)}, without Python's part {middle(bare)}"


def ratios(ours, theirs, bare):
    whole, part = (statistics.median(n / t for n, t in zip(ours, them)) for them in (theirs, bare))
    return f"ratio {whole:.2f} / {part:.2f}"


def networks(bench):
    print("network, one call on one thread, ns: median over rounds (lowest ... highest)")
    empty = call_of(litert_model((4,)))
    for sizes in ((300, 240, 6), (384, 240, 6)):
        call = call_of(litert_model(sizes))
        ours, theirs, bare = [], [], []
        for _ in range(ROUNDS):
            python = median_ns(empty)
            theirs.append(median_ns(call)), bare.append(theirs[-1] - python)
            printed = subprocess.run([bench, *map(str, sizes), "60"], capture_output=True, text=True, check=True).stdout
            ours.append(min(float(line.split()[1]) for line in printed.splitlines()))
        print(f"  {'-'.join(map(str, sizes))}  Gaitway {middle(ours)}  {beside(theirs, bare)}  {ratios(ours, theirs, bare)} (at most 0.6 / 0.7)")


class Limited:
    """LiteRT without AVX-512 in a process of its own (see without_avx512.c)."""

    def __init__(self, out, *files):
        environment = {**os.environ, "LD_PRELOAD": str(out / "without_avx512.so"), "PYTHONPATH": str(out / "limited")}
        command = [sys.executable, ROOT / "Tests/Benchmarks/litert_timer.py", *files]
        self.process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL)

    def measured(self):
        self.process.stdin.write("\n"), self.process.stdin.flush()
        return map(float, self.process.stdout.readline().split())


def same_file(out, gaitway, name, network, limits):
    """One .tflite file, int8, in both: each of our kernels beside LiteRT, and AVX2 beside a LiteRT that is limited to it."""
    content, nothing = network.finish(), litert_model((4,))
    call, empty = call_of(content), call_of(nothing)
    with tempfile.TemporaryDirectory() as directory:
        file, small, model = (pathlib.Path(directory, each) for each in ("network.tflite", "small.tflite", "model.safetensors"))
        file.write_bytes(content), small.write_bytes(nothing)
        subprocess.run([gaitway, "model", "import", file, "--output", model], check=True, stderr=subprocess.DEVNULL)
        limited = Limited(out, file, small) if (out / "limited").exists() else None
        peers = {"": ([], []), "avx2": ([], [])}
        ours = {}
        for _ in range(ROUNDS):
            for which, (theirs, bare) in peers.items():
                if which == "" or limited:
                    whole, python = limited.measured() if which else (median_ns(call), median_ns(empty))
                    theirs.append(whole), bare.append(whole - python)
            measured = json.loads(subprocess.run([gaitway, "bench", "--model", model, "--json"], capture_output=True, text=True, check=True).stdout)
            for kernel, ns in measured["inference_ns"].items():
                ours.setdefault(kernel, []).append(ns)
            for kernel, ns in measured["moving_inference_ns"].items():
                ours.setdefault(f"{kernel}, moving", []).append(ns)
    print(f"  {name}  {beside(*peers[''])}; at most {limits[0]}")
    if limited:
        limited.process.stdin.close(), limited.process.wait()
        print(f"    without AVX-512: {beside(*peers['avx2'])}; at most {limits[1]}")
    for kernel, each in ours.items():
        alike = peers["avx2" if kernel.startswith("avx2") and limited else ""]
        print(f"    {kernel:20} {middle(each)}  {ratios(each, *alike)}")


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


class Fixture:
    """A network of today's Keras, by Tests/Vectors/keras_models.py: 32 samples of three axes."""

    def __init__(self, name):
        self.path = ROOT / f"Tests/Fixtures/tflite/keras-{name}-int8.tflite"

    def finish(self):
        return self.path.read_bytes()


def front_end(gaitway):
    print("front end, one sample of three axes, ns")
    sos = signal.butter(10, 20, fs=50, output="sos")
    stream = np.random.default_rng(3).normal(size=(200_000, 3))
    ours, theirs, parts = [], [], []
    for _ in range(ROUNDS):
        start = time.perf_counter_ns()
        signal.sosfilt(sos, stream, axis=0)
        scipy_ns = (time.perf_counter_ns() - start) / len(stream)
        measured = json.loads(subprocess.run([gaitway, "bench", "--json"], capture_output=True, text=True, check=True).stdout)
        theirs.append(scipy_ns), ours.append(measured["front_end_ns_per_sample"]), parts.append(ours[-1] / scipy_ns)
    print(f"  Gaitway (median of 3, low-pass, gravity, integers) {middle(ours)}")
    print(f"  scipy sosfilt (low-pass alone, float64)            {middle(theirs)}")
    print(f"  ratio {statistics.median(parts):.2f} (at most 0.70)")
    print(f"whole decision (64 samples, network, smoothing): {measured['decision_ns']:.0f} ns")


bench, gaitway, out = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]).resolve()
networks(bench)
same_file(out, gaitway, "convolutions 8, 5, 5, stride 2", convolutions(), ("0.7", "1.0"))
same_file(out, gaitway, "three depthwise convolutions", depthwise(), ("0.6", "0.6"))
same_file(out, gaitway, "LSTM 32, 128 steps", lstm(), ("0.5", "0.5"))
for name in ("attention", "encoder", "residual", "excite", "branches", "separable"):
    same_file(out, gaitway, f"Keras, {name}", Fixture(name), ("0.6", "0.6"))
front_end(gaitway)
