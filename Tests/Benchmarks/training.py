"""gaitway train beside scikit-learn. Labelled stretches of the HAPT recordings become one's own recordings."""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
from sklearn.neural_network import MLPClassifier

PROGRAM, DATA = sys.argv[1], pathlib.Path(sys.argv[2])
EPOCHS, BATCH, WANTED = 30, 64, 7352


def store(directory):
    """Writes the stretches; returns windows of 100 samples and their labels as numpy has them."""
    number = 0
    labels = list(csv.DictReader(open(DATA / "labels.csv")))
    for recording in csv.DictReader(open(DATA / "recordings.csv")):
        samples = np.fromfile(DATA / recording["file"], "<i2").reshape(-1, 3) / 720
        for row in labels:
            if row["recording"] == recording["recording"] and int(row["activity"]) <= 6:
                part = samples[int(row["first"]) - 1:int(row["last"])]
                lines = [f"{i / 50:.2f},{x:.6f},{y:.6f},{z:.6f}" for i, (x, y, z) in enumerate(part)]
                # Numbered seconds keep the order of the data set.
                stamp = f"2026{number // 86400 + 101:04d}-{number // 3600 % 24:02d}{number // 60 % 60:02d}{number % 60:02d}"
                (directory / f"{row['label']}_{stamp}.csv").write_text("time,accelx,accely,accelz\n" + "\n".join(lines))
                number += 1


def train(directory, stride, epochs):
    begin = time.perf_counter()
    result = subprocess.run([PROGRAM, "train", "--network", "window", "--no-augment", "--epochs", str(epochs), "--stride", str(stride), "--recordings", directory, "--json"],
                            capture_output=True, text=True, check=True)
    return time.perf_counter() - begin, json.loads(result.stdout)


with tempfile.TemporaryDirectory() as name:
    directory = pathlib.Path(name)
    store(directory)
    stride = round(60 * train(directory, 60, 1)[1]["windows"] / WANTED)
    count = train(directory, stride, 1)[1]["windows"]
    # Of a process that a small one began: its peak does not count the memory of this one.
    peak = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"

    def largest(*arguments):
        return int(subprocess.run([sys.executable, "-S", "-c", peak, PROGRAM, *arguments], capture_output=True, text=True, check=True).stdout) / 1024

    before, during = largest("--version"), largest("train", "--network", "window", "--no-augment", "--epochs", "2", "--stride", str(stride), "--recordings", directory)
    rng = np.random.default_rng(1)
    inputs, truths = rng.normal(0, 1, (count, 300)).astype(np.float32), rng.integers(0, 6, count)
    rounds = []
    for _ in range(3):
        short, _ = train(directory, stride, 1)
        whole, result = train(directory, stride, 1 + EPOCHS)
        peer = MLPClassifier((240,), batch_size=BATCH, max_iter=EPOCHS, tol=0, n_iter_no_change=10**6, solver="adam", random_state=1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            begin = time.perf_counter()
            peer.fit(inputs, truths)
        rounds.append((whole - short, time.perf_counter() - begin))
    ours, theirs = (sorted(values)[1] for values in zip(*rounds))
    print(f"300-240-6, {count} windows, {EPOCHS} epochs, batches of {BATCH}: gaitway {ours:.2f} s, MLPClassifier {theirs:.2f} s, ratio {ours / theirs:.2f}")
    samples = sum(len(p.read_text().splitlines()) - 1 for p in directory.glob("*.csv"))
    print(f"peak resident memory {during:.1f} MB, {before:.1f} MB of which are the program's before it begins, {samples * 6 / 1e6:.1f} MB samples")
