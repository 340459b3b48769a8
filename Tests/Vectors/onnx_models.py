#!/usr/bin/env python3
"""Makes small activity networks with the converters that people use, and what onnxruntime says to a few rows:

    onnx_models.py DIRECTORY

Writes NAME.onnx and NAME.outputs.csv for every network, with fixed seeds; all of a kind read the same rows: rows-96.csv (32 samples of
x, y, z) or rows-17.csv. The networks are not trained: what counts is that the same numbers come out.

    pip install torch onnx onnxruntime onnxscript skl2onnx scikit-learn lightgbm xgboost onnxmltools numpy
"""
import pathlib
import sys
import warnings

import numpy as np
import onnx
import onnxruntime
import torch
from torch import nn

STEPS, AXES, CLASSES, ROWS = 32, 3, 6, 12
LINE, PICTURE, STEPWISE, FEATURES = (1, AXES, STEPS), (1, 1, AXES, STEPS), (1, STEPS, AXES), (1, 17)


class Last(nn.Module):
    def __init__(self, layer, width):
        super().__init__()
        self.layer, self.end = layer, nn.Linear(width, CLASSES)

    def forward(self, x):
        return self.end(self.layer(x)[0][:, -1])


class Turned(nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x):
        return self.network(x.transpose(1, 2))


class Excite(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.share = nn.Sequential(
            nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(width, 4), nn.ReLU(), nn.Linear(4, width), nn.Sigmoid())

    def forward(self, x):
        return x * self.share(x).unsqueeze(-1)


class Residual(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.first, self.second = nn.Conv1d(inputs, outputs, 3, padding=1), nn.Conv1d(outputs, outputs, 3, padding=1)
        self.a, self.b, self.past = nn.BatchNorm1d(outputs), nn.BatchNorm1d(outputs), nn.Conv1d(inputs, outputs, 1)

    def forward(self, x):
        return torch.relu(self.b(self.second(torch.relu(self.a(self.first(x))))) + self.past(x))


class Causal(nn.Module):
    def __init__(self, inputs, outputs, dilation):
        super().__init__()
        self.pad, self.layer = nn.ConstantPad1d((2 * dilation, 0), 0.0), nn.Conv1d(inputs, outputs, 3, dilation=dilation)

    def forward(self, x):
        return torch.relu(self.layer(self.pad(x)))


class Cropped(nn.Module):
    """A causal convolution as many write it: padding on both sides, of which the end is cut off again."""
    def __init__(self, inputs, outputs, dilation):
        super().__init__()
        self.extra, self.layer = 2 * dilation, nn.Conv1d(inputs, outputs, 3, padding=2 * dilation, dilation=dilation)

    def forward(self, x):
        return torch.relu(self.layer(x)[..., :-self.extra])


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches, self.end = nn.Conv1d(AXES, 8, 4, stride=4), nn.Linear(8, CLASSES)
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, dropout=0.0)

    def forward(self, x):
        return self.end(self.layer(self.patches(x).transpose(1, 2)).mean(1))


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches, self.end = nn.Conv1d(AXES, 8, 4, stride=4), nn.Linear(8, CLASSES)
        self.q, self.k, self.v = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x):
        y = self.patches(x).transpose(1, 2)
        return self.end((torch.softmax(self.q(y) @ self.k(y).transpose(1, 2) / 8**0.5, -1) @ self.v(y)).mean(1))


class Written(Attention):
    """Attention of two heads in Einstein's notation."""

    def forward(self, x):
        y = self.patches(x).transpose(1, 2)
        q, k, v = (part(y).view(-1, 8, 2, 4) for part in (self.q, self.k, self.v))
        weights = torch.softmax(torch.einsum("bthd,bshd->bhts", q, k) / 2, -1)
        mixed = torch.einsum("bhts,bshd->bthd", weights, v).reshape(-1, 8, 8)
        return torch.einsum("btd,cd->bc", mixed / 8, self.end.weight) + self.end.bias


