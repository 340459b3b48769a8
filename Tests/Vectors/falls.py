#!/usr/bin/env python3
"""What is known of a blow (gw_falls.h), by numpy in float64, of made-up movements around it:

    falls.py > falls_vectors.h
"""
import numpy as np

BEFORE, SEEN, ONE = 125, 201, 4096.0
rng = np.random.default_rng(23)


def cosine(u, v):
    return float(u @ v / (np.linalg.norm(u) * np.linalg.norm(v) + 1) * ONE)


def features(window):
    w = window.astype(float)
    length = np.linalg.norm(w, axis=1)
    change = np.r_[0, np.linalg.norm(np.diff(w, axis=0), axis=1)]
    away = abs(length - ONE)

    def part(of, first, last):
        return of[BEFORE + first:BEFORE + last]

    def mean(first, last):
        return part(w, first, last).mean(0)

    a, b, d, e, f = mean(-125, -75), mean(-75, -25), mean(6, 25), mean(25, 50), mean(50, 75)
    before, late = mean(-125, -25), mean(25, 75)
    up = before / np.linalg.norm(before)
    near = part(w, -25, 26)
    across = np.sqrt(np.maximum((near ** 2).sum(1) - (near @ up) ** 2, 0))
    tens = [mean(at, at + 10) for at in range(-124, -44, 10)]
    return [
        max(cosine(9 * mean(at, at + 9), 100 * before) for at in range(11, 68, 3)),
        max(np.linalg.norm(mean(at, at + 5)) for at in range(-11, 9)),
        cosine(a * 50, e * 25), cosine(before * 100, late * 50), cosine(a * 50, mean(55, 75) * 20),
        part(length, -124, -12).max() * ONE / length[BEFORE], part(length, 12, 76).max() * ONE / length[BEFORE],
        a @ late / np.linalg.norm(late), across.max(), (part(away, 10, 76) > 1024).sum(), part(length, 50, 75).max(),
        part(change, 55, 75).mean(), min(cosine(9 * mean(at, at + 9), 100 * before) for at in range(-124, -34, 3)),
        max(part(length, at, at + 9).mean() for at in range(-13, 7)), cosine(d * 19, f * 25),
        max(((part(w, 50, 75) - f) ** 2).sum(1).mean(), 0) / 1024, part(change, -6, 7).mean(), part(length, -8, 13).mean() - ONE,
        part(change, -125, -75).mean(), part(away, -125, -75).mean(), cosine(a * 50, b * 50),
        sum(ONE - cosine(10 * t, 10 * s) for t, s in zip(tens[1:], tens)),
    ]


def rotation():
    q = rng.normal(size=4)
    q /= np.linalg.norm(q)
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def movement(number):
    """Upright with some gait, a blow, then lying (even numbers) or upright again."""
    time = np.arange(SEEN)
    after = np.clip((time - BEFORE) / 20, 0, 1)
    angle = after * (rng.uniform(1, 1.6) if number % 2 == 0 else rng.uniform(0, 0.3))
    w = np.stack([np.cos(angle), np.sin(angle), np.zeros(SEEN)], 1)
    gait = rng.uniform(0, 0.5) * np.sin(2 * np.pi * time / rng.uniform(20, 40)) * (time < BEFORE)
    w[:, 0] += gait
    blow = np.exp(-((time - BEFORE) / rng.uniform(1, 4)) ** 2)[:, None] * rng.normal(size=3) * rng.uniform(1, 4)
    w += blow + rng.normal(scale=rng.uniform(0.005, 0.05), size=w.shape)
    return np.clip(np.rint(w @ rotation().T * ONE), -32768, 32767).astype(int)


windows = [movement(number) for number in range(24)]
print("// Made by Tests/Vectors/falls.py with numpy.")
print(f"enum {{ FALL_CASES = {len(windows)} }};")
print("static const int16_t fall_windows[FALL_CASES][GW_FALLS_SEEN][GW_AXES] = {")
for window in windows:
    print("{" + ",".join("{%d,%d,%d}" % tuple(row) for row in window) + "},")
print("};\nstatic const double fall_features[FALL_CASES][GW_FALLS_FEATURES] = {")
for window in windows:
    print("{" + ",".join(f"{value:.4f}" for value in features(window)) + "},")
print("};")
