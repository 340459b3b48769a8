"""Crowd-ML of 2017 as its sources behave: a database with nothing but REST, the node server, and the Python client."""
import http.server
import json
import math
import random
import threading
import time
import urllib.request


class Database:
    """A Realtime Database without event streams and without conditions on what is there."""

    def __init__(self):
        self.tree = {}
        self.lock = threading.RLock()
        self.changed = []  # functions of a uid, called after each write below /users
        self.refusals = []  # what signing in and up is refused with, one call after the other
        self.token, self.uses, self.life, self.refreshed = 0, 0, None, 0  # life: calls that a token is good for
        database = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                path = self.path.split("?")[0]
                if path.startswith("/identitytoolkit"):
                    if database.refusals:
                        return self.reply({"error": {"message": database.refusals.pop(0)}}, 400)
                    email = json.loads(body)["email"]
                    return self.reply({"localId": email.split("@")[0], "idToken": f"token{database.token}", "refreshToken": "refresh", "expiresIn": "3600"})
                if path.startswith("/securetoken"):
                    assert json.loads(body) == {"grant_type": "refresh_token", "refresh_token": "refresh"}, body
                    database.token, database.uses, database.refreshed = database.token + 1, 0, database.refreshed + 1
                    return self.reply({"id_token": f"token{database.token}", "refresh_token": "refresh", "expires_in": "3600", "user_id": "old"})
                database.uses += 1
                if database.life and (database.uses > database.life or not self.path.split("auth=")[1].startswith(f"token{database.token}")):
                    return self.reply({"error": "Auth token is expired"}, 401)
                names = [name for name in path.removesuffix(".json").split("/") if name]
                with database.lock:
                    if self.command == "GET":
                        return self.reply(database.get(names))
                    value = json.loads(body)
                    for name, item in value.items() if self.command == "PATCH" else [(None, value)]:
                        database.set(names + ([name] if name else []), item)
                    if names[0] == "users":
                        for hear in database.changed:
                            hear(names[1])
                self.reply(value)

            do_GET = do_PUT = do_PATCH = do_POST = answer

            def reply(self, value, status=200):
                data = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def get(self, names):
        node = self.tree
        for name in names:
            node = node.get(name) if isinstance(node, dict) else None
        return node

    def set(self, names, value):
        node = self.tree
        for name in names[:-1]:
            node = node.setdefault(name, {})
        # Null and what is empty is not there.
        if value is None or value == {} or value == []:
            node.pop(names[-1], None)
        else:
            node[names[-1]] = value

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class NodeServer:
    """crowdML-server.js: nested weights, the last gradient of a batch in adagrad, and no word about what is stale."""

    def __init__(self, database, features, classes, gradient_batch=1, weight_batch=1, flag="gradientProcessed", nested=True, awaits_weights=False, **parameters):
        self.database, self.flag, self.nested = database, flag, nested
        self.gradient_batch, self.weight_batch = gradient_batch, weight_batch
        self.config = {
            "paramIter": 1, "D": features, "K": classes, "L": 1e-6, "N": 60000, "clientBatchSize": 1, "lossFunction": "Softmax", "noiseDistribution": "NoNoise", "noiseScale": 1, "c": 0.5, "nh": 75,
            "eps": 1e-6, "maxIter": 10000, "localUpdateNum": 0, "descentAlg": "adagrad", "featureSource": "MNISTTrainImages.dat", "labelSource": "MNISTTrainLabels.dat", **parameters,
        }
        self.length = features * classes if classes > 2 else features
        self.weights = [random.Random(1).uniform(-0.5, 0.5) for _ in range(self.length)]
        self.memory = [0.0] * self.length
        self.iteration, self.gradients, self.batch, self.counted, self.ignored = 1, [], [], [], 0
        with database.lock:
            database.tree["parameters"] = self.config
            if not awaits_weights:
                self.publish()
            database.changed.append(self.look)

    def publish(self):
        nested = self.iteration % 2 == 1 if self.nested == "by turns" else self.nested
        weights = [self.weights, [self.iteration, -1]] if nested else self.weights
        self.database.tree["trainingWeights"] = {"iteration": self.iteration, "weights": weights}

    def look(self, uid):
        node = self.database.get(["users", uid])
        if not isinstance(node, dict) or node.get(self.flag) is not False:
            return
        if self.iteration == 1 and not self.counted:
            given = self.database.get(["trainingWeights", "weights"])
            self.weights = given[0] if isinstance(given[0], list) else given
        # As JavaScript's == compares numbers and text.
        if float(node["weightIter"]) != self.iteration or float(node["paramIter"]) != self.config["paramIter"]:
            self.ignored += 1
            return
        vector = node["gradients"]
        assert len(vector) == self.length, len(vector)
        self.counted.append((uid, int(node["gradIter"])))
        if self.config["localUpdateNum"] > 0:
            self.batch.append(vector)
        else:
            self.gradients.append(vector)
            if len(self.gradients) >= self.gradient_batch:
                self.batch.append(self.step(self.gradients))
                self.gradients = []
        node[self.flag] = True
        if len(self.batch) >= self.weight_batch:
            self.weights = [sum(column) / len(self.batch) for column in zip(*self.batch)]
            self.iteration += max(1, self.config["localUpdateNum"])
            self.batch = []
            self.publish()

    def step(self, gradients):
        last = gradients[-1]
        mean = [sum(column) / len(gradients) for column in zip(*gradients)]
        self.memory = [memory + g * g for memory, g in zip(self.memory, last)]
        return [w - self.config["c"] / math.sqrt(memory + self.config["eps"]) * g for w, memory, g in zip(self.weights, self.memory, mean)]


