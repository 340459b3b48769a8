#!/usr/bin/env python3
"""Windows and their features, seventeen and eighty (csignal.h), by numpy in float64:

    features.py > feature_vectors.h
"""
import numpy as np

RATE = 50
rng = np.random.default_rng(17)


def features(window):
    g = window / 4096
    body = g - g.mean(0)
    count = len(g)
    size = 1 << (count - 1).bit_length()
    power = np.abs(np.fft.rfft(body, size, axis=0)[1:]) ** 2
    line = np.arange(1, size // 2 + 1) * RATE / size
    shares = power.sum(1) / max(power.sum(), 1e-300)
    entropy = -(shares[shares > 0] * np.log2(shares[shares > 0])).sum() / np.log2(size // 2)
    deviation = g.std(0)
    pairs = [(0, 1), (0, 2), (1, 2)]
    correlation = [(body[:, a] * body[:, b]).mean() / (deviation[a] * deviation[b]) if deviation[a] * deviation[b] > 0 else 0 for a, b in pairs]
    band = np.sqrt(2 * power[(line >= 0.5) & (line <= 3)].sum(0) / size / count)
    frequency = np.where(power.max(0) > 0, line[power.argmax(0)], 0) / 4
    return [*g.mean(0), *deviation, np.abs(body).sum(1).mean(), entropy, *correlation, *frequency, *band]


def describe(signal):
    count, size = len(signal), 1 << (len(signal) - 1).bit_length()
    body = signal - signal.mean()
    power = np.abs(np.fft.rfft(body, size)[1:]) ** 2
    line = np.arange(1, size // 2 + 1) * RATE / size
    shares = power / max(power.sum(), 1e-300)
    entropy = -(shares[shares > 0] * np.log2(shares[shares > 0])).sum() / np.log2(size // 2)
    bands = [np.sqrt(2 * power[(line >= low - 1e-9) & (line <= high + 1e-9)].sum() / size / count) for low, high in ((0.5, 3), (3.1, 8), (8.1, 20))]
    return [signal.std(), np.abs(body).mean(), signal.max(), signal.min(), (line[power.argmax()] if power.max() > 0 else 0) / 4, entropy, *bands]


def rich(window):
    g = window / 4096
    body = np.clip(g - g.mean(0), -8, 32767 / 4096)
    jerk = np.clip(np.diff(g, axis=0, prepend=g[:1]) * 5, -8, 32767 / 4096)
    lengths = [np.minimum(np.linalg.norm(part, axis=1), 32767 / 4096) for part in (body, jerk)]
    signals = [part for axes, length in zip((body, jerk), lengths) for part in (*axes.T, length)]
    return [*g.mean(0), *features(window)[8:11], *(length.mean() for length in lengths), *(value for signal in signals for value in describe(signal))]


def window(count, kind):
    time = np.arange(count) / RATE
    rest = rng.normal(0, 0.6, 3)
    if kind == 0:
        g = rest + rng.normal(0, 0.005, (count, 3))
    elif kind == 1:
        g = rest + sum(np.outer(np.sin(2 * np.pi * rng.uniform(0.6, 9) * time + rng.uniform(0, 6)), rng.normal(0, 0.4, 3)) for _ in range(4)) + rng.normal(0, 0.02, (count, 3))
    elif kind == 2:
        g = rest + rng.normal(0, 0.7, (count, 3)) @ rng.normal(0, 1, (3, 3))
    else:
        g = np.sign(rng.normal(0, 1, (count, 3))) * 8
    return np.clip(np.round(g * 4096), -32768, 32767).astype(int)


cases = [window(count, kind) for count in (128, 128, 128, 100, 64, 16) for kind in range(4)] + [window(1024, 2), np.zeros((128, 3), int), np.full((128, 3), -32768)]
print("// Made by features.py.")
print("typedef struct feature_vector { int32_t length; const int16_t *window; double features[17], rich[80]; } feature_vector;")
for index, case in enumerate(cases):
    print(f"static const int16_t feature_window_{index}[] = {{")
    flat = case.ravel()
    for start in range(0, len(flat), 32):
        print(" ".join(f"{v}," for v in flat[start:start + 32]))
    print("};")
print("static const feature_vector feature_vectors[] = {")
for index, case in enumerate(cases):
    print(f"    {{{len(case)}, feature_window_{index}, {{{', '.join(f'{v:.9g}' for v in features(case))}}}, {{{', '.join(f'{v:.9g}' for v in rich(case))}}}}},")
print("};")