class Query(Attention):
    """A learnt query, so that a product of two constants is left in the file."""

    def __init__(self):
        super().__init__()
        self.asked, self.mix = nn.Parameter(torch.randn(1, 1, 8)), nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x):
        y = self.patches(x).transpose(1, 2)
        return self.end(self.mix(self.asked, y, y)[0][:, 0])


class Masked(Attention):
    """A mask of truths: a row that sees nothing would be NaN, so that the exporter asks for that."""

    def forward(self, x):
        y = self.patches(x).transpose(1, 2)
        mask = torch.ones(8, 8, dtype=torch.bool).tril()
        return self.end(nn.functional.scaled_dot_product_attention(self.q(y), self.k(y), self.v(y), attn_mask=mask).mean(1))


class Cells(nn.Module):
    """Steps of an LSTM written one by one; the first state is a constant."""

    def __init__(self):
        super().__init__()
        self.patches, self.cell, self.end = nn.Conv1d(AXES, 6, 8, stride=8), nn.LSTMCell(6, 6), nn.Linear(6, CLASSES)

    def forward(self, x):
        y, h, c = self.patches(x), torch.zeros(1, 6), torch.zeros(1, 6)
        for step in range(4):
            h, c = self.cell(y[:, :, step], (h, c))
        return self.end(h)


class Decision(nn.Module):
    """The class alone."""

    def __init__(self):
        super().__init__()
        self.end = nn.Linear(96, CLASSES)

    def forward(self, x):
        return torch.softmax(self.end(x.flatten(1)), 1).argmax(1)


class ConvolutionsThenLSTM(nn.Module):
    def __init__(self):
        super().__init__()
        self.front = nn.Sequential(nn.Conv1d(AXES, 8, 5, padding=2), nn.ReLU(), nn.MaxPool1d(2))
        self.back = Last(nn.LSTM(8, 8, batch_first=True), 8)

    def forward(self, x):
        return self.back(self.front(x).transpose(1, 2))


class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.branches = nn.ModuleList(nn.Conv1d(AXES, 4, size, padding=size // 2) for size in (1, 3, 5, 7, 9))
        self.end = nn.Linear(20, CLASSES)

    def forward(self, x):
        return self.end(torch.relu(torch.cat([branch(x) for branch in self.branches], 1)).mean(-1))


class Statistics(nn.Module):
    """Features by hand, then a dense layer."""

    def __init__(self):
        super().__init__()
        self.end = nn.Linear(15, CLASSES)

    def forward(self, x):
        middle = x - x.mean(2, keepdim=True)
        parts = [x.mean(2), torch.sqrt((middle * middle).mean(2)), x.amax(2), x.amin(2), x.abs().sum(2) / STEPS]
        return self.end(torch.cat(parts, 1))


class CausalAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.end = nn.Conv1d(AXES, 8, 3, padding=1), nn.Linear(8, CLASSES)
        self.q, self.k, self.v = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x):
        y = self.first(x).transpose(1, 2)
        later = torch.triu(torch.ones(STEPS, STEPS, dtype=torch.bool), 1)
        scores = (self.q(y) @ self.k(y).transpose(1, 2) / 8**0.5).masked_fill(later, float("-inf"))
        return self.end((torch.softmax(scores, -1) @ self.v(y)).mean(1))


class CausalEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.end = nn.Conv1d(AXES, 8, 3, padding=1), nn.Linear(8, CLASSES)
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)

    def forward(self, x):
        mask = nn.Transformer.generate_square_subsequent_mask(STEPS)
        return self.end(self.layer(self.first(x).transpose(1, 2), src_mask=mask)[:, -1])


class UnitLength(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.end = pooled(16, nn.Conv1d(AXES, 16, 5)), nn.Linear(CLASSES, CLASSES)

    def forward(self, x):
        y = self.first(x)
        return self.end(y / y.norm(dim=1, keepdim=True))


class Normalized(UnitLength):
    def forward(self, x):
        return self.end(nn.functional.normalize(self.first(x), dim=1))


class RootMeanSquare(nn.Module):
    """As networks write it: nn.RMSNorm is known to the newer exporter only."""

    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(width) + 0.5)

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5))


def pooled(width, *layers):
    return nn.Sequential(*layers, nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(width, CLASSES))


