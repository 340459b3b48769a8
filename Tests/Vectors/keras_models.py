#!/usr/bin/env python3
"""Makes small activity networks with today's Keras, and what LiteRT's reference kernels and onnxruntime say to a few rows:

    keras_models.py TFLITE_DIRECTORY ONNX_DIRECTORY LOOP_DIRECTORY [NAME...]

Of the names alone, where there are any (those from layer-norm on were made so: the seed is the script's, not a network's).

Writes keras-NAME-int8.tflite and keras-NAME-16x8.tflite with .inputs.csv and .outputs.csv (quantised integers), and keras-NAME.onnx with
.outputs.csv for the rows of onnx_models.py's rows-96.csv in ONNX_DIRECTORY. Of LOOPS it writes NAME-float.tflite, -half (16-bit weights) and, of
"large", -dynamic (8-bit weights) in LOOP_DIRECTORY, with LiteRT's outputs for those rows. Weights are random, with fixed seeds.

    pip install tensorflow-cpu ai-edge-litert tf2onnx onnx onnxruntime numpy
"""
import contextlib
import io
import os
import pathlib
import sys
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import keras
import numpy as np
import onnxruntime
import tensorflow as tf
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from keras import layers as L

STEPS, AXES, CLASSES, ROWS = 32, 3, 6, 12


def chain(*some):
    return keras.Sequential([keras.Input((STEPS, AXES)), *some, L.Dense(CLASSES, activation="softmax")])


def curve(function):
    return chain(L.Conv1D(8, 5, padding="same"), function, L.MaxPooling1D(2), L.GlobalAveragePooling1D())


def model(make):
    start = keras.Input((STEPS, AXES))
    return keras.Model(start, L.Dense(CLASSES, activation="softmax")(make(start)))


def residual(x):
    x = L.Conv1D(8, 3, padding="same", activation="relu")(x)
    y = L.BatchNormalization()(L.Conv1D(8, 3, padding="same")(x))
    return L.GlobalAveragePooling1D()(L.ReLU()(L.Add()([x, y])))


def excite(x):
    x = L.Conv1D(8, 5, activation="relu")(x)
    share = L.Dense(8, activation="sigmoid")(L.Dense(4, activation="relu")(L.GlobalAveragePooling1D()(x)))
    return L.GlobalMaxPooling1D()(L.Multiply()([x, L.Reshape((1, 8))(share)]))


def attention(x):
    x = L.Conv1D(8, 4, strides=4)(x)
    return L.GlobalAveragePooling1D()(L.Add()([x, L.MultiHeadAttention(2, 4)(x, x)]))


def branches(x):
    some = [L.Conv1D(4, size, padding="same", activation="relu")(x) for size in (1, 3, 5, 7, 9)]
    return L.GlobalAveragePooling1D()(L.Concatenate()(some))


def arithmetic(x):
    a, b = L.Conv1D(8, 5)(x), L.Conv1D(8, 5)(x)
    return L.GlobalAveragePooling1D()(L.Maximum()([L.Subtract()([a, b]), L.Minimum()([a, b])]))


def encoder(x):
    x = L.Conv1D(8, 4, strides=4)(x)
    x = L.LayerNormalization()(L.Add()([x, L.MultiHeadAttention(2, 4)(x, x)]))
    x = L.LayerNormalization()(L.Add()([x, L.Dense(8)(L.Dense(16, activation="relu")(x))]))
    return L.GlobalAveragePooling1D()(x)


def distance(x):
    a, b = L.Conv1D(8, 5)(x), L.Conv1D(8, 5)(x)
    return L.GlobalAveragePooling1D()(L.Lambda(lambda both: tf.math.squared_difference(both[0], both[1]))([a, b]))


def statistics(x):
    x = L.Conv1D(8, 5)(x)
    return L.Lambda(lambda x: tf.concat([tf.reduce_mean(x, 1), tf.math.reduce_std(x, 1), tf.reduce_max(x, 1), tf.reduce_min(x, 1)], -1))(x)


