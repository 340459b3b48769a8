#!/usr/bin/env python3
"""Trains ten networks with PyTorch and ten with scikit-learn on the official windows of UCI HAR, and writes what they decide:

    float_networks.py DATA/uci-har Tests/Fixtures/float

NAME.safetensors holds the weights, NAME.decisions a digit for every fifth window (0-5), all.json the activations. The weights know
nothing of a single person's movements; the windows are not written.

    pip install torch scikit-learn safetensors numpy
"""
import csv
import json
import pathlib
import sys
import warnings

import numpy as np
import torch
from safetensors.numpy import save_file
from sklearn.neural_network import MLPClassifier

STEP = 5


def read(directory):
    x = np.fromfile(directory / "train.i16", "<i2").reshape(-1, 384).astype(np.float32) / 8192
    with open(directory / "train.csv") as file:
        return x, np.array([int(row["activity"]) - 1 for row in csv.DictReader(file)])


class Recurrent(torch.nn.Module):
    def __init__(self, units, layers):
        super().__init__()
        self.lstm = torch.nn.LSTM(3, units, layers, batch_first=True)
        self.fc = torch.nn.Linear(units, 6)

    def forward(self, x):
        return self.fc(self.lstm(x.reshape(len(x), 128, 3))[0][:, -1])


def dense(hidden, activation):
    sizes, layers = (384, *hidden, 6), []
    for inputs, outputs in zip(sizes, sizes[1:]):
        layers += [torch.nn.Linear(inputs, outputs), activation()]
    return torch.nn.Sequential(*layers[:-1])


TORCH = [
    ("relu", lambda: dense((16,), torch.nn.ReLU)), ("relu", lambda: dense((12, 8), torch.nn.ReLU)), ("tanh", lambda: dense((14,), torch.nn.Tanh)),
    ("sigmoid", lambda: dense((16,), torch.nn.Sigmoid)), ("relu6", lambda: dense((16,), torch.nn.ReLU6)), ("linear", lambda: Recurrent(8, 1)),
    ("linear", lambda: Recurrent(12, 1)), ("linear", lambda: Recurrent(16, 1)), ("linear", lambda: Recurrent(10, 2)), ("linear", lambda: Recurrent(20, 1)),
]
SKLEARN = [((12,), "relu"), ((16,), "relu"), ((14,), "tanh"), ((12, 10), "relu"), ((16,), "logistic"), ((8,), "relu"), ((10, 10, 8), "relu"), ((12,), "tanh"), ((18,), "relu"), ((10,), "logistic")]


def train(model, x, y, epochs, seed):
    torch.manual_seed(seed)
    optimiser = torch.optim.Adam(model.parameters(), 0.004)
    order = torch.Generator().manual_seed(seed)
    for _ in range(epochs):
        for batch in torch.randperm(len(x), generator=order).split(64):
            optimiser.zero_grad()
            torch.nn.functional.cross_entropy(model(x[batch]), y[batch]).backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
    return model.eval()


def write(directory, name, tensors, decisions):
    save_file({key: np.ascontiguousarray(value, dtype=np.float32) for key, value in tensors.items()}, directory / f"{name}.safetensors")
    (directory / f"{name}.decisions").write_text("".join(map(str, decisions)) + "\n")


def main():
    data, directory = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    directory.mkdir(parents=True, exist_ok=True)
    warnings.filterwarnings("ignore")
    x, y = read(data)
    index = {}
    tensor_x, tensor_y = torch.tensor(x), torch.tensor(y)
    for number, (activation, make) in enumerate(TORCH):
        torch.manual_seed(number)
        model = make()
        model = train(model, tensor_x, tensor_y, 25 if activation == "linear" else 60, number)
        with torch.no_grad():
            decisions = model(tensor_x[::STEP]).argmax(1).numpy()
        print(f"torch-{number}: {(decisions == y[::STEP]).mean():.3f} right", flush=True)
        write(directory, f"torch-{number}", {k: v.numpy() for k, v in model.state_dict().items()}, decisions)
        index[f"torch-{number}"] = activation
    for number, (hidden, activation) in enumerate(SKLEARN):
        model = MLPClassifier(hidden, activation=activation, max_iter=60, random_state=number).fit(x, y)
        decisions = model.predict(x[::STEP])
        print(f"sklearn-{number}: {(decisions == y[::STEP]).mean():.3f} right", flush=True)
        tensors = {}
        for i, (weights, bias) in enumerate(zip(model.coefs_, model.intercepts_)):
            tensors[f"{i}.weight"], tensors[f"{i}.bias"] = weights.T, bias
        write(directory, f"sklearn-{number}", tensors, decisions)
        index[f"sklearn-{number}"] = {"logistic": "sigmoid"}.get(activation, activation)
    (directory / "all.json").write_text(json.dumps(index, indent=1) + "\n")


main()