def curve(function):
    return pooled(8, nn.Conv1d(AXES, 8, 5, padding=2), function)


def networks():
    made = {
        "mlp": (nn.Sequential(nn.Flatten(), nn.Linear(96, 16), nn.ReLU(), nn.Linear(16, CLASSES)), LINE),
        "mlp-features": (nn.Sequential(nn.Linear(17, 16), nn.ReLU(), nn.Linear(16, CLASSES), nn.Softmax(-1)), FEATURES),
        "mlp-norm": (nn.Sequential(nn.Flatten(), nn.BatchNorm1d(96), nn.Linear(96, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, CLASSES)), LINE),
        "flat": (nn.Sequential(nn.Conv1d(AXES, 8, 5), nn.ReLU(), nn.MaxPool1d(2), nn.Flatten(), nn.Linear(112, CLASSES)), LINE),
        "norm": (pooled(8, nn.Conv1d(AXES, 8, 5, padding=2, stride=2), nn.BatchNorm1d(8), nn.ReLU()), LINE),
        "depthwise": (pooled(16, nn.Conv1d(AXES, 8, 3), nn.Conv1d(8, 8, 5, groups=8, padding=2), nn.Conv1d(8, 16, 1), nn.ReLU6()), LINE),
        "groups": (pooled(8, nn.Conv1d(AXES, 8, 3), nn.Conv1d(8, 8, 5, groups=2)), LINE),
        "dilated": (pooled(8, nn.Conv1d(AXES, 8, 3, dilation=3), nn.ReLU()), LINE),
        "picture": (nn.Sequential(nn.Conv2d(1, 8, (1, 5), padding=(0, 2)), nn.ReLU(), nn.Conv2d(8, 8, (3, 1)), nn.ReLU(), nn.MaxPool2d((1, 4)), nn.Flatten(), nn.Linear(64, CLASSES)), PICTURE),
        "mean-of-zeros": (nn.Sequential(nn.Conv1d(AXES, 8, 3), nn.AvgPool1d(3, 2, padding=1), nn.Flatten(), nn.Linear(120, CLASSES)), LINE),
        "ceiling": (nn.Sequential(nn.Conv1d(AXES, 8, 4), nn.MaxPool1d(2, ceil_mode=True), nn.Flatten(), nn.Linear(120, CLASSES)), LINE),
        "residual": (pooled(8, Residual(AXES, 8), nn.MaxPool1d(2), Residual(8, 8)), LINE),
        "excite": (pooled(8, Residual(AXES, 8), Excite(8)), LINE),
        "causal": (pooled(8, Causal(AXES, 8, 1), Causal(8, 8, 2), Causal(8, 8, 4)), LINE),
        "branches": (Branches(), LINE),
        "statistics": (Statistics(), LINE),
        "lstm": (Last(nn.LSTM(AXES, 8, batch_first=True), 8), STEPWISE),
        "lstm-two": (Last(nn.LSTM(AXES, 8, 2, batch_first=True), 8), STEPWISE),
        "lstm-both-ways": (Last(nn.LSTM(AXES, 8, bidirectional=True, batch_first=True), 16), STEPWISE),
        "gru": (Last(nn.GRU(AXES, 8, batch_first=True), 8), STEPWISE),
        "gru-both-ways": (Last(nn.GRU(AXES, 8, 2, bidirectional=True, batch_first=True), 16), STEPWISE),
        "rnn": (Last(nn.RNN(AXES, 8, batch_first=True), 8), STEPWISE),
        "lstm-turned": (Turned(Last(nn.LSTM(AXES, 8, batch_first=True), 8)), LINE),
        "convolutions-lstm": (ConvolutionsThenLSTM(), LINE),
        "transformer": (Transformer(), LINE),
        "attention": (Attention(), LINE),
        "layer-norm": (nn.Sequential(nn.Flatten(), nn.Linear(96, 16), nn.LayerNorm(16), nn.ReLU(), nn.Linear(16, CLASSES)), LINE),
        "prelu": (curve(nn.PReLU()), LINE),
        "prelu-channels": (curve(nn.PReLU(8)), LINE),
        "log-softmax": (nn.Sequential(nn.Flatten(), nn.Linear(96, CLASSES), nn.LogSoftmax(-1)), LINE),
        "largest": (nn.Sequential(nn.Conv1d(AXES, 8, 3), nn.AdaptiveMaxPool1d(1), nn.Flatten(), nn.Linear(8, CLASSES)), LINE),
    }
    for name, function in {
        "gelu": nn.GELU(), "gelu-tanh": nn.GELU("tanh"), "swish": nn.SiLU(), "mish": nn.Mish(), "hard-swish": nn.Hardswish(), "elu": nn.ELU(),
        "selu": nn.SELU(), "celu": nn.CELU(0.7), "leaky": nn.LeakyReLU(0.1), "softplus": nn.Softplus(), "softsign": nn.Softsign(), "tanh": nn.Tanh(),
        "sigmoid": nn.Sigmoid(), "hard-sigmoid": nn.Hardsigmoid(), "hard-tanh": nn.Hardtanh(), "relu6": nn.ReLU6(),
    }.items():
        made[name] = (curve(function), LINE)
    made |= {
        "instance-norm": (pooled(8, nn.Conv1d(AXES, 8, 3), nn.InstanceNorm1d(8, affine=True), nn.ReLU()), LINE),
        "group-norm": (pooled(8, nn.Conv1d(AXES, 8, 3), nn.GroupNorm(2, 8), nn.ReLU()), LINE),
        "circular": (pooled(8, nn.Conv1d(AXES, 8, 5, padding=2, padding_mode="circular"), nn.ReLU()), LINE),
        "reflected": (pooled(8, nn.Conv1d(AXES, 8, 5, padding=2, padding_mode="reflect"), nn.ReLU()), LINE),
        "replicated": (pooled(8, nn.Conv1d(AXES, 8, 5, padding=2, padding_mode="replicate"), nn.ReLU()), LINE),
        "unit-length": (UnitLength(), LINE),
        "causal-attention": (CausalAttention(), LINE),
        "causal-encoder": (CausalEncoder(), LINE),
        "einsum": (Written(), LINE),
        "query": (Query(), LINE),
        "masked-attention": (Masked(), LINE),
        "cells": (Cells(), LINE),
        "decision": (Decision(), LINE),
        "score": (nn.Sequential(nn.Conv1d(AXES, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(240, 1)), LINE),
        "pieces": (nn.Sequential(nn.Conv2d(2, 8, (3, 5)), nn.ReLU(), nn.Flatten(), nn.Linear(96, CLASSES)), (1, 2, AXES, 16)),
        "row": (nn.Sequential(nn.Unflatten(1, (AXES, STEPS)), nn.Conv1d(AXES, 8, 5), nn.ReLU(), nn.Flatten(), nn.Linear(224, CLASSES)), (1, AXES * STEPS)),
        "rms-norm": (nn.Sequential(nn.Flatten(), nn.Linear(96, 16), RootMeanSquare(16), nn.ReLU(), nn.Linear(16, CLASSES)), LINE),
        "normalize": (Normalized(), LINE),
        "cropped": (pooled(8, Cropped(AXES, 8, 1), Cropped(8, 8, 4)), LINE),
    }
    return made


def without_traces(path):
    """Leaves out where the network's code lay, which the newer exporter writes to every operator."""
    whole = onnx.load(path)
    for part in [*whole.graph.node, *whole.graph.value_info, *whole.graph.input, *whole.graph.output, *whole.graph.initializer, whole.graph, whole]:
        del part.metadata_props[:]
    onnx.save(whole, path)


def exported(directory):
    torch.manual_seed(1)
    made = networks()
    for name, (network, shape) in made.items():
        network.eval()
        for module in network.modules():
            if isinstance(module, nn.BatchNorm1d):
                module.running_mean.uniform_(-0.5, 0.5)
                module.running_var.uniform_(0.5, 2)
        sample = (torch.randn(*shape),)
        torch.onnx.export(network, sample, directory / f"{name}.onnx", dynamo=False, opset_version=17)
        if name in ("flat", "residual", "lstm", "gru-both-ways", "transformer", "gelu", "causal", "group-norm", "reflected", "causal-attention", "rms-norm", "normalize"):
            torch.onnx.export(network, sample, directory / f"new-{name}.onnx", dynamo=True, external_data=False, verbose=False)
            without_traces(directory / f"new-{name}.onnx")
        if name in ("mlp", "flat", "lstm", "convolutions-lstm", "attention", "transformer"):
            axes = {"dynamic_axes": {"x": {0: "n"}}, "input_names": ["x"]}
            torch.onnx.export(network, sample, directory / f"open-{name}.onnx", dynamo=False, opset_version=14, **axes)


def learnt(directory):
    from skl2onnx import to_onnx
    from sklearn.ensemble import ExtraTreesClassifier, GradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(1)
    rows = rng.normal(size=(300, 17)).astype(np.float32)
    labels = np.array(["WALKING", "SITTING", "STANDING", "LAYING"])[(rows[:, 0] > 0.2) * 2 + (rows[:, 3] + rows[:, 1] > 0)]
    for name, model in {
        "forest": RandomForestClassifier(20, max_depth=5, random_state=1), "extra-trees": ExtraTreesClassifier(10, max_depth=5, random_state=1),
        "tree": DecisionTreeClassifier(random_state=1), "boosted": GradientBoostingClassifier(n_estimators=5, random_state=1),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
        "scaled-forest": make_pipeline(StandardScaler(), RandomForestClassifier(10, max_depth=5, random_state=1)),
        "perceptron": make_pipeline(StandardScaler(), MLPClassifier((8,), max_iter=100, random_state=1)),
    }.items():
        model.fit(rows, labels)
        options = None if name in ("forest", "logistic", "scaled-forest") else {id(model): {"zipmap": False}}
        (directory / f"sklearn-{name}.onnx").write_bytes(to_onnx(model, rows[:1], options=options, target_opset=15).SerializeToString())


def composed(directory):
    """Several models in one, and what stands before and behind them in pipelines."""
    from skl2onnx import to_onnx
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, RandomForestClassifier, StackingClassifier
    from sklearn.feature_selection import SelectKBest
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import Normalizer, StandardScaler
    from sklearn.svm import LinearSVC
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(5)
    rows = rng.normal(0, 0.6, (400, 17)).astype(np.float32)
    labels = np.array(["WALKING", "SITTING", "STANDING", "LAYING"])[(rows[:, 0] > 0.2) * 2 + (rows[:, 3] + rows[:, 1] > 0)]
    moving = np.where(labels == "WALKING", "moving", "still")
    tree, forest = DecisionTreeClassifier(max_depth=4, random_state=1), RandomForestClassifier(4, max_depth=4, random_state=1)
    for name, (model, truth) in {
        "bagging": (BaggingClassifier(tree, n_estimators=5, random_state=1), labels),
        "stacking": (StackingClassifier([("a", forest), ("b", tree)], LogisticRegression()), labels),
        "stacking-two": (StackingClassifier([("a", forest), ("b", tree)], LogisticRegression()), moving),
        "adaptive": (AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=8, random_state=1), labels),
        "selected": (make_pipeline(SelectKBest(k=6), StandardScaler(), LogisticRegression()), labels),
        "selected-forest": (make_pipeline(SimpleImputer(), SelectKBest(k=6), forest), labels),
        "each-against-rest": (OneVsRestClassifier(LogisticRegression()), labels),
        "margins-against-rest": (OneVsRestClassifier(LinearSVC(random_state=1)), labels),
        "calibrated": (CalibratedClassifierCV(tree, cv=2), labels),
        "ridge-two": (RidgeClassifier(), moving),
        "gradient": (SGDClassifier(loss="log_loss", random_state=1), labels),
        "unit-rows": (make_pipeline(Normalizer(), LogisticRegression()), labels),
    }.items():
        model.fit(rows, truth)
        last = model.steps[-1][1] if hasattr(model, "steps") else model
        whole = to_onnx(model, rows[:1], options={id(last): {"zipmap": False}}, target_opset=15)
        (directory / f"sklearn-{name}.onnx").write_bytes(whole.SerializeToString())


