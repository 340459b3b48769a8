#!/usr/bin/env python3
"""Writes filter_vectors.h: median and Butterworth filters of scipy, in float64, over a made-up movement.

    python3 Tests/Vectors/scipy_filter.py > Tests/Vectors/filter_vectors.h
"""
import numpy as np
import scipy
from scipy import signal

rng = np.random.default_rng(7)
n = 700
t = np.arange(n) / 50
x = np.stack([np.sin(2 * np.pi * 1.9 * t) * 0.4 + 1, np.sin(2 * np.pi * 11 * t) * 0.2 - 0.3, rng.normal(size=n) * 0.05], 1)
x[300:420] += [-1.5, 0.9, 0.7]  # a change of posture
x[500:520] *= 7  # a blow that leaves +-8 g
samples = np.clip(np.round(x * 4096), -32768, 32767)
median = signal.medfilt(samples, (3, 1))
total = signal.sosfilt(signal.butter(10, 20, fs=50, output="sos"), median, axis=0)
gravity = signal.sosfilt(signal.butter(3, 0.3, fs=50, output="sos"), total, axis=0)

print(f"// Made by scipy_filter.py with scipy {scipy.__version__}; do not edit. Q3.12 g; the results in 1/16 LSB.")
print(f"enum {{ FILTER_SAMPLES = {n} }};")
for name, values, kind in (("samples", samples, "int16_t"), ("total", total * 16, "int32_t"), ("gravity", gravity * 16, "int32_t")):
    cells = ", ".join(str(int(v)) for v in np.round(values).ravel())
    print(f"static const {kind} filter_{name}[] = {{{cells}}};")