class PythonClient:
    """pythonClient.py: it reads the files that the server names and picks among as many samples as the server says; then fields one after
    the other, the flag last; it goes on when the flag is true and its own number came back."""

    def __init__(self, database, token, uid, directory, flag="gradientProcessed"):
        self.place, self.token, self.uid, self.flag, self.directory = database, token, uid, flag, directory
        self.random = random.Random(uid)
        self.number = 0

    def call(self, method, path, value=None):
        data = None if value is None else json.dumps(value).encode()
        request = urllib.request.Request(f"{self.place}/{path}.json?auth={self.token}", method=method, data=data)
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)

    def train(self, rounds):
        parameters = self.call("GET", "parameters")
        self.rows = [[float(cell) for cell in line.split()] for line in (self.directory / parameters["featureSource"]).read_text().splitlines()]
        self.labels = [int(line) for line in (self.directory / parameters["labelSource"]).read_text().splitlines()]
        for _ in range(rounds):
            weights = self.call("GET", "trainingWeights/weights")
            weights = weights[0] if isinstance(weights[0], list) else weights
            iteration = self.call("GET", "trainingWeights/iteration")
            self.number += 1
            for name, value in (
                ("paramIter", parameters["paramIter"]), ("weightIter", iteration), ("gradIter", self.number),
                ("gradients", self.gradient(weights, parameters)), (self.flag, False),
            ):
                self.call("PUT", f"users/{self.uid}/{name}", value)
            end = time.monotonic() + 20
            while True:
                node = self.call("GET", f"users/{self.uid}")
                if node[self.flag] is True and int(node["gradIter"]) == self.number:
                    break
                assert time.monotonic() < end, node
                time.sleep(0.05)

    def gradient(self, weights, parameters):
        classes, features = parameters["K"], parameters["D"]
        picked = self.random.sample(range(int(parameters["N"])), parameters["clientBatchSize"])
        total = [0.0] * len(weights)
        for index in picked:
            row, label = self.rows[index], self.labels[index]
            scores = [sum(x * weights[k * features + j] for j, x in enumerate(row)) for k in range(classes)]
            powers = [math.exp(score - max(scores)) for score in scores]
            for k in range(classes):
                share = powers[k] / sum(powers) - (k == label)
                for j, x in enumerate(row):
                    total[k * features + j] += share * x / len(picked)
        return [value + parameters["L"] * weight for value, weight in zip(total, weights)]
