"""The table of fft.c: round(32767 * cos(2 pi i / 1024)), i = 0 ... 256.

    fft.py > fft_table.h
"""
import math

print("// Made by fft.py.")
entries = [math.floor(32767 * math.cos(2 * math.pi * i / 1024) + 0.5) for i in range(257)]
for start in range(0, 257, 16):
    print(" ".join(f"{value}," for value in entries[start:start + 16]))
