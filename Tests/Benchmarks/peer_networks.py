"""Networks that Gaitway and LiteRT both run from one file; and a program that writes them: peer_networks.py DIRECTORY."""
import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROWS = ROOT / "Tests/Fixtures/onnx/rows-96.csv"
sys.path.insert(0, str(ROOT / "Tests/Vectors"))
import tflite
import tflite_models


def litert_model(sizes):
    rng = np.random.default_rng(1)
    builder = tflite.Builder()
    scale = np.float32(0.0109)
    source = at = builder.tensor((1, sizes[0]), tflite.schema.TensorType.INT8, scale, -43)
    for number, (inputs, outputs) in enumerate(zip(sizes, sizes[1:])):
        weights, bias, weight_scales, output = tflite.random_dense(rng, inputs, outputs, scale)
        at = builder.dense(at, weights, bias, scale, weight_scales, output, relu=number == 0)
        scale = output[0]
    if len(sizes) > 1:
        at = builder.softmax(at, sizes[-1])
    return builder.finish([source], [at])


def convolutions():
    """The shape of the network that Gaitway shipped first."""
    network = tflite_models.Network(np.random.default_rng(4), 8, (1, 1, 128, 3))
    for outputs, size in ((16, 8), (32, 5), (48, 5)):
        network.convolution(outputs, (1, size), stride=(1, 2), curve="relu")
    network.mean()
    network.dense(32, curve="relu")
    network.dense(6)
    network.probabilities()
    return network


def depthwise():
    """128 samples, 16 channels, three depthwise convolutions of five taps."""
    network = tflite_models.Network(np.random.default_rng(4), 8, (1, 1, 128, 3))
    network.convolution(16, (1, 5), curve="relu")
    for _ in range(3):
        network.convolution(16, (1, 5), curve="relu", depthwise=True)
    network.mean()
    network.dense(6)
    network.probabilities()
    return network


def lstm():
    """int8, 32 units over 128 steps of three axes, a dense layer of six."""
    network = tflite_models.Network(np.random.default_rng(3), 8, (1, 128, 3))
    network.lstm(32)
    network.last_step()
    network.dense(6)
    network.probabilities()
    return network


class Fixture:
    """A network of today's Keras, by Tests/Vectors/keras_models.py: 32 samples of three axes.

    Those in float are quantised here on rows: LiteRT has no integers for Keras' recurrent loops.
    """

    def __init__(self, file, *importing):
        self.path, self.importing = ROOT / "Tests/Fixtures" / file, importing

    def finish(self):
        return self.path.read_bytes()


# By name: what it is, what makes it, and the most that a call may take of LiteRT's, with AVX-512 and without.
NETWORKS = {
    "convolutions": ("convolutions 8, 5, 5, stride 2", convolutions, ("0.7", "1.0")),
    "depthwise": ("three depthwise convolutions", depthwise, ("0.6", "0.6")),
    "lstm": ("LSTM 32, 128 steps", lstm, ("0.5", "0.5")),
    **{
        name: (f"Keras, {name}", lambda name=name: Fixture(f"tflite/keras-{name}-int8.tflite"), ("0.6", "0.6"))
        for name in ("attention", "encoder", "residual", "excite", "branches", "separable")
    },
    **{
        f"float-{name}": (f"Keras, {name} in float", lambda name=name: Fixture(f"tflite-loops/{name}-float.tflite", "--calibrate", ROWS), ("0.6", "0.6"))
        for name in ("gru", "lstm", "both-ways")
    },
}

if __name__ == "__main__":
    directory = pathlib.Path(sys.argv[1])
    (directory / "dense.tflite").write_bytes(litert_model((384, 240, 6)))
    for name, (_, network, _) in NETWORKS.items():
        (directory / f"{name}.tflite").write_bytes(network().finish())
