"""The table of interpolation.c: 65536 * sigmoid(i / 24), i = 0 ... 255, each raised by half of what the chord to its neighbour
lies below the curve, so that interpolation errs as much to either side; the last entry is the largest.

    interpolation.py > interpolation_table.h
"""
import math

def entry(i):
    s = 1 / (1 + math.exp(-i / 24))
    bend = s * (1 - s) * (2 * s - 1) / 24**2  # minus the second derivative, for one step
    return 65535 if i == 255 else math.floor(65536 * (s + bend / 16) + 0.5)

entries = [entry(i) for i in range(256)]
print("// Made by interpolation.py.")
for start in range(0, 256, 16):
    print(" ".join(f"{value}," for value in entries[start:start + 16]))