NETWORKS = {
    "dense": lambda: chain(L.Flatten(), L.Dense(16, activation="relu")),
    "largest": lambda: chain(L.Conv1D(8, 5, activation="relu"), L.GlobalMaxPooling1D()),
    "normalised": lambda: chain(L.Normalization(mean=[0.5, 0.0, 0.1], variance=[0.2, 0.1, 0.3]), L.Conv1D(8, 5), L.GlobalAveragePooling1D()),
    "causal": lambda: chain(L.Conv1D(8, 3, padding="causal", activation="relu"), L.Conv1D(8, 3, padding="causal", dilation_rate=2), L.GlobalAveragePooling1D()),
    "padded": lambda: chain(L.ZeroPadding1D(2), L.Conv1D(8, 5, activation="relu"), L.GlobalAveragePooling1D()),
    "separable": lambda: chain(L.SeparableConv1D(8, 5, activation="relu"), L.GlobalAveragePooling1D()),
    "leaky": lambda: curve(L.LeakyReLU()), "prelu": lambda: curve(L.PReLU(alpha_initializer="uniform", shared_axes=[1])),
    "gelu": lambda: curve(L.Activation("gelu")), "swish": lambda: curve(L.Activation("swish")),
    "hard-swish": lambda: curve(L.Activation("hard_swish")), "softplus": lambda: curve(L.Activation("softplus")),
    "selu": lambda: curve(L.Activation("selu")), "residual": lambda: model(residual), "excite": lambda: model(excite),
    "attention": lambda: model(attention), "branches": lambda: model(branches), "arithmetic": lambda: model(arithmetic),
    "lstm": lambda: chain(L.LSTM(8)), "gru": lambda: chain(L.GRU(8)), "rnn": lambda: chain(L.SimpleRNN(8)),
    "both-ways": lambda: chain(L.Bidirectional(L.LSTM(4))), "rows": lambda: chain(L.LSTM(8, return_sequences=True), L.GlobalAveragePooling1D()),
    "layer-norm": lambda: chain(L.Conv1D(8, 5, activation="relu"), L.LayerNormalization(), L.GlobalAveragePooling1D()),
    "encoder": lambda: model(encoder), "distance": lambda: model(distance),
    "groups": lambda: chain(L.Conv1D(6, 3, groups=3), L.GlobalAveragePooling1D()), "hard-tanh": lambda: curve(L.Activation("hard_tanh")),
    "statistics": lambda: model(statistics),
    "soft-sign": lambda: curve(L.Activation("softsign")),
    "divided": lambda: chain(L.Conv1D(8, 5), L.Lambda(lambda x: x / (1.0 + tf.abs(x[:, :, ::-1]))), L.GlobalAveragePooling1D()),
    "least": lambda: chain(L.Conv1D(8, 5), L.Lambda(lambda x: tf.reduce_min(x, 1))),
    "open-flat": lambda: chain(L.Conv1D(8, 5, activation="relu"), L.Flatten(), L.Dense(8, activation="relu")),
    "open-rows": lambda: chain(L.Conv1D(8, 4, strides=4), L.Dense(6, activation="relu"), L.Dense(4, activation="tanh"), L.Flatten()),
    "open-dilated": lambda: chain(L.Conv1D(8, 3, padding="causal", dilation_rate=3, activation="relu"), L.Reshape((16, 16)), L.GlobalMaxPooling1D()),
}
# Converted from the model itself, as most people do it: their batch is open.
OPEN = {"open-flat", "open-rows", "open-dilated"}
# The converter writes their recurrent layers as WHILE; it ends with a segmentation fault where it is to quantise them to integers.
LOOPS = {
    "lstm": lambda: chain(L.LSTM(8)), "gru": lambda: chain(L.GRU(8)), "rnn": lambda: chain(L.SimpleRNN(8)),
    "reset-before": lambda: chain(L.GRU(8, reset_after=False)), "no-bias": lambda: chain(L.GRU(8, use_bias=False)),
    "stacked": lambda: chain(L.LSTM(8, return_sequences=True), L.GRU(6)),
    "both-ways": lambda: chain(L.Bidirectional(L.LSTM(4))),
    "both-rows": lambda: chain(L.Bidirectional(L.GRU(4, return_sequences=True)), L.GlobalAveragePooling1D()),
    "convolutions": lambda: chain(L.Conv1D(8, 5, activation="relu"), L.MaxPooling1D(2), L.LSTM(8), L.Dense(8, activation="relu")),
    "backwards": lambda: chain(L.LSTM(8, go_backwards=True)), "large": lambda: chain(L.LSTM(24)),
}
# The first has other activations, the second masks steps, and gives the state of the last one that counts.
NO_LAYERS = {
    "odd-curves": lambda: chain(L.LSTM(8, activation="relu", recurrent_activation="hard_sigmoid")),
    "masked": lambda: chain(L.Masking(), L.LSTM(8)),
}
RECURRENT = {"lstm", "gru", "rnn", "both-ways", "rows"}
# What tf2onnx writes of these is no valid ONNX, or what LiteRT has no integer kernels for.
NOT_ONNX, NOT_INTEGER = OPEN | {"gelu", "normalised", "distance", "least", "statistics", "groups", "divided"}, RECURRENT | {"selu"}
NOT_16X8 = {"prelu", "hard-swish", "layer-norm", "encoder", "distance", "statistics", "soft-sign", "divided"}


def shaken(network, rng):
    """Biases that are not zero."""
    network.set_weights([w + rng.normal(0, 0.1, w.shape).astype(w.dtype) if w.ndim else w for w in network.get_weights()])


def saved(network, directory):
    archive = keras.export.ExportArchive()
    archive.track(network)
    archive.add_endpoint("serve", lambda x: network(x, training=False), input_signature=[tf.TensorSpec((1, STEPS, AXES), tf.float32)])
    archive.write_out(directory, verbose=False)


