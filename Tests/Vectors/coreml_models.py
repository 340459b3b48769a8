#!/usr/bin/env python3
"""Makes Core ML networks with coremltools and fixed seeds, and what numpy makes of them in float64:

    coreml_models.py DIRECTORY

Writes NAME.mlmodel, NAME.inputs.csv and NAME.outputs.csv for every network. Inputs of an LSTM are rows of all its steps.

    pip install coremltools numpy
"""
import pathlib
import sys

import coremltools.models.datatypes as datatypes
import numpy as np
from coremltools.models.neural_network import NeuralNetworkBuilder

STEPS, ROWS = 12, 40


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


CURVES = {
    "RELU": (None, lambda x: np.maximum(x, 0)), "SIGMOID": (None, sigmoid), "TANH": (None, np.tanh),
    "SCALED_TANH": ([1.2, 0.7], lambda x: 1.2 * np.tanh(0.7 * x)), "SIGMOID_HARD": ([0.2, 0.5], lambda x: np.clip(0.2 * x + 0.5, 0, 1)),
    "LEAKYRELU": ([0.1], lambda x: np.where(x < 0, 0.1 * x, x)), "ELU": (0.8, lambda x: np.where(x < 0, 0.8 * (np.exp(x) - 1), x)),
    "SOFTSIGN": (None, lambda x: x / (1 + np.abs(x))), "SOFTPLUS": (None, lambda x: np.log1p(np.exp(x))), "LINEAR": ([0.5, -0.2], lambda x: 0.5 * x - 0.2),
    "THRESHOLDEDRELU": (0.3, lambda x: np.where(x > 0.3, x, 0)),
}


class Network:
    """A chain; `steps` holds what each layer does, for numpy."""

    def __init__(self, rng, inputs, states=()):
        self.rng, self.width, self.steps, self.at = rng, inputs, [], "input1"
        self.features = [("input1", datatypes.Array(inputs))] + [(name, datatypes.Array(size)) for name, size in states]
        self.builder = None

    def begin(self, outputs):
        self.builder = NeuralNetworkBuilder(self.features, outputs, mode=None)

    def next(self, name, last):
        source, self.at = self.at, "output1" if last else name
        return source, self.at

    def dense(self, outputs, last=False, bias=True):
        w = self.rng.normal(0, 1 / np.sqrt(self.width), (outputs, self.width)).astype(np.float32)
        b = self.rng.normal(0, 0.3, outputs).astype(np.float32) if bias else None
        source, target = self.next(f"dense{len(self.steps)}", last)
        self.builder.add_inner_product(target + "_layer", w, b, self.width, outputs, bias, source, target)
        self.steps.append(lambda x, w=w.astype(float), b=0 if b is None else b.astype(float): w @ x + b)
        self.width = outputs

    def curve(self, name):
        parameters, function = CURVES[name]
        source, target = self.next(f"curve{len(self.steps)}", False)
        self.builder.add_activation(target + "_layer", name, source, target, parameters)
        self.steps.append(function)

    def norm(self):
        n = self.width
        gamma, beta, mean = (self.rng.normal(m, 0.2, n).astype(np.float32) for m in (1, 0, 0))
        variance = self.rng.uniform(0.5, 1.5, n).astype(np.float32)
        source, target = self.next(f"norm{len(self.steps)}", False)
        self.builder.add_batchnorm(target + "_layer", n, gamma, beta, mean, variance, source, target, epsilon=1e-3)
        g, b, m, v = (a.astype(float) for a in (gamma, beta, mean, variance))
        self.steps.append(lambda x: g * (x - m) / np.sqrt(v + 1e-3) + b)

    def softmax(self):
        source, target = self.next("", True)
        self.builder.add_softmax("softmax_layer", source, target)
        self.steps.append(softmax)

    def lstm(self, units, forget_bias):
        w = [self.rng.normal(0, 0.7, (units, self.width)).astype(np.float32) for _ in range(4)]
        r = [self.rng.normal(0, 0.4, (units, units)).astype(np.float32) for _ in range(4)]
        b = [self.rng.normal(0, 0.3, units).astype(np.float32) for _ in range(4)]
        source, target = self.next("lstm_1_output", False)
        # Core ML's order: input, forget, output, modulation.
        order = (0, 1, 3, 2)
        self.builder.add_unilstm(
            "lstm_1", [r[k] for k in order], [w[k] for k in order], [b[k] for k in order], units, self.width,
            [source, "lstm_1_h_in", "lstm_1_c_in"], [target, "lstm_1_h_out", "lstm_1_c_out"], forget_bias=forget_bias, output_all=False)

        def run(x):
            h, c = np.zeros(units), np.zeros(units)
            for row in x.reshape(STEPS, -1):
                i, f, z, o = (w[k].astype(float) @ row + r[k].astype(float) @ h + b[k] + (1 if forget_bias and k == 1 else 0) for k in range(4))
                c = sigmoid(f) * c + sigmoid(i) * np.tanh(z)
                h = sigmoid(o) * np.tanh(c)
            return h

        self.steps.append(run)
        self.width = units

    def gru(self, units):
        w = [self.rng.normal(0, 0.7, (units, self.width)).astype(np.float32) for _ in range(3)]
        r = [self.rng.normal(0, 0.4, (units, units)).astype(np.float32) for _ in range(3)]
        b = [self.rng.normal(0, 0.3, units).astype(np.float32) for _ in range(3)]
        source, target = self.next("gru_1_output", False)
        self.builder.add_gru("gru_1", r, w, b, units, self.width, [source, "gru_1_h_in"], [target, "gru_1_h_out"], inner_activation="SIGMOID")

        def run(x):
            h = np.zeros(units)
            for row in x.reshape(STEPS, -1):
                z, reset = (sigmoid(w[k].astype(float) @ row + r[k].astype(float) @ h + b[k]) for k in range(2))
                o = np.tanh(w[2].astype(float) @ row + r[2].astype(float) @ (h * reset) + b[2])
                h = (1 - z) * o + z * h
            return h

        self.steps.append(run)
        self.width = units

    def __call__(self, x):
        for step in self.steps:
            x = step(x)
        return x


