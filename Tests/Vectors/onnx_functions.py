#!/usr/bin/env python3
"""Makes networks of functions that jump, of ranges, deviations and sums, and what onnxruntime says to the rows of rows-17.csv:

    onnx_functions.py DIRECTORY

DIRECTORY holds what onnx_models.py wrote.

    pip install torch onnx onnxruntime onnxscript numpy
"""
import pathlib
import sys

import numpy as np
import onnxruntime
import torch
from torch import nn

from onnx_models import without_traces

INPUTS, HIDDEN, CLASSES = 17, 24, 6


class Between(nn.Module):
    """A function between two layers, on HIDDEN numbers in `rows` rows."""

    def __init__(self, function, rows=3, width=HIDDEN):
        super().__init__()
        self.function, self.rows = function, rows
        self.first, self.last = nn.Linear(INPUTS, HIDDEN), nn.Linear(width, CLASSES)

    def forward(self, x):
        numbers = self.function(self.first(x).reshape(1, self.rows, -1))
        return self.last(numbers.reshape(1, -1))


def scores(divisor):
    return lambda x: (x - x.mean(-1, keepdim=True)) / divisor(x)


def twice_centred(x):
    centred = x - x.mean(-1, keepdim=True)
    return centred / (centred.std(-1, keepdim=True) + 1e-6)


def span(x):
    least, most = x.amin(-1, keepdim=True), x.amax(-1, keepdim=True)
    return (x - least) / (most - least + 1e-3)


def root(x, power):
    return x.clamp(min=1e-6).pow(power).mean(-1).pow(1 / power)


NETWORKS = {
    "jumps": Between(nn.Sequential(nn.Softshrink(0.2), nn.Hardshrink(0.3), nn.Threshold(-0.1, 0.4))),
    "share-above-zero": Between(lambda x: torch.cat([(x > 0).float().mean(-1), x.amax(-1)], -1), width=6),
    "chosen": Between(lambda x: torch.where((x >= 0.1) & ~(x > 1), x, x * x)),
    "sine": Between(lambda x: x + torch.sin(3 * x) ** 2 / 3 + torch.cos(x)),
    "cumulative-sum": Between(lambda x: torch.tanh(x.cumsum(-1) / 4)),
    "log-sum-exp": Between(lambda x: torch.logsumexp(3 * x, -1), width=3),
    "scores-beside": Between(scores(lambda x: x.std(-1, keepdim=True) + 0.1)),
    "scores-limited": Between(scores(lambda x: x.std(-1, keepdim=True).clamp(min=0.2))),
    "scores-once-more": Between(twice_centred),
    "deviations": Between(lambda x: torch.cat([x.std(-1), x.std(-1, unbiased=False), x.norm(dim=-1)], -1), width=9),
    "span": Between(span),
    "steep-root": Between(lambda x: root(x, 3.0), width=3),
}


def main():
    directory = pathlib.Path(sys.argv[1])
    rows = np.loadtxt(directory / "rows-17.csv", delimiter=",", dtype=np.float32)
    for seed, (name, network) in enumerate(NETWORKS.items()):
        torch.manual_seed(seed)
        for layer in (network.first, network.last):
            layer.reset_parameters()
        path = directory / f"{name}.onnx"
        torch.onnx.export(network.eval(), (torch.randn(1, INPUTS),), path, dynamo=True, external_data=False, verbose=False)
        without_traces(path)
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        with open(directory / f"{name}.outputs.csv", "w") as file:
            for row in rows:
                numbers = session.run(None, {session.get_inputs()[0].name: row[None]})[0].ravel()
                file.write(",".join(repr(float(number)) for number in numbers) + "\n")


if __name__ == "__main__":
    main()
