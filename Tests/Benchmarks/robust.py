"""A crowd with hostile participants, on people left out (seven folds), by how gradients are joined: robust.py FEATURES. See `robust`.

Everybody sends the mean gradient of ten windows (Softmax, adagrad, no noise). The hub takes them one by one, shortened to the median length
of those before (NormLimit.swift), and leaves out what lies elsewhere than most of the latest (NearestHalf.swift). The others wait for a
gradient of everybody and take one step: the mean, the median or the mean without the outer third of each number, and Krum's choice
(Blanchard et al., NIPS 2017). Hostile ones send ten times the opposite, noise a hundred times as long, or the gradients of wrong labels; a
cell is the worst of the three."""
import collections
import csv
import sys

import numpy as np

FOLDS, EPOCHS, BATCH, RATE, HOSTILE = 7, 20, 10, 10.0, (0, 1, 3, 6)


def people(path):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))[1:]
    labels = sorted({row[2] for row in rows})
    found = collections.defaultdict(lambda: ([], []))
    for row in rows:
        values = np.array([*map(float, row[3:]), 1.0])
        found[row[1]][0].append(values / np.abs(values).sum())
        found[row[1]][1].append(labels.index(row[2]))
    return [(np.array(x), np.array(y)) for _, (x, y) in sorted(found.items())], len(labels)


class Adagrad:
    def __init__(self, shape):
        self.weights, self.memory = np.zeros(shape), np.zeros(shape)

    def step(self, gradient):
        self.memory += gradient * gradient
        self.weights -= RATE / np.sqrt(self.memory + 1e-6) * gradient


class Shortened(Adagrad):
    def __init__(self, shape):
        super().__init__(shape)
        self.norms = collections.deque(maxlen=101)

    def shortened(self, gradient):
        norm, first = np.linalg.norm(gradient), len(self.norms) < 8
        limit = 10.0 if first else sorted(self.norms)[len(self.norms) // 2]
        self.norms.append(min(norm, 10.0 if first else 16 * limit))
        return gradient * min(1.0, limit / max(norm, 1e-300))

    def take(self, gradients, hostile):
        for gradient in gradients:
            self.step(self.shortened(gradient))


class Hub(Shortened):
    def __init__(self, shape):
        super().__init__(shape)
        self.latest = collections.deque(maxlen=36)

    def admits(self, gradient):
        self.latest.append(gradient.ravel())
        if len(self.latest) < 8:
            return True
        flat = np.array(self.latest)
        squares = (flat * flat).sum(axis=1)
        distances = np.maximum(squares[:, None] + squares[None, :] - 2 * flat @ flat.T, 0)
        half = len(flat) // 2
        scores = np.partition(distances, half, axis=1)[:, :half + 1].sum(axis=1)
        return scores[-1] <= 1.3 * sorted(scores)[half]

    def take(self, gradients, hostile):
        for gradient in map(self.shortened, gradients):
            if self.admits(gradient):
                self.step(gradient)


class Mean(Adagrad):
    def take(self, gradients, hostile):
        self.step(gradients.mean(axis=0))


class Median(Adagrad):
    def take(self, gradients, hostile):
        self.step(np.median(gradients, axis=0))


class Trimmed(Adagrad):
    def take(self, gradients, hostile):
        cut = len(gradients) // 3
        self.step(np.sort(gradients, axis=0)[cut:len(gradients) - cut].mean(axis=0))


class Krum(Adagrad):
    """Told how many are hostile, which no server knows."""

    def take(self, gradients, hostile):
        flat = gradients.reshape(len(gradients), -1)
        squares = (flat * flat).sum(axis=1)
        distances = squares[:, None] + squares[None, :] - 2 * flat @ flat.T
        nearest = np.sort(distances, axis=1)[:, 1:max(2, len(flat) - hostile - 1)]
        self.step(gradients[nearest.sum(axis=1).argmin()])


def attacked(gradients, wrong, hostile, attack, random):
    gradients = gradients.copy()
    for index in range(hostile):
        if attack == "opposite":
            gradients[index] *= -10
        elif attack == "noise":
            noise = random.normal(size=gradients[index].shape)
            gradients[index] = noise * 100 * np.linalg.norm(gradients[index]) / np.linalg.norm(noise)
        else:
            gradients[index] = wrong[index]
    return gradients


def softmax(scores):
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return scores / scores.sum(axis=-1, keepdims=True)


def accuracy(server_kind, train, test, classes, hostile, attack, seed):
    random = np.random.default_rng(seed)
    server = server_kind((classes, train[0][0].shape[1]))
    order = random.permutation(len(train))  # who is hostile, by the order of sending
    rounds = EPOCHS * int(np.mean([len(y) for _, y in train])) // BATCH
    one = np.eye(classes)
    for _ in range(rounds):
        picks = [random.integers(len(train[person][1]), size=BATCH) for person in order]
        x = np.stack([train[person][0][pick] for person, pick in zip(order, picks)])
        y = np.stack([train[person][1][pick] for person, pick in zip(order, picks)])
        shares = softmax(x @ server.weights.T)
        gradients = np.einsum("pbc,pbf->pcf", shares - one[y], x) / BATCH
        wrong = np.einsum("pbc,pbf->pcf", shares[:hostile] - one[(y[:hostile] + 1) % classes], x[:hostile]) / BATCH
        server.take(random.permutation(attacked(gradients, wrong, hostile, attack, random)), hostile)
    x, y = (np.concatenate(part) for part in zip(*test))
    return np.mean((x @ server.weights.T).argmax(axis=1) == y)


def narrowed(train):
    """Each with two of the activities."""
    kept = [np.isin(y, [index % classes, (index + 3) % classes]) for index, (_, y) in enumerate(train)]
    return [(x[keep], y[keep]) for keep, (x, y) in zip(kept, train)]


def mean_over_folds(kind, hostile, attack, change=lambda train: train):
    each = []
    for fold in range(FOLDS):
        test, train = everybody[fold::FOLDS], [person for index, person in enumerate(everybody) if index % FOLDS != fold]
        each.append(accuracy(kind, change(train), test, classes, hostile, attack, fold))
    return f"{np.mean(each) * 100:5.1f} %", np.mean(each)


everybody, classes = people(sys.argv[1])
counts = ", ".join(map(str, HOSTILE))
sending = len(everybody) - len(everybody) // FOLDS
print(f"windows of people left out that are right, {FOLDS} folds of {len(everybody)} people, with {counts} of {sending} hostile;")
print("and with none where each has two of the activities alone")
servers = (("the hub", Hub), ("shortened alone", Shortened), ("mean", Mean), ("median", Median), ("trimmed mean", Trimmed), ("Krum", Krum))
for name, kind in servers:
    cells = []
    for hostile in HOSTILE:
        attacks = ("opposite", "noise", "labels") if hostile else ("none",)
        cells.append(min((mean_over_folds(kind, hostile, attack) for attack in attacks), key=lambda found: found[1])[0])
    print(f"  {name:16} {'  '.join(cells)}    {mean_over_folds(kind, 0, 'none', narrowed)[0]}", flush=True)