def integers(name, network, kind, rows, place):
    with tempfile.TemporaryDirectory() as directory:
        if name in OPEN:
            converter = tf.lite.TFLiteConverter.from_keras_model(network)
        else:
            saved(network, directory)
            converter = tf.lite.TFLiteConverter.from_saved_model(directory)
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.representative_dataset = lambda: ([row[None]] for row in rows)
        sets, dtype = tf.lite.OpsSet, tf.int8 if kind == "int8" else tf.int16
        converter.target_spec.supported_ops = [
            sets.TFLITE_BUILTINS_INT8 if kind == "int8" else sets.EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8]
        converter.inference_input_type = converter.inference_output_type = dtype
        whole = converter.convert()
    interpreter = Interpreter(model_content=whole, experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    interpreter.allocate_tensors()
    given, result = interpreter.get_input_details()[0], interpreter.get_output_details()[0]
    scale, zero = given["quantization"]
    low, high = (-128, 127) if kind == "int8" else (-32768, 32767)
    inputs = np.clip(np.round(rows[:ROWS] / scale) + zero, low, high).astype(given["dtype"])
    outputs = []
    for row in inputs:
        interpreter.set_tensor(given["index"], row[None])
        interpreter.invoke()
        outputs.append(interpreter.get_tensor(result["index"]).ravel())
    path = place / f"keras-{name}-{kind}"
    path.with_suffix(".tflite").write_bytes(whole)
    np.savetxt(f"{path}.inputs.csv", inputs.reshape(ROWS, -1), fmt="%d", delimiter=",")
    np.savetxt(f"{path}.outputs.csv", np.array(outputs), fmt="%d", delimiter=",")


def loops(name, network, kind, rows, place):
    with tempfile.TemporaryDirectory() as directory:
        saved(network, directory)
        converter = tf.lite.TFLiteConverter.from_saved_model(directory)
        if kind != "float":
            converter.optimizations = [tf.lite.Optimize.DEFAULT]
        if kind == "half":
            converter.target_spec.supported_types = [tf.float16]
        whole = converter.convert()
    path = place / f"{name}-{kind}"
    path.with_suffix(".tflite").write_bytes(whole)
    if name in NO_LAYERS:
        return
    interpreter = Interpreter(model_content=whole)
    interpreter.allocate_tensors()
    given, result = interpreter.get_input_details()[0], interpreter.get_output_details()[0]
    outputs = []
    for row in rows:
        interpreter.set_tensor(given["index"], row.reshape(1, STEPS, AXES))
        interpreter.invoke()
        outputs.append(interpreter.get_tensor(result["index"]).ravel().copy())
    np.savetxt(f"{path}.outputs.csv", np.array(outputs, np.float64), fmt="%.7g", delimiter=",")


def floats(name, network, place):
    rows = np.loadtxt(place / "rows-96.csv", delimiter=",", dtype=np.float32)
    path = place / f"keras-{name}.onnx"
    network.export(str(path), format="onnx", verbose=False, input_signature=[tf.TensorSpec((1, STEPS, AXES), tf.float32)])
    session = onnxruntime.InferenceSession(str(path))
    given = session.get_inputs()[0].name
    outputs = [session.run(None, {given: row.reshape(1, STEPS, AXES)})[0].ravel() for row in rows]
    np.savetxt(path.with_suffix(".outputs.csv"), np.array(outputs, np.float64), fmt="%.7g", delimiter=",")


if __name__ == "__main__":
    tflite, onnx, looped = (pathlib.Path(one) for one in sys.argv[1:4])
    for one in (tflite, looped):
        one.mkdir(parents=True, exist_ok=True)
    keras.utils.set_random_seed(1)
    rng = np.random.default_rng(1)
    rows = rng.normal(0, 0.6, (100, STEPS, AXES)).astype(np.float32)
    read = np.loadtxt(onnx / "rows-96.csv", delimiter=",", dtype=np.float32)
    for name in sys.argv[4:] or list(LOOPS) + list(NO_LAYERS):
        if name not in LOOPS | NO_LAYERS:
            continue
        network = (LOOPS | NO_LAYERS)[name]()
        shaken(network, np.random.default_rng(1))
        for kind in ("float",) if name in NO_LAYERS else ("float", "half") + ("dynamic",) * (name == "large"):
            loops(name, network, kind, read, looped)
    for name in sys.argv[4:] or NETWORKS:
        if name not in NETWORKS:
            continue
        network = NETWORKS[name]()
        shaken(network, rng)
        with contextlib.redirect_stdout(io.StringIO()):
            if name not in NOT_ONNX:
                floats(name, network, onnx)
            for kind in ("int8", "16x8"):
                if name in NOT_INTEGER or (kind == "16x8" and name in NOT_16X8):
                    continue
                integers(name, network, kind, rows, tflite)
        print(name, flush=True)