def distances(directory):
    """Scores that are sums of squares, some of them of numbers that hardly differ within a class."""
    from skl2onnx import to_onnx
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
    from sklearn.naive_bayes import GaussianNB

    rng = np.random.default_rng(7)
    classes = rng.integers(0, 4, 400)
    rows = (rng.normal(0, 0.5, (4, 17))[classes] + rng.normal(0, 1, (400, 17)) * rng.uniform(0.1, 0.6, (4, 17))[classes]).astype(np.float32)
    labels = np.array(["WALKING", "SITTING", "STANDING", "LAYING"])[classes]
    for name, model in {"naive-bayes": GaussianNB(), "quadratic": QuadraticDiscriminantAnalysis(reg_param=0.1)}.items():
        model.fit(rows, labels)
        whole = to_onnx(model, rows[:1], options={id(model): {"zipmap": False}}, target_opset=15)
        (directory / f"sklearn-{name}.onnx").write_bytes(whole.SerializeToString())


def of_two(directory):
    """Two classes, of which converters write one score or two; and soft-max as older files have it."""
    from onnx import TensorProto, helper
    from skl2onnx import to_onnx
    from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(3)
    rows = rng.normal(size=(300, 17)).astype(np.float32)
    labels = (rows[:, 0] + rows[:, 1] > 0).astype(int)
    for name, model in {
        "logistic": LogisticRegression(), "boosted": GradientBoostingClassifier(n_estimators=5, random_state=1),
        "forest": RandomForestClassifier(10, max_depth=4, random_state=1),
    }.items():
        model.fit(rows, labels)
        whole = to_onnx(model, rows[:1], options={id(model): {"zipmap": False}}, target_opset=15)
        (directory / f"sklearn-two-{name}.onnx").write_bytes(whole.SerializeToString())
    value = helper.make_tensor_value_info
    # One score of ten trees for two classes, exactly a half: the first class is it then.
    weights = [each for a in (0.013, 0.029, 0.041, 0.007, 0.05) for each in (a, 0.1 - a)]
    tied = helper.make_node(
        "TreeEnsembleClassifier", ["x"], ["label", "probabilities"], domain="ai.onnx.ml", classlabels_int64s=[0, 1], class_ids=[0] * 10,
        class_nodeids=[0] * 10, class_treeids=list(range(10)), class_weights=weights, nodes_falsenodeids=[0] * 10, nodes_featureids=[0] * 10,
        nodes_modes=["LEAF"] * 10, nodes_nodeids=[0] * 10, nodes_treeids=list(range(10)), nodes_truenodeids=[0] * 10, nodes_values=[0.0] * 10)
    graph = helper.make_graph([tied], "tied", [value("x", TensorProto.FLOAT, [1, 17])], [value("probabilities", TensorProto.FLOAT, [1, 2])])
    opsets = [helper.make_opsetid("", 15), helper.make_opsetid("ai.onnx.ml", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), directory / "trees-tied.onnx")
    graph = helper.make_graph(
        [helper.make_node("Slice", ["x"], ["part"], starts=[0], ends=[12], axes=[1]), helper.make_node("Reshape", ["part", "shape"], ["y"]),
         helper.make_node("Softmax", ["y"], ["z"], axis=1), helper.make_node("Flatten", ["z"], ["out"])],
        "old", [value("x", TensorProto.FLOAT, [1, 17])], [value("out", TensorProto.FLOAT, [1, 12])],
        [helper.make_tensor("shape", TensorProto.INT64, [3], [1, 3, 4])])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 9)], ir_version=8), directory / "old-softmax.onnx")


