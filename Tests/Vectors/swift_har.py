#!/usr/bin/env python3
"""What Swift-HAR's trainer of 2017 makes of three recordings, in numpy float32:

    swift_har.py DIRECTORY

Writes LABEL.i16 (made-up recordings, Q3.12 g, Linux's signs, 1000 samples at 100 Hz), start.f32 and, after one epoch and after
two, epoch1.f32 and epoch2.f32 (weights, little-endian), and outputs.txt: what the network then gives for samples 720 to 819 of each.
Written from the description of Swift-HAR's behaviour, not from Gaitway's code.
"""
import pathlib
import sys

import numpy as np

HIDDEN, RATE, MOMENTUM = 12, np.float32(0.8), np.float32(0.2)


def recording(rng, rest, swing, rate):
    time = np.arange(1000) / 100
    g = np.array(rest) + np.outer(np.sin(2 * np.pi * rate * time), swing) + rng.normal(0, 0.02, (1000, 3))
    return np.round(g * 4096).astype("<i2")


def windows(samples, numbers):
    axes = -(samples.astype(np.float32) / np.float32(4096)).T  # a phone's signs
    axes = np.stack([a - a.min() if a.max() >= 0 else a - a.max() for a in axes])
    return [np.concatenate([a[n * 10:n * 10 + 100] for a in axes]) for n in numbers]


def forward(hidden, output, x):
    h = np.maximum(hidden @ np.append(np.float32(1), x), 0)
    return h, 1 / (1 + np.exp(-(output @ np.append(np.float32(1), h))))


def main():
    directory = pathlib.Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(41)
    kinds = {"walk": ([0.9, -0.2, 0.1], [0.4, 0.1, 0.2], 1.9), "stand": ([1, -0.1, 0], [0.01, 0, 0.01], 0.3), "curl": ([0.2, 0.7, 0.5], [0.1, 0.6, 0.3], 0.7)}
    recordings = {name: recording(rng, *kind) for name, kind in kinds.items()}
    for name, samples in recordings.items():
        (directory / f"{name}.i16").write_bytes(samples.tobytes())
    hidden = (rng.uniform(-1, 1, (HIDDEN, 301)) / np.sqrt(301)).astype(np.float32)
    output = (rng.uniform(-1, 1, (3, HIDDEN + 1)) / np.sqrt(HIDDEN + 1)).astype(np.float32)
    weights = [hidden, output]
    before = [np.zeros_like(w) for w in weights]

    def save(name):
        (directory / name).write_bytes(np.concatenate([w.ravel() for w in weights]).astype("<f4").tobytes())

    save("start.f32")
    for epoch in (1, 2):
        for label, samples in enumerate(recordings.values()):
            target = np.eye(3, dtype=np.float32)[label]
            for x in windows(samples, range(70)):
                h, o = forward(*weights, x)
                error = o * (1 - o) * (o - target)
                inner = (h > 0) * (weights[1][:, 1:].T @ error)
                steps = [np.outer(inner, np.append(np.float32(1), x)), np.outer(error, np.append(np.float32(1), h))]
                old = [w.copy() for w in weights]
                for n in range(2):
                    weights[n] = (old[n] - RATE * steps[n].astype(np.float32) + MOMENTUM * (old[n] - before[n])).astype(np.float32)
                before = old
        save(f"epoch{epoch}.f32")
    lines = [" ".join("%.6f" % v for v in forward(*weights, windows(samples, [72])[0])[1]) for samples in recordings.values()]
    (directory / "outputs.txt").write_text("\n".join(lines) + "\n")


main()
