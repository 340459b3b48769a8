#!/usr/bin/env python3
"""Writes butterworth_table.h: the front end's low-pass filters as second-order sections in Q1.30.

    python3 CSources/CSignal/butterworth.py > CSources/CSignal/butterworth_table.h

Both are causal Butterworth filters at 50 Hz, the ones that make the UCI HAR windows from the raw recordings:
10th order at 20 Hz (noise), 3rd order at 0.3 Hz (gravity). Every zero lies at z = -1, so a section is
g (1 + z^-1)^2 / (1 + a1 z^-1 + a2 z^-2), or g (1 + z^-1) / (1 + a1 z^-1). The gains g follow from the rounded a1 and
a2 so that the gain at zero frequency is one. The noise filter has one gain for all its sections, in the first, which
saves four multiplications; the gravity filter's would be too small for Q1.30, so each of its sections has its own.
The last column is the L1 norm of the impulse response up to that section: the factor by which a section's output can
exceed the input, which must stay below 8 (Q7.24 holds 8 g x 8).
"""
import numpy as np
import scipy
from scipy import signal

ONE = 1 << 30


def sections(order, cutoff, one_gain):
    poles = [(round(a1 * ONE), round(a2 * ONE)) for *_, a1, a2 in signal.butter(order, cutoff, fs=50, output="sos")]
    gains = [(ONE + a1 + a2) / (4 if a2 else 2) / ONE for a1, a2 in poles]
    if one_gain:
        gains = [np.prod(gains)] + [1] * (len(gains) - 1)
    rows, response = [], np.zeros(4096)
    response[0] = 1.0
    for gain, (a1, a2) in zip(gains, poles):
        zeros = np.array([1, 2, 1] if a2 else [1, 1])
        response = signal.lfilter(zeros * gain, [1, a1 / ONE, a2 / ONE], response)
        norm = np.abs(response).sum()
        assert norm < 8 and abs(a1) < 2 * ONE and abs(a2) < 2 * ONE
        rows.append((round(gain * ONE), a1, a2, norm))
    return rows


print(f"// Made by butterworth.py with scipy {scipy.__version__}; do not edit.")
for name, order, cutoff, one_gain in (("noise", 10, 20.0, True), ("gravity", 3, 0.3, False)):
    rows = sections(order, cutoff, one_gain)
    print(f"// Butterworth low-pass, order {order}, {cutoff:g} Hz at 50 Hz: {{g, a1, a2}} in Q1.30; L1 norm so far.")
    print(f"static const gw_section {name}_sections[{len(rows)}] = {{")
    for gain, a1, a2, norm in rows:
        print(f"    {{{gain}, {a1}, {a2}}}, // {norm:.3f}")
    print("};")
