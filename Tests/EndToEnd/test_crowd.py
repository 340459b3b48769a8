"""Devices that learn together: processes against a hub, with everything in between that goes wrong."""
import collections
import json
import os
import random
import re
import signal
import subprocess
import threading
import time
import unittest
import urllib.error
import urllib.request
import zipfile

from crowd_ml import Database, NodeServer, PythonClient
from hub import HUB, Hub, Liar
from support import DATA, GAITWAY, TestCase, needs_recordings

FEATURES, CLASSES, RATE = 12, 3, 0.5


def write_samples(directory, seed, count=60):
    """Three clouds, in Crowd-ML's format."""
    directory.mkdir(parents=True)
    source = random.Random(seed)
    labels = [source.randrange(CLASSES) for _ in range(count)]
    rows = [[source.gauss(3 if index % CLASSES == label else 0, 1) for index in range(FEATURES)] for label in labels]
    (directory / "trainingFeature.dat").write_text("".join(" ".join(f"{value:.4f}" for value in row) + "\n" for row in rows))
    (directory / "trainingLabel.dat").write_text("".join(f"{label}\n" for label in labels))


ALLOWED = {"GAITWAY_CROWD_MIN_NOISE": "0", "GAITWAY_CROWD_MIN_BATCH": "1", "GAITWAY_CROWD_ALLOW_HIDDEN_LAYERS": "true", "GAITWAY_CROWD_EPSILON_PER_DAY": "1000000"}