def networks():
    for number, name in enumerate(CURVES):
        rng = np.random.default_rng(500 + number)
        network = Network(rng, 5 + number)
        network.begin([("output1", datatypes.Array(3))])
        network.dense(10, bias=number % 3 != 1)
        if number % 2:
            network.norm()
        network.curve(name)
        network.dense(3)
        network.softmax()
        yield f"{name.lower()}", network, 5 + number
    for number in range(4):
        rng = np.random.default_rng(600 + number)
        units, inputs = 4 + 5 * number, 3 + number
        network = Network(rng, inputs, [("lstm_1_h_in", units), ("lstm_1_c_in", units)])
        network.begin([("output1", datatypes.Array(4)), ("lstm_1_h_out", datatypes.Array(units)), ("lstm_1_c_out", datatypes.Array(units))])
        network.lstm(units, forget_bias=number % 2 == 1)
        network.dense(4, last=number == 2)
        if number != 2:
            network.softmax()
        yield f"lstm-{number}", network, inputs * STEPS
    for number in range(2):
        rng = np.random.default_rng(650 + number)
        units, inputs = 6 + 9 * number, 3 + 2 * number
        network = Network(rng, inputs, [("gru_1_h_in", units)])
        network.begin([("output1", datatypes.Array(4)), ("gru_1_h_out", datatypes.Array(units))])
        network.gru(units)
        network.dense(4)
        network.softmax()
        yield f"gru-{number}", network, inputs * STEPS
    rng = np.random.default_rng(700)
    network = Network(rng, 7)
    network.begin([("output1", datatypes.Array(2))])
    network.dense(6)
    network.curve("TANH")
    network.dense(2, last=True)
    yield "regression", network, 7


def main():
    directory = pathlib.Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    for name, network, inputs in networks():
        (directory / f"{name}.mlmodel").write_bytes(network.builder.spec.SerializeToString())
        rows = np.random.default_rng(1).normal(0, 1, (ROWS, inputs)).astype(np.float32)
        np.savetxt(directory / f"{name}.inputs.csv", rows, "%.9g", ",")
        np.savetxt(directory / f"{name}.outputs.csv", [network(row.astype(float)) for row in rows], "%.9g", ",")


main()
