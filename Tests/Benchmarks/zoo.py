#!/usr/bin/env python3
"""Networks of today's converters, trained a little on recordings: how often the imported model decides as onnxruntime does in float.

    zoo.py GAITWAY DATA [NAME ...]

DATA is ../shared/data. Each network of Tests/Vectors/onnx_models.py learns 32-sample windows of four fifths of HAPT's people, is imported
with 1,500 of them to calibrate on, and decides 2,000 windows of the others.

    pip install torch onnx onnxruntime onnxscript numpy
"""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import onnxruntime
import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Vectors"))
sys.dont_write_bytecode = True
import onnx_models

GAITWAY, DATA, WANTED = sys.argv[1], pathlib.Path(sys.argv[2]) / "hapt", sys.argv[3:]
LABELS = ["WALKING", "WALKING_UPSTAIRS", "WALKING_DOWNSTAIRS", "SITTING", "STANDING", "LAYING"]
STEPS = onnx_models.STEPS


def windows():
    with open(DATA / "recordings.csv") as file:
        files = {row["recording"]: np.fromfile(DATA / row["file"], "<i2").reshape(-1, 3) for row in csv.DictReader(file)}
    rows, labels, people = [], [], []
    with open(DATA / "labels.csv") as file:
        for row in csv.DictReader(file):
            if row["label"] in LABELS:
                for start in range(int(row["first"]), int(row["last"]) - STEPS, 2 * STEPS):
                    rows.append(files[row["recording"]][start:start + STEPS] / 720)
                    labels.append(LABELS.index(row["label"]))
                    people.append(int(row["user"]))
    order = np.random.default_rng(1).permutation(len(rows))
    return np.array(rows, np.float32)[order], np.array(labels)[order], np.array(people)[order]


def shaped(rows, shape):
    if len(shape) == 4:
        return rows.transpose(0, 2, 1)[:, None]
    return rows if shape == onnx_models.STEPWISE else rows.transpose(0, 2, 1)


def learn(network, rows, labels):
    optimiser = torch.optim.Adam(network.parameters(), 3e-3)
    network.train()
    for _ in range(300):
        some = torch.randint(0, len(rows), (64,))
        optimiser.zero_grad()
        torch.nn.functional.cross_entropy(network(rows[some]), labels[some]).backward()
        optimiser.step()
    network.eval()


def gaitway(*arguments):
    result = subprocess.run([GAITWAY, *map(str, arguments)], capture_output=True, text=True)
    if result.returncode:
        sys.exit(result.stderr)
    return result.stdout


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    torch.manual_seed(1)
    torch.set_num_threads(1)
    rows, labels, people = windows()
    known, enough = people % 5 != 0, 0
    shares = {}
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        for name, (network, shape) in onnx_models.networks().items():
            if shape == onnx_models.FEATURES or WANTED and name not in WANTED:
                continue
            inputs = np.ascontiguousarray(shaped(rows, shape))
            try:
                learn(network, torch.tensor(inputs[known]), torch.tensor(labels[known]))
            except (RuntimeError, IndexError):  # written for a batch of one, or for fewer classes
                print(f"{name:22}not trained: it takes one window at a time, or has fewer classes", flush=True)
                continue
            path, model = directory / "network.onnx", directory / "model.safetensors"
            torch.onnx.export(network, (torch.zeros(*shape),), path, dynamo=False, opset_version=17)
            calibration, others = inputs[known][:1500], inputs[~known][:2000]
            for file, some in (("calibration.csv", calibration), ("others.csv", others)):
                np.savetxt(directory / file, some.reshape(len(some), -1), fmt="%.5f", delimiter=",")
            session = onnxruntime.InferenceSession(str(path))
            given = session.get_inputs()[0].name
            expected = [session.run(None, {given: row[None]})[0].argmax() for row in others]
            gaitway("model", "import", path, "--input", "features", "--calibrate", directory / "calibration.csv", "--output", model)
            found = [np.argmax(json.loads(line)) for line in gaitway("model", "predict", model, "--input", directory / "others.csv", "--json").splitlines()]
            shares[name] = np.mean(np.array(found) == np.array(expected))
            right = np.mean(np.array(expected) == labels[~known][:2000])
            print(f"{name:22}{100 * shares[name]:7.2f} % alike {100 * right:7.1f} % right", flush=True)
    print(f"{sum(share >= 0.995 for share in shares.values())} of {len(shares)} decide 99.5 % as onnxruntime; the least {100 * min(shares.values()):.2f} %")
