#!/usr/bin/env python3
"""Makes integer .tflite networks with fixed seeds and what TFLite's reference kernels say to random rows:

    tflite_models.py DIRECTORY [--rows 1000] [--largest 130] [--only dense,lstm,...]

Writes NAME.tflite, NAME.inputs.csv and NAME.outputs.csv (the quantised integers) for every network; a NAME with "fresh" forgets
its state before each row. LiteRT gives the outputs, tflite-micro those of the int16 LSTM, which LiteRT does not have.

    pip install ai-edge-litert tflite-micro flatbuffers numpy
"""
import argparse
import pathlib

import numpy as np

import tflite

schema = tflite.schema
PROBABILITY = {8: (np.float32(1 / 256), -128), 16: (np.float32(1 / 32768), 0)}


class Network:
    """A chain that keeps the shape and the scale of where it is."""

    def __init__(self, rng, bits, shape):
        self.rng, self.bits, self.builder = rng, bits, tflite.Builder()
        self.low, self.high = (-128, 127) if bits == 8 else (-32768, 32767)
        self.shape = shape
        self.quantisation = self.random_quantisation(rng.uniform(0.5, 7))
        self.source = self.at = self.builder.value(bits, shape, self.quantisation)

    def random_quantisation(self, largest):
        """A scale for values up to `largest`; int16 has no zero point."""
        zero = int(self.rng.integers(-60, 60)) if self.bits == 8 else 0
        return np.float32(largest / (128 if self.bits == 8 else 32768)), zero

    def spread(self, inputs, scales, share=0.45):
        """The output's quantisation for sums of so many products: the range is used and sometimes left."""
        deviation = float(self.quantisation[0]) * float(np.mean(scales)) * 74 * (74 if self.bits == 8 else 18900) * np.sqrt(inputs)
        return self.random_quantisation(deviation * self.rng.uniform(1, 3) / share / 2)

    def random_weights(self, shape, outputs, one_scale=False):
        values = self.rng.integers(-127, 128, shape)
        scales = self.rng.uniform(0.002, 0.02, 1 if one_scale else outputs).astype(np.float32)
        bias = self.rng.integers(-2000, 2000, outputs) * (1 if self.bits == 8 else 200)
        return values, scales, bias

    def to(self, tensor, shape, quantisation):
        self.at, self.shape, self.quantisation = tensor, shape, quantisation

    def reshape(self, shape):
        self.to(self.builder.reshape(self.bits, self.at, shape, self.quantisation), shape, self.quantisation)

    def dense(self, outputs, curve=None, one_scale=False, saturates=False):
        inputs = self.shape[-1]
        values, scales, bias = self.random_weights((outputs, inputs), outputs, one_scale)
        output = self.spread(inputs, scales)
        if saturates:
            output = (np.float32(output[0] / 7), output[1])
        shape = (*self.shape[:-1], outputs)
        w, b = self.builder.weights(self.bits, values, scales, bias, self.quantisation[0])
        out = self.builder.value(self.bits, shape, output)
        options = schema.FullyConnectedOptionsT()
        options.fusedActivationFunction, options.keepNumDims = tflite.CURVES[curve], len(shape) > 2
        self.builder.operator(schema.BuiltinOperator.FULLY_CONNECTED, [self.at, w, b], [out], schema.BuiltinOptions.FullyConnectedOptions, options)
        self.to(out, shape, output)

    def windowed(self, size, stride, dilation, padding):
        """Height and width of what a window gives."""
        result = []
        for extent, k, s, d in zip(self.shape[1:3], size, stride, dilation):
            reach = (k - 1) * d + 1
            result.append(-(-extent // s) if padding == "SAME" else (extent - reach) // s + 1)
        return result

    def convolution(self, outputs, size, stride=(1, 1), dilation=(1, 1), padding="SAME", curve=None, depthwise=False, output=None):
        inputs = self.shape[3]
        shape = (1, *size, outputs) if depthwise else (outputs, *size, inputs)
        values, scales, bias = self.random_weights(shape, outputs)
        output = output or self.spread(size[0] * size[1] * (1 if depthwise else inputs), scales)
        extents = (1, *self.windowed(size, stride, dilation, padding), outputs)
        out = self.builder.convolution(
            self.bits, self.at, values, scales, bias, self.quantisation[0], extents, output, padding, stride, dilation, curve, depthwise)
        self.to(out, extents, output)

    def pool(self, size, stride, padding, average):
        shape = (1, *self.windowed(size, stride, (1, 1), padding), self.shape[3])
        self.to(self.builder.pool(self.bits, self.at, shape, self.quantisation, size, stride, padding, average), shape, self.quantisation)

    def mean(self):
        output = self.random_quantisation(float(self.quantisation[0]) * self.high * 0.6)
        shape = (1, self.shape[-1])
        self.to(self.builder.mean(self.bits, self.at, list(range(1, len(self.shape) - 1)), shape, output), shape, output)

    def unary(self, code, output):
        self.to(self.builder.unary(code, self.bits, self.at, self.shape, output), self.shape, output)

    def lstm(self, units, clip=0.0):
        steps, inputs = self.shape[1:]
        largest = float(self.quantisation[0]) * self.high
        gates = []
        for _ in range(4):
            # Gates of a few units, so that the curves are bent and sometimes flat.
            w_scale = np.float32(self.rng.uniform(1, 4) / (largest * 60 * np.sqrt(inputs)))
            bias = self.rng.uniform(-1, 1, units) / (float(self.quantisation[0]) * float(w_scale))
            r_scale = np.float32(self.rng.uniform(1, 4) / (60 * np.sqrt(units)))
            gates.append((self.rng.integers(-127, 128, (units, inputs)), w_scale, self.rng.integers(-127, 128, (units, units)), r_scale, bias.astype(np.int64)))
        output = self.random_quantisation(self.rng.uniform(0.6, 1.1)) if self.bits == 8 else (np.float32(self.rng.uniform(0.5, 1) / 32768), 0)
        out = self.builder.lstm(self.bits, self.at, steps, gates, self.quantisation[0], output, int(self.rng.integers(9, 15)), clip)
        self.to(out, (1, steps, units), output)

    def last_step(self):
        steps, units = self.shape[1:]
        self.to(self.builder.last_step(self.bits, self.at, steps, units, self.quantisation), (1, units), self.quantisation)

    def probabilities(self, logistic=False):
        if logistic:
            self.unary(schema.BuiltinOperator.LOGISTIC, PROBABILITY[self.bits])
            return
        out = self.builder.value(self.bits, self.shape, PROBABILITY[self.bits])
        options = schema.SoftmaxOptionsT()
        options.beta = 1.0
        self.builder.operator(schema.BuiltinOperator.SOFTMAX, [self.at], [out], schema.BuiltinOptions.SoftmaxOptions, options)
        self.to(out, self.shape, PROBABILITY[self.bits])

    def finish(self):
        return self.builder.finish([self.source], [self.at])


def dense(rng, number, bits, largest):
    """One to four dense layers of odd sizes; every form of scales, activations and ends takes its turn."""
    depth = 1 + number % 4
    network = Network(rng, bits, (1, int(rng.integers(1, largest))))
    for layer in range(depth):
        last = layer + 1 == depth
        separate = not last and number % 7 == 0
        outputs = int(rng.integers(1, 13 if last else largest))
        network.dense(outputs, None if last or separate else "relu6" if number % 5 == 1 else "relu", number % 3 == 0, number % 5 == 0)
        if separate:
            network.unary(schema.BuiltinOperator.RELU, network.quantisation)
        if not last and number % 6 == 0:
            network.reshape((1, 1, outputs))
            network.reshape((1, outputs))
        if not last and number % 6 == 3 and bits == 8:
            network.unary(schema.BuiltinOperator.TANH, (np.float32(1 / 128), 0))
    if number % 5 != 4:
        network.probabilities(logistic=number % 4 == 3)
    return network


def convolution(rng, number, bits, _):
    """Small networks of the shapes that activity recognition uses: windows of x, y, z along the width."""
    steps, channels = int(rng.integers(20, 70)), int(rng.integers(1, 7))
    network = Network(rng, bits, (1, steps, channels))
    sensors = number % 3 == 2  # each channel apart: [steps, channels, 1]
    network.reshape((1, steps, channels, 1) if sensors else (1, 1, steps, channels))
    size = (int(rng.integers(2, 6)), 1) if sensors else (1, int(rng.integers(2, 6)))
    stride = ((1 + number % 2, 1) if sensors else (1, 1 + number % 2))
    network.convolution(int(rng.integers(2, 20)), size, stride, padding="VALID" if number % 2 else "SAME", curve="relu" if number % 4 else "relu6")
    if number % 4 == 1:
        network.convolution(network.shape[3] * (1 + number % 3), size, padding="SAME", curve="relu", depthwise=True)
    if number % 4 == 2:
        network.convolution(int(rng.integers(2, 12)), size, dilation=(2, 1) if sensors else (1, 2), padding="SAME")
        network.unary(schema.BuiltinOperator.RELU6, network.random_quantisation(5))
    if number % 4 == 3:  # a residual, and two branches of one scale side by side
        at, shape, quantisation = network.at, network.shape, network.quantisation
        network.convolution(shape[3], size, padding="SAME", curve="relu")
        total = network.random_quantisation(float(quantisation[0]) * network.high)
        network.to(network.builder.add(bits, at, network.at, shape, total, "relu" if number % 8 == 3 else None), shape, total)
        network.to(network.builder.concatenate(bits, [network.at, network.at], 3, (*shape[:3], shape[3] * 2), total), (*shape[:3], shape[3] * 2), total)
    if number % 5 < 3:
        window = (3, 1) if sensors else (1, 3)
        network.pool(window, (2, 1) if sensors else (1, 2), "SAME" if number % 2 else "VALID", average=number % 5 == 1)
    if number % 3 == 1:
        network.reshape((1, int(np.prod(network.shape))))
    else:
        network.mean()
    network.dense(int(rng.integers(2, 10)))
    network.probabilities(logistic=number % 6 == 5)
    return network


def lstm(rng, number, bits, largest):
    """One or two LSTM layers; int8 with a dense head, int16 alone, since LiteRT and tflite-micro round int16 dense layers apart."""
    steps, inputs = int(rng.integers(1, 24)), int(rng.integers(1, 12))
    network = Network(rng, bits, (1, steps, inputs))
    network.lstm(int(rng.integers(1, 40)), clip=float(number % 3))
    if number % 4 == 3:
        network.lstm(int(rng.integers(1, 20)))
    network.last_step()
    if bits == 8:
        network.dense(int(rng.integers(2, 10)))
        network.probabilities()
    return network


FAMILIES = {
    "dense": (dense, 8, 20, tflite.run_litert), "convolution": (convolution, 8, 18, tflite.run_litert), "lstm": (lstm, 8, 12, tflite.run_litert),
    "dense-16x8": (dense, 16, 6, tflite.run_litert), "convolution-16x8": (convolution, 16, 8, tflite.run_litert), "lstm-16x8": (lstm, 16, 10, tflite.run_micro),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--largest", type=int, default=130)
    parser.add_argument("--only", default=",".join(FAMILIES))
    parser.add_argument("--count", type=int, help="of each family")
    options = parser.parse_args()
    options.directory.mkdir(parents=True, exist_ok=True)
    for order, (family, (make, bits, count, run)) in enumerate(FAMILIES.items()):
        if family not in options.only.split(","):
            continue
        for number in range(options.count or count):
            rng = np.random.default_rng(1000 * (order + 1) + number)
            network = make(rng, number, bits, options.largest)
            fresh = "lstm" in family and number % 2 == 0
            rows = rng.integers(network.low, network.high + 1, (options.rows, int(np.prod(network.builder.graph.tensors[network.source].shape))))
            rows[::10] = rng.choice([network.low, network.high], rows[::10].shape)
            content = network.finish()
            name = f"{family}-{number}" + ("-fresh" if fresh else "")
            (options.directory / f"{name}.tflite").write_bytes(content)
            np.savetxt(options.directory / f"{name}.inputs.csv", rows, "%d", ",")
            np.savetxt(options.directory / f"{name}.outputs.csv", run(content, rows, fresh), "%d", ",")


if __name__ == "__main__":
    main()
