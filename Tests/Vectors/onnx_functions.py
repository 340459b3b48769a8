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


def moments(x):
    centred = x - x.mean(-1, keepdim=True)
    variance = (centred * centred).mean(-1)
    deviation = (variance + 1e-6).sqrt()
    return torch.cat([
        (centred ** 3).mean(-1) / deviation ** 3, (centred ** 4).mean(-1) / (variance + 1e-6) ** 2 - 3,
        (centred ** 3).mean(-1) / (deviation ** 3 + 0.1), (centred ** 4).mean(-1) / variance ** 2], -1)


def over_what_is_not_zero(x):
    length = x.relu().sum(-1, keepdim=True)
    return x / torch.where(length == 0, 1.0, length)


def without_zeros(x):
    rectified = x.relu()
    return torch.cat([(rectified == 0).float().mean(-1), torch.where(rectified == 0, -1.0, rectified).mean(-1)], -1)


class Folded(nn.Module):
    """Rows in the place of a batch, each through the same convolution."""

    def __init__(self):
        super().__init__()
        self.convolution, self.pool = nn.Conv1d(1, 4, 3, padding=1), nn.MaxPool1d(2)

    def forward(self, x):
        return self.pool(self.convolution(x.reshape(-1, 1, x.shape[-1])).relu())


class Rectified(nn.Module):
    """A recurrent layer that is a ReLU, in both directions."""

    def __init__(self):
        super().__init__()
        self.layer = nn.RNN(HIDDEN // 3, 5, nonlinearity="relu", batch_first=True, bidirectional=True)

    def forward(self, x):
        return self.layer(x)[0]


def alike(x):
    return x.transpose(1, 2) @ x / 4


def hidden(scores):
    return scores.masked_fill(torch.ones(8, 8, dtype=torch.bool).triu(1), -torch.inf)


def signs_of_products(x):
    steps = x[..., 1:] - x[..., :-1]
    turns = steps[..., 1:] * steps[..., :-1]
    sides = x[..., :4] / x[..., 4:]
    return torch.cat([(turns < 0).float().mean(-1), (turns >= 0).float().mean(-1), turns.sign().mean(-1), (0 > sides).float().sum(-1)], -1)


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
    "root-of-fourth-powers": Between(lambda x: root(x.relu(), 4.0), width=3),
    "root-behind-a-pool": Between(
        lambda x: nn.functional.avg_pool1d(x.relu().clamp(min=1e-6).pow(3.5), 8).pow(1 / 3.5), width=3),
    "over-what-is-not-zero": Between(over_what_is_not_zero),
    "without-zeros": Between(without_zeros, width=6),
    "root-of-signed-powers": Between(lambda x: (x ** 4).mean(-1) ** 0.25, width=3),
    "moments": Between(moments, width=12),
    "angles": Between(
        lambda x: torch.cat([torch.atan(3 * x), torch.asin(x.clamp(-1, 1)), torch.acos(x.tanh()), torch.tan(x.tanh())], -1).nan_to_num(),
        width=4 * HIDDEN),
    "limited": Between(lambda x: x.clamp(-0.7, 0.9)),
    "three-at-once": Between(lambda x: torch.einsum("bij,bkj,bkl->bil", x / 8, x.tanh(), x)),
    "folded": Between(Folded(), width=3 * 4 * 4),
}
# By PyTorch's older exporter, with a batch that is left open.
OLDER = {
    "rectified-steps": Between(Rectified(), width=3 * 10),
    "squeezed": Between(lambda x: x[..., -1:].squeeze(-1), width=3),
    "hidden-before-exp": Between(lambda x: torch.exp(hidden(alike(x))) @ x.transpose(1, 2)),
    "triangle": Between(lambda x: torch.tril(alike(x).cos()), width=64),
    "signs-of-products": Between(signs_of_products, width=12),
}


def main():
    directory = pathlib.Path(sys.argv[1])
    rows = np.loadtxt(directory / "rows-17.csv", delimiter=",", dtype=np.float32)
    for seed, (name, network) in enumerate((NETWORKS | OLDER).items()):
        torch.manual_seed(seed)
        for layer in network.modules():
            if hasattr(layer, "reset_parameters"):
                layer.reset_parameters()
        path, example = directory / f"{name}.onnx", (torch.randn(1, INPUTS),)
        if name in OLDER:
            torch.onnx.export(network.eval(), example, path, dynamo=False, opset_version=17, input_names=["x"], dynamic_axes={"x": {0: "n"}})
        else:
            torch.onnx.export(network.eval(), example, path, dynamo=True, external_data=False, verbose=False)
        without_traces(path)
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        with open(directory / f"{name}.outputs.csv", "w") as file:
            for row in rows:
                numbers = session.run(None, {session.get_inputs()[0].name: row[None]})[0].ravel()
                file.write(",".join(repr(float(number)) for number in numbers) + "\n")


if __name__ == "__main__":
    main()