def of_newest(directory):
    """Operators that exporters write for newer opsets, or for spectra, each before a dense layer."""
    from onnx import TensorProto, helper, numpy_helper

    rng = np.random.default_rng(11)

    def save(name, opset, shape, nodes, count, **constants):
        """What takes "y" of that shape out of "x" and gives "z" of so many numbers."""
        constants |= {"shape": np.array(shape), "flat": np.array([1, count]), "last": rng.normal(0, 0.3, (count, 6)).astype(np.float32)}
        nodes = [helper.make_node("Reshape", ["x", "shape"], ["y"]), *nodes, helper.make_node("Reshape", ["z", "flat"], ["row"]),
                 helper.make_node("MatMul", ["row", "last"], ["out"])]
        graph = helper.make_graph(
            nodes, name, [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 96])],
            [helper.make_tensor_value_info("out", TensorProto.FLOAT, [1, 6])],
            [numpy_helper.from_array(np.asarray(value), key) for key, value in constants.items()])
        whole = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)
        onnx.save(whole, directory / f"{name}.onnx")

    node = helper.make_node
    scale, offset = rng.normal(1, 0.3, (2, 8)).astype(np.float32)
    save("newest-groups", 21, [1, 8, 12], [node("GroupNormalization", ["y", "scale", "offset"], ["z"], num_groups=2)], 96,
         scale=scale, offset=offset)
    places = np.array([[[0, 1], [0, -3]], [[0, 7], [0, 0]]])
    save("newest-places", 17, [1, 8, 12], [node("GatherND", ["y", "places"], ["z"])], 48, places=places)
    save("newest-fourier", 20, [3, 32, 1], [
        node("DFT", ["y", "", "axis"], ["f"], onesided=1), node("ReduceL2", ["f", "end"], ["z"], keepdims=0)], 51,
         axis=np.array(1), end=np.array([-1]))
    save("newest-fourier-back", 17, [4, 12, 2], [node("DFT", ["y", "length"], ["z"], axis=1, inverse=1)], 80, length=np.array(10))
    save("newest-spectrogram", 17, [1, 96], [
        node("STFT", ["y", "step", "window"], ["f"]), node("ReduceSumSquare", ["f"], ["z"], axes=[-1], keepdims=0)], 54,
         step=np.array(16), window=np.hanning(16).astype(np.float32) + 0.1)
    cut = [node("Split", ["y", "parts"], ["q", "k", "v"], axis=2)]
    save("newest-attention", 23, [1, 6, 16], cut + [
        node("Attention", ["q", "k", "v"], ["z"], q_num_heads=4, kv_num_heads=2, is_causal=1, softcap=2.0)], 48,
         parts=np.array([8, 4, 4]))
    mask = rng.random((6, 6)) > 0.3
    mask[:, 0] = True
    whole = [node("Unsqueeze", [part, "front"], [part + "h"]) for part in "qkv"]
    save("newest-attention-masked", 23, [1, 6, 16], cut + whole + [
        node("Attention", ["qh", "kh", "vh", "mask"], ["z"], scale=0.8)], 36, parts=np.array([5, 5, 6]), front=np.array([0]), mask=mask)


