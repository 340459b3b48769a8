#!/usr/bin/env python3
"""Windows in a wearer's own directions and their features (cfeatures.h), by numpy in float64:

    wearing.py > wearing_vectors.h
"""
import numpy as np

RATE = 50
EDGES = [0.3, 0.7, 1.1, 1.5, 1.9, 2.3, 2.7, 3.2, 4.0, 5.0, 6.5, 8.5, 11, 14, 19]
VERTICAL_LAGS = [6, 10, 14, 18, 22, 26, 30, 36, 44, 54]
LENGTH_LAGS = [10, 14, 18, 22, 26, 30, 36, 44, 54]
DIRECTED_LAGS = [-12, -8, -4, 0, 4, 8, 12]
rng = np.random.default_rng(19)


def level(sums, count, finer=0):
    return np.log2(sums + count * 16 * 4**finer) / 8


def bands(powers, size, count):
    line = np.arange(size // 2 + 1) * RATE / size
    return [level(powers[(line >= low - 1e-9) & (line < high - 1e-9) & (line > 0)].sum(), count, 4) for low, high in zip(EDGES, EDGES[1:])]


def power(signal, size):
    return np.abs(np.fft.rfft((signal - signal.mean()) * 16, size)) ** 2


def again(signal, lags):
    body, count = signal - signal.mean(), len(signal)
    whole = (body**2).sum() + 16 * count
    return [(body[lag:] * body[:-lag]).sum() / (count - lag) * count / whole for lag in lags]


def skewness(signal):
    body = signal - signal.mean()
    return (body**3).mean() / (np.sqrt((body**2).mean()) + 4) ** 3 / 4


# `right` comes `lag` samples later.
def correlation(left, right, lag):
    noise = 16 * len(left)
    early, late = (left[:len(left) - lag], right[lag:]) if lag >= 0 else (left[-lag:], right[:lag])
    return early @ late / np.sqrt((left @ left + noise) * (right @ right + noise))


def features(window, up, forward, front):
    count, size = len(window), 128 if len(window) <= 128 else 256
    u, f = np.array(up) / 16384, np.array(forward) / 16384
    directions = [window @ u, window @ f, window @ np.cross(u, f)]
    vertical, ahead, across = directions
    length = np.linalg.norm(window, axis=1)
    bodies = [d - d.mean() for d in directions]
    v, a, c = bodies
    moment = np.array([[a @ a, a @ c], [a @ c, c @ c]])
    least, most = np.linalg.eigvalsh(moment)
    half = (count + 1) // 2
    between = np.array([d[half:].mean() - d[:half].mean() for d in directions]) / 4096
    jerk = [(np.diff(d) ** 2).sum() for d in directions]
    noise = 16 * count
    together = [abs(v @ o) / np.sqrt((v @ v + noise) * (o @ o + noise)) for o in (a, c)]
    horizontal = power(ahead, size) + power(across, size)
    upright = [
        vertical.mean() / 4096, np.hypot(ahead.mean(), across.mean()) / 4096, abs(ahead.mean()) / 4096, abs(across.mean()) / 4096,
        level(most, count), level(max(least, 0), count), level(a @ a, count), level(c @ c, count), level(v @ v, count), level(jerk[0], count),
        skewness(vertical), v.max() / 4096, v.min() / 4096, *together, np.linalg.norm(between), between[0],
        *again(vertical, VERTICAL_LAGS), *bands(power(vertical, size), size, count), *bands(horizontal, size, count)]
    body = length - length.mean()
    gait = [
        level(body @ body, count), level(v @ v + a @ a + c @ c, count), level(sum(jerk), count), skewness(length), length.max() / 4096 - 1,
        length.min() / 4096 - 1, *again(length, LENGTH_LAGS), *bands(power(length, size), size, count),
        *bands(power(vertical, size) + horizontal, size, count)]
    front = np.array(front) / 16384
    both = [window @ front, window @ np.cross(u, front)]
    f, s = (d - d.mean() for d in both)
    directed = [
        both[0].mean() / 4096, both[1].mean() / 4096, skewness(both[0]), skewness(both[1]),
        f.max() / 4096, f.min() / 4096, s.max() / 4096, s.min() / 4096,
        *(correlation(v, f, lag) for lag in DIRECTED_LAGS), *(correlation(v, s, lag) for lag in DIRECTED_LAGS),
        *(correlation(f, s, lag) for lag in DIRECTED_LAGS[1:-1]), *((d[half:].mean() - d[:half].mean()) / 4096 for d in both)]
    return upright + gait + directed


def frame():
    up = rng.normal(size=3)
    up /= np.linalg.norm(up)
    level = [np.cross(up, rng.normal(size=3)) for _ in range(2)]
    return [np.round(d / np.linalg.norm(d) * 16384).astype(int) for d in (up, *level)]


def window(count, kind):
    time, rest = np.arange(count) / RATE, rng.normal(0, 0.5, 3)
    if kind == 0:
        g = rest + rng.normal(0, 0.005, (count, 3))
    elif kind == 1:
        g = rest + sum(np.outer(np.sin(2 * np.pi * rng.uniform(0.6, 9) * time + rng.uniform(0, 6)), rng.normal(0, 0.3, 3)) for _ in range(4)) + rng.normal(0, 0.02, (count, 3))
    else:
        g = rest + rng.normal(0, 0.5, (count, 3)) @ rng.normal(0, 1, (3, 3))
    return np.clip(np.round(g * 4096), -16384, 16383).astype(int)


cases = [(window(count, kind), *frame()) for count in (128, 128, 100, 64, 256) for kind in range(3)]
print("// Made by wearing.py.")
print("typedef struct wearing_vector { int32_t length; const int16_t *window; gw_frame frame; double features[127]; } wearing_vector;")
for index, (case, *_) in enumerate(cases):
    print(f"static const int16_t wearing_window_{index}[] = {{")
    flat = case.ravel()
    for start in range(0, len(flat), 20):
        print(" ".join(f"{v}," for v in flat[start:start + 20]))
    print("};")
print("static const wearing_vector wearing_vectors[] = {")
for index, (case, *frame) in enumerate(cases):
    directions = "{" + ", ".join("{" + ", ".join(map(str, d)) + "}" for d in frame) + "}"
    print(f"    {{{len(case)}, wearing_window_{index}, {directions}, {{")
    values = [f"{v:.9g}," for v in features(case.astype(float), *frame)]
    for start in range(0, len(values), 8):
        print("        " + " ".join(values[start:start + 8]))
    print("    }},")
print("};")