class Crowd(TestCase):
    def start(self, *settings, serve=()):
        self.data = self.directory / "hub.sqlite"
        (self.directory / "password").write_text("a long word\n")
        subprocess.run([HUB, "crowd", "start", "--data", self.data, "--features", str(FEATURES), "--classes", str(CLASSES), "--open", *map(str, settings)], check=True, capture_output=True)
        hub = Hub(self.directory, "--strangers-rate", 0, *serve)
        self.addCleanup(hub.close)
        return hub

    def command(self, name, database, *arguments):
        samples = self.directory / "samples" / name
        if not samples.exists():
            write_samples(samples, name)
        return [GAITWAY, "crowd", *map(str, arguments), "--database", database, "--email", f"{name}@example.org", "--password-file", self.directory / "password", "--sign-up", "--files", samples, "--json"]

    def environment(self, name):
        # Most crowds here ask for what an owner has to allow.
        return {**os.environ, "STATE_DIRECTORY": str(self.directory / "state" / name), **ALLOWED}

    def run_client(self, name, database, *arguments):
        return subprocess.run(self.command(name, database, *arguments), capture_output=True, text=True, timeout=120, env=self.environment(name))

    def read(self, hub, path):
        with urllib.request.urlopen(f"{hub.address}/crowd/{path}.json?auth={hub.token}", timeout=20) as answer:
            return json.load(answer)

    def test_three_workflows(self):
        hub = self.start("--client-batch", 5, "--rate", 10)
        before = self.run_client("ada", hub.crowd, "error")
        self.assertEqual(before.returncode, 0, before.stderr)
        self.assertGreater(json.loads(before.stdout)["error"], 0.4)
        once = self.run_client("ada", hub.crowd, "once")
        self.assertEqual(once.returncode, 0, once.stderr)
        trained = self.run_client("ada", hub.crowd, "train", "--rounds", 15)
        self.assertEqual(trained.returncode, 0, trained.stderr)
        report = json.loads(trained.stdout)
        self.assertEqual((report["counted"], report["iteration"]), (15, 17))
        self.assertEqual(report["no_promise"], "no noise is added")
        self.assertLess(json.loads(self.run_client("ada", hub.crowd, "error").stdout)["error"], 0.1)
        node = self.read(hub, "users")
        self.assertEqual(list(node.values()), [{"gradIter": 17, "gradientProcessed": True, "paramIter": 1, "weightIter": 16}])

    def test_what_is_given_away_is_counted_and_limited(self):
        # Softmax: 4 / (5 x 0.4) = epsilon 2 for each epoch of 12 batches.
        hub = self.start("--client-batch", 5, "--noise", "Laplace", "--noise-scale", 0.4)
        trained = self.run_client("bob", hub.crowd, "train", "--rounds", 12, "--epsilon-limit", 4)
        self.assertEqual(trained.returncode, 0, trained.stderr)
        report = json.loads(trained.stdout)
        self.assertEqual((report["counted"], report["check_ins"], report["epsilon"]), (12, 12, 2))
        # Who starts again may use the same samples again.
        self.assertEqual(json.loads(self.run_client("bob", hub.crowd, "once", "--epsilon-limit", 4).stdout)["epsilon"], 4)
        refused = self.run_client("bob", hub.crowd, "once", "--epsilon-limit", 4)
        self.assertRefused(refused, 77, "epsilon would be 6")
        refused = self.run_client("bob", hub.crowd, "once", "--raw", "--epsilon-limit", 100)
        self.assertRefused(refused, 77, "not L1-normalised")
        said = subprocess.run([GAITWAY, "crowd", "budget"], capture_output=True, text=True, env=self.environment("bob")).stdout
        self.assertEqual(said, "epsilon 4.000 for each sample, over 13 check-ins\n")

    def test_two_programs_of_one_device_share_its_budget(self):
        hub = self.start("--client-batch", 5, "--gradient-batch", 2, "--noise", "Laplace", "--noise-scale", 0.4)
        self.run_client("dee", hub.crowd, "once")
        programs = [subprocess.Popen(self.command(name, hub.crowd, "train", "--rounds", 3), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment("dee")) for name in ("dee", "dan")]
        reports = []
        for program in programs:
            out, err = program.communicate(timeout=60)
            self.assertEqual(program.returncode, 0, err)
            reports.append(json.loads(out))
        budget = json.loads(subprocess.run([GAITWAY, "crowd", "budget", "--json"], capture_output=True, text=True, env=self.environment("dee")).stdout)
        self.assertEqual(budget["check_ins"], 1 + sum(report["counted"] + report["stale"] for report in reports))
        self.assertEqual(budget["epsilon"], 6)

    def test_without_a_server_it_waits_and_ends(self):
        hub = self.start()
        self.run_client("cyd", hub.crowd, "once")
        began = time.monotonic()
        subprocess.run([HUB, "crowd", "stop", "--data", self.data], check=True)
        time.sleep(1.5)
        result = self.run_client("cyd", hub.crowd, "train", "--rounds", 3, "--timeout", 2)
        self.assertRefused(result, 75, "0 of 3 rounds counted")
        self.assertLess(time.monotonic() - began, 20)

    def test_what_goes_wrong(self):
        hub = self.start()
        token = self.sign_up(hub, "eve@example.org")
        uid = token["localId"]

        def write(path, body, code, words, method="PATCH", auth=token["idToken"]):
            with self.subTest(words):
                request = urllib.request.Request(f"{hub.address}/crowd/{path}.json?auth={auth}", method=method, data=body.encode())
                with self.assertRaises(urllib.error.HTTPError) as caught:
                    urllib.request.urlopen(request, timeout=20)
                with caught.exception as error:
                    said = error.read().decode()
                self.assertEqual(caught.exception.code, code, said)
                self.assertIn(words, said)

        def check_in(gradients, **fields):
            return json.dumps({"gradIter": 1, "weightIter": 1, "paramIter": 1, "gradientProcessed": False, **fields, "gradients": gradients})

        whole = [0.1] * (FEATURES * CLASSES)
        before = self.read(hub, "trainingWeights")
        write(f"users/{uid}", check_in(whole[1:]), 400, "35 numbers came")
        write(f"users/{uid}", check_in(whole).replace("0.1", "1e999"), 400, "couldn't parse")
        write(f"users/{uid}", check_in(whole).replace("0.1", "NaN", 1), 400, "couldn't parse")
        write(f"users/{uid}", check_in(["inf"] * len(whole)), 400, "not finite")
        write(f"users/{uid}", check_in(whole, weightIter="soon"), 400, "weightIter")
        write("users/somebody", check_in(whole), 401, "Permission denied")
        write("trainingWeights/weights", "[1]", 401, "Permission denied", method="PUT")
        write(f"users/{uid}", check_in(whole), 401, "Auth token", auth="gwa_0")
        write(f"users/{uid}", "{", 400, "couldn't parse")
        write("users/a.b", "{}", 400, "Invalid path")
        write(f"users/{uid}/more", json.dumps({f"name{index}": "x" * 100 for index in range(100)}), 400, "too much", method="PUT")
        # Nothing of it was kept.
        self.assertEqual((self.read(hub, "trainingWeights"), self.read(hub, "users")), (before, None))

    def sign_up(self, hub, email):
        request = urllib.request.Request(f"{hub.address}/identitytoolkit.googleapis.com/v1/accounts:signUp?key=k", data=json.dumps({"email": email, "password": "a long word"}).encode())
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)

    def test_fifty_devices_some_of_whom_die(self):
        """Every gradient that the hub took is in the weights once: they are the sum of just those. The hub dies, too."""
        batch, rounds = 10, 10
        hub = self.start("--gradient-batch", batch, "--client-batch", 3, "--descent", "constant", "--rate", RATE, "--decay", 0, "--unclipped")
        liar = Liar(hub)
        self.addCleanup(liar.close)
        liar.changes.append(self.look_on)
        self.taken, self.stale, self.iterations = set(), set(), collections.defaultdict(list)
        names = [f"device{index}" for index in range(50)]
        clients = {name: self.launch(name, liar, rounds) for name in names}
        source, killed = random.Random(1), 0
        for name in source.sample(names, 10):
            time.sleep(0.2)
            if clients[name].poll() is None:
                killed += 1
                clients[name].send_signal(signal.SIGKILL)
                clients[name].wait()
                clients[name] = self.launch(name, liar, rounds)
        self.assertGreater(killed, 5)
        hub.kill()
        hub.start()
        counted = 0
        for name, client in clients.items():
            client.wait(timeout=120)
            self.assertEqual(client.returncode, 0, (self.directory / f"{name}.err").read_text())
            counted += json.loads((self.directory / f"{name}.out").read_text())["counted"]
        self.assertEqual(counted, 50 * rounds)
        for seen in self.iterations.values():
            self.assertEqual(seen, sorted(seen))
        # What nobody looked at any more.
        for uid, node in self.read(hub, "users").items():
            self.seen(uid, node)
        status = json.loads(hub.run("crowd", "status", "--json"))
        self.assertEqual(int(status["taken"]), len(self.taken))
        self.assertEqual(int(status["iteration"]) - 1, len(self.taken) // batch)
        self.assertGreaterEqual(len(self.taken), counted)

        weights = self.read(hub, "trainingWeights")
        sums, open_batch, sent = [0.0] * (FEATURES * CLASSES), 0, collections.defaultdict(list)
        for path, body in liar.bodies:
            fields = json.loads(body)
            if "gradients" in fields:
                sent[path.split("/")[-1].removesuffix(".json"), fields["gradIter"]].append(fields)
        for key in self.taken:
            # What the killed hub had not kept yet was sent again.
            fields = sent[key][-1]
            if fields["weightIter"] == weights["iteration"]:
                open_batch += 1
                continue
            sums = [total + value for total, value in zip(sums, fields["gradients"])]
        self.assertEqual(open_batch, len(self.taken) % batch)
        for weight, total in zip(weights["weights"], sums):
            self.assertAlmostEqual(weight, -RATE / batch * total, delta=1e-9)

    def test_a_client_of_2017(self):
        """Python's client, against this hub: flat weights and nested ones, what is stale acknowledged or not."""
        for settings in ((), ("--nested", "--ignores-stale")):
            with self.subTest(settings=settings):
                self.data = self.directory / f"{len(settings)}"
                self.data.mkdir()
                samples = self.data / "samples"
                write_samples(samples, 1)
                count = len((samples / "trainingLabel.dat").read_text().splitlines())
                subprocess.run([HUB, "crowd", "start", "--data", self.data / "hub.sqlite", "--features", str(FEATURES), "--classes", str(CLASSES), "--open", "--client-batch", "5", "--rate", "2", "--samples", str(count), "--feature-source", "trainingFeature.dat", "--label-source", "trainingLabel.dat", *settings], check=True, capture_output=True)
                hub = Hub(self.data, "--strangers-rate", 0)
                self.addCleanup(hub.close)
                rows = [[float(cell) for cell in line.split()] for line in (samples / "trainingFeature.dat").read_text().splitlines()]
                labels = [int(line) for line in (samples / "trainingLabel.dat").read_text().splitlines()]
                account = self.sign_up(hub, "old@example.org")
                PythonClient(hub.crowd, account["idToken"], account["localId"], samples).train(20)
                status = json.loads(hub.run("crowd", "status", "--json"))
                self.assertEqual((int(status["taken"]), int(status["iteration"])), (20, 21))
                weights = self.read(hub, "trainingWeights/weights")
                weights = weights[0] if settings else weights
                scores = [[sum(x * weights[k * FEATURES + j] for j, x in enumerate(row)) for k in range(CLASSES)] for row in rows]
                right = sum(max(range(CLASSES), key=lambda k: score[k]) == label for score, label in zip(scores, labels))
                self.assertGreater(right / len(rows), 0.9)

    def old_server(self, **options):
        (self.directory / "password").write_text("a long word\n")
        database = Database()
        self.addCleanup(database.close)
        return database, NodeServer(database, FEATURES, CLASSES, **options)

    def test_a_server_of_2017(self):
        """Our client against crowdML-server.js over a plain database: nested weights, flat ones, the first generation's flag, weights instead of gradients."""
        for options in ({}, {"nested": False, "gradient_batch": 2}, {"flag": "readByServer", "nested": False}, {"localUpdateNum": 3}, {"nested": "by turns"}, {"N": "60000", "clientBatchSize": "2"}, {"awaits_weights": True}):
            with self.subTest(options=options):
                database, server = self.old_server(**options)
                if options.get("flag"):
                    database.tree["users"] = {"old": {"readByServer": True, "gradIter": "4", "weightIter": "1", "paramIter": 1}}
                result = self.run_client("old", database.address, "train", "--rounds", 6)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual(json.loads(result.stdout)["counted"], 6)
                first = 5 if options.get("flag") else 2
                self.assertEqual(server.counted, [("old", number) for number in range(first, first + 6)])

    def test_tokens_that_end_before_their_time(self):
        database, server = self.old_server()
        database.life = 12
        result = self.run_client("old", database.address, "train", "--rounds", 6)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(server.counted), 6)
        self.assertGreater(database.refreshed, 1)

    def test_an_account_that_comes_while_it_is_made(self):
        """As by a program that was killed just after it asked for one."""
        database, server = self.old_server()
        database.refusals = ["EMAIL_NOT_FOUND", "EMAIL_EXISTS"]
        result = self.run_client("old", database.address, "train", "--rounds", 1)
        self.assertEqual(result.returncode, 0, result.stderr)
        database.refusals = ["INVALID_PASSWORD", "EMAIL_EXISTS", "INVALID_PASSWORD"]
        self.assertRefused(self.run_client("old", database.address, "once"), 77, "INVALID_PASSWORD")

    def test_what_an_old_server_ignores_is_sent_again(self):
        """Two devices at once: the server of 2017 says nothing to the one that came too late."""
        database, server = self.old_server()
        processes = [
            subprocess.Popen(self.command(name, database.address, "train", "--rounds", 15), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment(name)) for name in ("one", "two")
        ]
        for process in processes:
            out, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0, err)
            self.assertEqual(json.loads(out)["counted"], 15)
        self.assertEqual(len(server.counted), 30)
        self.assertEqual(len(set(server.counted)), 30)
        self.assertGreater(server.ignored, 0)

    def launch(self, name, liar, rounds):
        out, err = open(self.directory / f"{name}.out", "w"), open(self.directory / f"{name}.err", "w")
        with out, err:
            return subprocess.Popen(self.command(name, f"{liar.address}/crowd", "train", "--rounds", rounds), stdout=out, stderr=err, env=self.environment(name))

    # Between the hub and its devices.
    def look_on(self, path, status, data):
        if status == 200 and (match := re.fullmatch(r"/crowd/users/(.*)\.json", path)) and data != b"null":
            self.seen(match[1], json.loads(data))
        if status == 200 and path == "/crowd/trainingWeights/iteration.json":
            # A thread is one device's connection.
            self.iterations[threading.get_ident()].append(json.loads(data))
        return status, data

    def seen(self, uid, node):
        if node.get("gradientProcessed") is True and node["gradIter"] > 1:
            (self.stale if node.get("stale") else self.taken).add((uid, node["gradIter"]))