def of_boosters(directory):
    """Boosted trees of LightGBM and XGBoost, with two classes and more, by their own converters."""
    from lightgbm import LGBMClassifier
    from onnxmltools import convert_lightgbm, convert_xgboost
    from onnxmltools.convert.common.data_types import FloatTensorType
    from xgboost import XGBClassifier

    rng = np.random.default_rng(4)
    rows = rng.normal(size=(600, 17)).astype(np.float32)
    types = [("x", FloatTensorType([None, 17]))]
    for count in (2, 5):
        labels = np.digitize(rows[:, 0] + rows[:, 1], np.linspace(-1.5, 1.5, count + 1)[1:-1])
        light = LGBMClassifier(n_estimators=6, num_leaves=8, verbose=-1, random_state=1).fit(rows, labels)
        whole = convert_lightgbm(light, initial_types=types, zipmap=False)
        (directory / f"boosted-lightgbm-{count}.onnx").write_bytes(whole.SerializeToString())
        extreme = XGBClassifier(n_estimators=6, max_depth=3, random_state=1).fit(rows, labels)
        (directory / f"boosted-xgboost-{count}.onnx").write_bytes(convert_xgboost(extreme, initial_types=types).SerializeToString())
        extreme.save_model(directory / f"xgboost-{count}.json")
    scores = XGBClassifier(n_estimators=30, max_depth=3, objective="multi:softmax", random_state=1).fit(rows, labels)
    (directory / "boosted-scores.onnx").write_bytes(convert_xgboost(scores, initial_types=types).SerializeToString())


