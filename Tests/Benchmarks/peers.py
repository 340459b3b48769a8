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
from peer_networks import NETWORKS, ROOT, litert_model

ROUNDS = 9


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
        importing = getattr(network, "importing", ())
        subprocess.run([gaitway, "model", "import", file, "--output", model, *importing], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
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
for name, (what, network, limits) in NETWORKS.items():
    same_file(out, gaitway, what, network(), limits)
front_end(gaitway)
