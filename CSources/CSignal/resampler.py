#!/usr/bin/env python3
"""Writes resampler_table.h: the right half of the resampler's kernel, a Kaiser-windowed sinc, in Q0.15.

    python3 CSources/CSignal/resampler.py > CSources/CSignal/resampler_table.h

Eight zero crossings on either side and beta = 5.65 put the stop band 60 dB down; with 128 entries between two crossings,
linear interpolation adds errors below -82 dB.
"""
import numpy as np
import scipy
from scipy.special import i0

CROSSINGS, STEPS, BETA = 8, 128, 5.65

u = np.arange(CROSSINGS * STEPS + 1) / STEPS
kernel = np.sinc(u) * i0(BETA * np.sqrt(1 - (u / CROSSINGS) ** 2)) / i0(BETA)
table = np.minimum(np.round(kernel * 32768), 32767).astype(int)
table[-1] = 0

print(f"// Made by resampler.py with scipy {scipy.__version__}; do not edit.")
print(f"enum {{ CROSSINGS = {CROSSINGS}, STEPS = {STEPS} }};")
print(f"static const int16_t kernel_table[{len(table)}] = {{")
for row in range(0, len(table), 16):
    print("    " + ", ".join(str(v) for v in table[row : row + 16]) + ",")
print("};")