def machines(directory):
    """Support vector machines and the labels that onnxruntime decides: what the files have beside them are other numbers."""
    from skl2onnx import to_onnx
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC, NuSVC

    place = directory / "machines"
    place.mkdir(exist_ok=True)
    rng = np.random.default_rng(6)
    rows = np.round(rng.normal(0, 0.6, (400, 5)), 4).astype(np.float32)
    truth = np.array(["WALKING", "SITTING", "STANDING", "LAYING"])[(rows[:, 0] > 0.2) * 2 + (rows[:, 3] ** 2 + rows[:, 1] > 0.3)]
    moving = np.where(truth == "WALKING", 7, 3)
    for name, (model, labels) in {
        "radial": (SVC(), truth), "linear": (SVC(kernel="linear"), truth), "polynomial": (SVC(kernel="poly", coef0=1), truth),
        "radial-1000": (SVC(C=1000, gamma=0.05), truth), "polynomial-8": (SVC(kernel="poly", degree=8, gamma=0.2, coef0=1, C=100), truth),
        "nu-polynomial": (NuSVC(nu=0.1, kernel="poly", gamma=1), truth), "sigmoid": (SVC(kernel="sigmoid", gamma=0.1), truth),
        "nu": (NuSVC(nu=0.2, decision_function_shape="ovo"), truth), "two": (SVC(), moving), "two-linear": (SVC(kernel="linear"), moving),
        "probabilities": (SVC(probability=True), truth),
    }.items():
        whole = make_pipeline(StandardScaler(), model).fit(rows[:200], labels[:200])
        file = to_onnx(whole, rows[:1], options={id(model): {"zipmap": False}}, target_opset=15).SerializeToString()
        (place / f"{name}.onnx").write_bytes(file)
        decided = onnxruntime.InferenceSession(file).run(None, {"X": rows})[0]
        (place / f"{name}.decisions").write_text("".join(f"{label}\n" for label in decided))
    np.savetxt(place / "rows.csv", rows, fmt="%.4f", delimiter=",")