class Boards(TestCase):
    @needs_recordings
    def test_from_boards_to_a_model_for_boards(self):
        """Registered boards learn from people's recordings; what comes of it runs on a board."""
        labels = "WALKING,WALKING_UPSTAIRS,WALKING_DOWNSTAIRS,SITTING,STANDING,LAYING"
        settings = ("--features", "81", "--classes", "6", "--labels", labels, "--client-batch", "10", "--gradient-batch", "3", "--rate", "10")
        subprocess.run([HUB, "crowd", "start", "--data", self.directory / "hub.sqlite", *settings], check=True, capture_output=True)
        hub = Hub(self.directory, "--strangers-rate", 0)
        self.addCleanup(hub.close)
        people = {subject: {**os.environ, **ALLOWED, "STATE_DIRECTORY": str(self.directory / f"board{subject}")} for subject in (3, 6, 14)}
        for subject, environment in people.items():
            command = [GAITWAY, "register", "--hub", hub.address, "--token", hub.bootstrap(), "--name", f"board{subject}"]
            self.assertEqual(subprocess.run(command, capture_output=True, env=environment).returncode, 0)
        recordings = ("--recordings", DATA / "hapt")
        boards = [subprocess.Popen([GAITWAY, "crowd", "train", "--rounds", "150", *recordings, "--subject", str(subject)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) for subject, environment in people.items()]
        for board in boards:
            _, said = board.communicate(timeout=60)
            self.assertEqual(board.returncode, 0, said)
        model = self.directory / "crowd.safetensors"
        made = subprocess.run([GAITWAY, "crowd", "export", *recordings, "--output", model, "--model-version", "9", "--json"], capture_output=True, text=True, env=people[3])
        self.assertEqual(made.returncode, 0, made.stderr)
        report = json.loads(made.stdout)
        self.assertGreaterEqual(report["equal"], 0.99 * report["rows"])
        self.assertGreater(report["right_in_fixed"], 0.7 * report["rows"])
        # A hub makes the same model of the same recordings, and without any one that does as well.
        others = [self.directory / f"hub{index}.safetensors" for index in range(2)]
        hub.run("crowd", "export", "--output", others[0], "--recordings", DATA / "hapt", "--model-version", 9)
        self.assertEqual(others[0].read_bytes(), model.read_bytes())
        said = hub.run("crowd", "export", "--output", others[1], "--model-version", 9)
        self.assertRegex(said, r"decides as float does in (100|99)\.\d % of \d+ windows of simulated movement\n")
        measured = [subprocess.run([GAITWAY, "evaluate", "--model", file, "--recordings", DATA / "hapt", "--fresh", "--json"], capture_output=True, text=True) for file in (model, others[1])]
        accuracies = [json.loads(result.stdout)["accuracy"] for result in measured]
        # Most differ by 0.1 points; where int8 is just good enough on one kind of movement alone, by one.
        self.assertAlmostEqual(*accuracies, delta=0.02)
        # So does the network in float.
        float_model, other = self.directory / "float.safetensors", self.directory / "other.safetensors"
        hub.run("crowd", "export", "--float", "--output", float_model)
        imported = subprocess.run([GAITWAY, "model", "import", float_model, "--input", "features-80", "--calibrate", DATA / "hapt", "--labels", labels, "--output", other, "--json"], capture_output=True, text=True)
        self.assertEqual(imported.returncode, 0, imported.stderr)
        self.assertEqual(json.loads(imported.stdout)["right_in_float"], report["right_in_float"])
        run = subprocess.run([GAITWAY, "run", "--model", model, "--source", "simulated:walk=10,lie=10", "--speed", "max", "--json"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(json.loads(run.stdout.splitlines()[-1])["smoothed"], "LAYING")


    def test_beside_the_loop(self):
        """A running board takes part with its own recordings where it is allowed to, and every decision is there all the same."""
        settings = ("--features", "18", "--classes", "2", "--labels", "WALKING,STANDING", "--client-batch", "4", "--noise", "Laplace", "--noise-scale", "0.5")
        subprocess.run([HUB, "crowd", "start", "--data", self.directory / "hub.sqlite", *settings], check=True, capture_output=True)
        hub = Hub(self.directory, "--strangers-rate", 0)
        self.addCleanup(hub.close)
        state, recordings = self.directory / "board", self.directory / "recordings"
        environment = {**os.environ, "STATE_DIRECTORY": str(state), "GAITWAY_RECORDINGS": str(recordings), "GAITWAY_CROWD_ENABLED": "true", "GAITWAY_CROWD_INTERVAL": "1", "GAITWAY_CROWD_MAX_TEMPERATURE": "120", "GAITWAY_CROWD_MIN_BATTERY": "0"}
        for label, script in (("walking", "walk=30"), ("standing", "stand=30")):
            made = subprocess.run([GAITWAY, "record", "--label", label, "--source", f"simulated:{script}", "--seconds", "20", "--speed", "max"], capture_output=True, text=True, env=environment)
            self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(subprocess.run([GAITWAY, "register", "--hub", hub.address, "--token", hub.bootstrap(), "--name", "board"], capture_output=True, env=environment).returncode, 0)

        doing = {}

        def run(seconds, **more):
            board = subprocess.Popen([GAITWAY, "run", "--source", "simulated:walk=60", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**environment, **more})
            time.sleep(seconds)
            doing.update(json.loads(subprocess.run([GAITWAY, "status", "--json"], capture_output=True, text=True, env={**environment, **more}).stdout)["crowd"])
            board.terminate()
            out, said = board.communicate(timeout=20)
            self.assertEqual(board.returncode, 0, said)
            times = [json.loads(line)["t"] for line in out.splitlines()]
            self.assertEqual(times, [round(2.56 + 1.28 * index, 2) for index in range(len(times))])
            return said, int(json.loads(hub.run("crowd", "status", "--json"))["taken"])

        said, taken = run(4, GAITWAY_CROWD_QUIET_HOURS="00:00-23:59", TZ="UTC")
        self.assertEqual(taken, 0, said)
        self.assertIn("quiet hours", said)
        self.assertIn("quiet hours", doing["doing"])
        said, taken = run(9)
        self.assertGreaterEqual(taken, 4, said)
        self.assertIn("the board learns with others", said)
        self.assertEqual(doing["doing"], "the board learns with others")
        self.assertIn(doing["counted"], (taken, taken - 1))
        # 4 / (4 x 0.5) for each epoch, of which one or two went by.
        self.assertIn(doing["epsilon"], (2, 4))
        # No other epoch.
        said, more = run(9, GAITWAY_CROWD_EPSILON_LIMIT="2")
        self.assertEqual(more, taken, said)
        self.assertIn("epsilon would be", said)
        self.assertIn("epsilon would be", doing["doing"])


class Learning(TestCase):
    @unittest.skipUnless((DATA / "crowd-ml/binary-mnist.zip").is_file(), f"no digits in {DATA}/crowd-ml (set GAITWAY_DATA)")
    def test_two_digits(self):
        """1000 devices learn as one machine does; the paper's noise costs less the larger the batches are."""
        with zipfile.ZipFile(DATA / "crowd-ml/binary-mnist.zip") as archive:
            archive.extractall(self.directory)
        command = [GAITWAY, "crowd", "simulate", "--files", self.directory / "binary-mnist", "--svg", self.directory / "figure.svg", "--json"]
        result = subprocess.run(command, capture_output=True, text=True, timeout=120)
        self.assertEqual(result.returncode, 0, result.stderr)
        central, crowd, *noisy = [json.loads(line)["error"] for line in result.stdout.splitlines()]
        self.assertLessEqual(abs(central - crowd), 0.003)
        self.assertLess(crowd, 0.02)
        self.assertEqual(len(noisy), 3)
        self.assertTrue(noisy[0] > noisy[1] > noisy[2], noisy)
        self.assertIn("<svg", (self.directory / "figure.svg").read_text())

    @needs_recordings
    def test_activities_of_people(self):
        """21 people as devices, some left out in turn."""
        result = subprocess.run([GAITWAY, "crowd", "simulate", "--recordings", DATA / "hapt", "--json"], capture_output=True, text=True, timeout=120)
        self.assertEqual(result.returncode, 0, result.stderr)
        report = json.loads(result.stdout)
        self.assertEqual(report["people"], 21)
        self.assertGreaterEqual(report["crowd"], report["central"] - 0.01)
        self.assertGreater(report["crowd"], report["alone"] + 0.05)


if __name__ == "__main__":
    unittest.main()