def answers(directory):
    rng = np.random.default_rng(2)
    rows = {count: np.round(rng.normal(0, 0.6, (ROWS, count)), 4).astype(np.float32) for count in (96, 17)}
    for count, some in rows.items():
        np.savetxt(directory / f"rows-{count}.csv", some, fmt="%.4f", delimiter=",")
    for path in sorted(directory.glob("*.onnx")):
        onnx.checker.check_model(str(path))
        whole = onnx.load(path)
        if path.stem == "decision":  # the numbers that it is made of
            whole.graph.output[0].CopyFrom(onnx.helper.make_tensor_value_info(whole.graph.node[-1].input[0], onnx.TensorProto.FLOAT, None))
        if path.stem == "sklearn-margins-against-rest":  # what its label is the largest of: shares of a sum below zero are in the other order
            scores = next(node.input[0] for node in whole.graph.node if node.op_type == "ArgMax")
            whole.graph.output[-1].CopyFrom(onnx.helper.make_tensor_value_info(scores, onnx.TensorProto.FLOAT, None))
        session = onnxruntime.InferenceSession(whole.SerializeToString())
        given = session.get_inputs()[0]
        shape = [extent if isinstance(extent, int) else 1 for extent in given.shape]
        outputs = []
        for row in rows[int(np.prod(shape))]:
            results = session.run(None, {given.name: row.reshape(shape)})
            result = results[-1]
            outputs.append(list(result[0].values()) if isinstance(result, list) else result.ravel())
        np.savetxt(path.with_suffix(".outputs.csv"), np.array(outputs, np.float64), fmt="%.7g", delimiter=",")


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    place = pathlib.Path(sys.argv[1])
    place.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    exported(place)
    learnt(place)
    composed(place)
    distances(place)
    of_two(place)
    of_newest(place)
    of_boosters(place)
    machines(place)
    answers(place)
