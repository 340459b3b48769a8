"""Record, train, guess: one's own activities, in a terminal and out of it, and what can go wrong on the way."""
import json
import math
import os
import pathlib
import random
import re
import signal
import subprocess
import time
import unittest

from support import GAITWAY, MODEL, WAIST, TestCase, gaitway, lines, needs

ACTIVITIES = {"walking": "walk", "standing": "stand", "sitting": "sit", "climbing": "upstairs"}


def simulated(activity, seed):
    return f"simulated:seed={seed},{activity}=40"


def wait_until_handled(process, number, seconds=30):
    """Until a program no longer ends by a signal: a busy processor may take its time to start it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        status = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines() if ":" in line)
        if any(int(status[mask], 16) >> number - 1 & 1 for mask in ("SigBlk", "SigIgn", "SigCgt")):
            return
        time.sleep(0.01)


class Terminal:
    """A tmux window of its own."""

    def __init__(self, directory):
        self.command = ["tmux", "-L", f"gaitway-{os.getpid()}", "-f", "/dev/null"]
        self.run("new-session", "-d", "-s", "t", "-x", "100", "-y", "40", "-c", str(directory), "env PS1='$ ' TERM=xterm LC_ALL=C.UTF-8 sh")

    def run(self, *arguments):
        return subprocess.run([*self.command, *arguments], capture_output=True, text=True, timeout=20)

    def type(self, text):
        self.run("send-keys", "-t", "t", text, "Enter")

    def screen(self):
        return self.run("capture-pane", "-p", "-t", "t").stdout

    def wait(self, pattern, seconds=20):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = re.search(pattern, self.screen())
            if found:
                return found
            time.sleep(0.1)
        raise AssertionError(f"no {pattern!r} on the screen:\n{self.screen()}")

    def close(self):
        self.run("kill-server")


class OwnRecordings(TestCase):
    def record(self, label, activity, seed=1, seconds=10, *more):
        return gaitway("record", "--label", label, "--source", simulated(activity, seed), "--speed", "max", "--seconds", seconds, "--recordings", self.directory / "r", *more)

    def record_all(self):
        for number, (label, activity) in enumerate(ACTIVITIES.items()):
            self.assertEqual(self.record(label, activity, number).returncode, 0)

    @needs("tmux")
    def test_the_whole_way_in_a_terminal(self):
        terminal = Terminal(self.directory)
        self.addCleanup(terminal.close)
        for number, (label, activity) in enumerate(ACTIVITIES.items()):
            terminal.type(f"clear; {GAITWAY} record --label {label} --source {simulated(activity, number)} --countdown 1 --seconds 4")
            if number == 0:
                terminal.wait(r"walking in 1")
                terminal.wait(r"walking: [123]\.\d of 4\.0 s, (49|50)\.\d Hz")
                self.assertRegex(terminal.screen(), "[\u2801-\u28ff]")
            terminal.wait(r"4\.0 s of %s at 50\.0 Hz" % label)
        terminal.type(f"clear; {GAITWAY} train")
        terminal.wait(r"written to\s+recordings/model.safetensors")
        self.assertIn("walking, standing, sitting, climbing", terminal.screen())
        for number, (label, activity) in enumerate(ACTIVITIES.items()):
            # What was typed has no such number: the screen of the guess before may still be there.
            terminal.type(f"clear; {GAITWAY} guess --source {simulated(activity, 70 + number)} --countdown 0 --seconds 6 --speed max; echo end-$(({number}))")
            self.assertEqual(terminal.wait(rf"(\w+), by \d+ windows[\s\S]*end-{number}").group(1), label)

    def test_train_and_guess(self):
        self.record_all()
        trained = lines(gaitway("train", "--recordings", self.directory / "r", "--json"))[0]
        self.assertEqual(trained["labels"], list(ACTIVITIES))
        self.assertGreater(trained["accuracy"], 0.9)
        first = (self.directory / "r/model.safetensors").read_bytes()
        self.assertEqual(gaitway("train", "--recordings", self.directory / "r").returncode, 0)
        self.assertEqual((self.directory / "r/model.safetensors").read_bytes(), first, "the same bits")
        for number, (label, activity) in enumerate(ACTIVITIES.items()):
            result = lines(gaitway("guess", "--source", simulated(activity, 50 + number), "--speed", "max", "--recordings", self.directory / "r", "--json"))[0]
            self.assertEqual(result["activity"], label)
            self.assertAlmostEqual(sum(result["shares"].values()), 1, places=3)
        ran = lines(gaitway("run", "--model", self.directory / "r/model.safetensors", "--source", "simulated:walk=20", "--speed", "max", "--json"))
        self.assertEqual({line["smoothed"] for line in ran}, {"walking"})
        short = gaitway("guess", "--source", simulated("walk", 1), "--speed", "max", "--seconds", "1", "--recordings", self.directory / "r")
        self.assertRefused(short, 65, "1.0 s do not make one window of 2.00 s", "--seconds")

    def curls(self, path, seconds, seed):
        """An arm that bends and stretches: down goes from the board's -x to its z and back, every 1.6 s."""
        generator = random.Random(seed)
        rows = ["time,x,y,z"]
        for i in range(seconds * 50):
            angle = math.pi / 4 * (1 - math.cos(2 * math.pi * i / 80))
            g = (-math.cos(angle), 0.2, math.sin(angle))
            rows.append(",".join([f"{i / 50:.2f}"] + [f"{value + generator.gauss(0, 0.03):.4f}" for value in g]))
        path.write_text("\n".join(rows) + "\n")
        return f"recording:{path}"

    def test_a_new_activity_out_of_30_seconds(self):
        store, source = self.directory / "r", self.curls(self.directory / "a.csv", 40, 1)
        before = gaitway("guess", "--model", MODEL, "--source", source, "--speed", "max", "--json")
        self.assertEqual(lines(before)[0]["activity"], "unknown", "nobody walked")
        self.assertIn("not known which way is up", before.stderr)
        self.assertNotIn("curls", gaitway("guess", "--model", MODEL, "--source", source, "--up=-x", "--speed", "max", "--json").stdout)
        self.assertEqual(gaitway("record", "--label", "curls", "--source", source, "--seconds", 30, "--speed", "max", "--recordings", store).returncode, 0)
        self.assertRefused(gaitway("train", "--from", MODEL, "--recordings", store), 65, "nobody walks", "--up")
        learnt = lines(gaitway("train", "--from", MODEL, "--recordings", store, "--up=-x", "--model-version", 2, "--json"))[0]
        self.assertEqual((learnt["added"], len(learnt["labels"])), (["curls"], 10))
        self.assertGreater(learnt["exemplars"], 100)
        self.assertGreater(learnt["others_before"], 0.9)
        self.assertGreater(learnt["others_after"], 0.9)
        self.assertRefused(gaitway("train", "--from", MODEL, "--recordings", store, "--epochs", 3, "--up=-x"), 64, "last layer alone", "--epochs")
        other = self.curls(self.directory / "b.csv", 40, 2)
        self.assertEqual(lines(gaitway("guess", "--source", other, "--up=-x", "--speed", "max", "--recordings", store, "--json"))[0]["activity"], "curls")
        model = store / "model.safetensors"
        for activity, label in (("walk", "WALKING"), ("stand", "STANDING"), ("sit", "SITTING"), ("lie", "LAYING"), ("upstairs", "WALKING_UPSTAIRS"), ("downstairs", "WALKING_DOWNSTAIRS")):
            ran = lines(gaitway("run", "--model", model, "--source", f"simulated:{activity}=30", "--speed", "max", "--json"))
            self.assertGreater(sum(line["activity"] == label for line in ran), 0.9 * len(ran), activity)
        # Ten seconds of walking tell how it was worn, and "walking" is WALKING.
        self.assertEqual(gaitway("record", "--label", "walking", "--source", simulated("walk", 5), "--seconds", 10, "--speed", "max", "--recordings", self.directory / "w").returncode, 0)
        walked = lines(gaitway("train", "--from", MODEL, "--recordings", self.directory / "w", "--json"))[0]
        self.assertEqual((walked["added"], len(walked["labels"])), ([], 9))
        again = lines(gaitway("train", "--from", model, "--recordings", store, "--up=-x", "--output", self.directory / "again", "--json"))[0]
        self.assertEqual((again["added"], len(again["labels"])), ([], 10))

    def test_unknown(self):
        """What nobody does with a worn board: the loop says so."""
        generator = random.Random(3)
        still = {"face down": (0, 0, -1), "upside down": (-1, 0, 0), "on its other side": (0, -1, 0)}
        cases = {name: [[g + generator.gauss(0, 0.004) for g in down] for _ in range(2000)] for name, down in still.items()}
        swings = [[(generator.uniform(1, 7), generator.uniform(0, 6), generator.uniform(0.4, 0.9)) for _ in range(6)] for _ in range(3)]
        cases["shaken"] = [[sum(size * math.sin(2 * math.pi * rate * i / 50 + phase) for rate, phase, size in axis) for axis in swings] for i in range(2000)]
        gaitway("record", "--label", "walk", "--source", simulated("walk", 3), "--seconds", 40, "--speed", "max", "--recordings", self.directory / "r")
        walk = [[float(v) for v in row.split(",")[1:]] for row in next((self.directory / "r").glob("walk*")).read_text().splitlines()[1:]]
        # To a worn network, any way up is a way to wear it.
        bag = {"carried upside down in a bag": [[-x, y, -z] for x, y, z in walk]}
        for model, name, rows in [(MODEL, *case) for case in cases.items()] + [(WAIST, *case) for case in (cases | bag).items()]:
            path = self.directory / "strange.csv"
            path.write_text("time,x,y,z\n" + "\n".join(",".join([f"{i / 50:.2f}"] + [f"{v:.4f}" for v in row]) for i, row in enumerate(rows)) + "\n")
            ran = lines(gaitway("run", "--model", model, "--source", f"recording:{path}", "--speed", "max", "--json"))
            unknown = sum(line["smoothed"] == "unknown" for line in ran) / len(ran)
            self.assertGreater(unknown, 0.9, f"{model.name}, {name}: {unknown:.2f} unknown, {ran[-1]['smoothed']}")

    def test_features(self):
        self.record_all()
        for kind, columns in (("features-17", 17), ("features-80", 80)):
            model = self.directory / kind
            trained = lines(gaitway("train", "--input", kind, "--recordings", self.directory / "r", "--output", model, "--json"))[0]
            self.assertGreater(trained["accuracy"], 0.9)
            source = "simulated:seed=12,walk=20,stand=20,sit=20"
            printed = gaitway("features", "--input", kind, "--source", source, "--window", 100, "--hop", 50).stdout
            rows = [line.split(",") for line in printed.splitlines()]
            self.assertEqual({len(row) for row in rows}, {columns})
            (self.directory / "rows.csv").write_text("".join(line + "\n" for line in printed.splitlines()[1:]))
            predicted = [[float(v) for v in row.split(",")] for row in gaitway("model", "predict", model, "--input", self.directory / "rows.csv").stdout.splitlines()]
            ran = lines(gaitway("run", "--model", model, "--source", source, "--speed", "max", "--json"))
            self.assertEqual(len(ran), len(predicted))
            same = sum(line["activity"] == trained["labels"][row.index(max(row))] for line, row in zip(ran, predicted))
            self.assertGreaterEqual(same, len(ran) - 1, "the rows are what the loop computes")
            self.assertIn(kind, gaitway("model", "inspect", model, "--json").stdout)
            # Its own header is read back, and what a row is of is no number of it.
            (self.directory / "rows.csv").write_text(printed)
            self.assertEqual(len(gaitway("model", "predict", model, "--input", self.directory / "rows.csv").stdout.splitlines()), len(predicted))
            labelled = gaitway("features", "--input", kind, "--recordings", self.directory / "r").stdout
            table = [line.split(",") for line in labelled.splitlines()]
            self.assertEqual(table[0][:3], ["time", "subject", "label"])
            self.assertEqual({row[2] for row in table[1:]}, set(trained["labels"]))
            (self.directory / "rows.csv").write_text(labelled)
            decided = [row.split(",") for row in gaitway("model", "predict", model, "--input", self.directory / "rows.csv").stdout.splitlines()]
            right = sum(trained["labels"][[float(v) for v in row].index(max(float(v) for v in row))] == of[2] for row, of in zip(decided, table[1:]))
            self.assertGreater(right / len(decided), 0.9)

    def test_calibrate(self):
        self.record_all()
        gaitway("train", "--recordings", self.directory / "r")
        config = self.directory / "gaitway.toml"
        config.write_text("# mine\nagreement = 4\n")
        # A minute says little, and nothing is written unasked.
        chosen = gaitway("calibrate", "--recordings", self.directory / "r", "--config", config)
        self.assertIn("<- chosen", chosen.stdout)
        self.assertRegex(chosen.stderr, r"agreement 4 -> \d, threshold .*too few labelled minutes")
        self.assertRefused(gaitway("calibrate", "--recordings", self.directory / "r", "--config", config, "--write"), 65, "labelled minutes say little")
        self.assertFalse((self.directory / "conf.d").exists())
        for seed, (label, activity) in enumerate(ACTIVITIES.items()):
            result = gaitway("record", "--label", label, "--recordings", self.directory / "r", "--source", f"simulated:seed={seed + 90},{activity}=300", "--seconds", 299, "--countdown", 0, "--speed", "max")
            self.assertEqual(result.returncode, 0, result.stderr)
        chosen = gaitway("calibrate", "--recordings", self.directory / "r", "--config", config)
        self.assertIn("--write keeps it", chosen.stderr)
        self.assertFalse((self.directory / "conf.d").exists())
        chosen = gaitway("calibrate", "--recordings", self.directory / "r", "--config", config, "--write")
        self.assertIn("<- chosen", chosen.stdout)
        self.assertEqual(config.read_text(), "# mine\nagreement = 4\n")
        best = lines(gaitway("calibrate", "--recordings", self.directory / "r", "--config", config, "--json", "--dry-run"))[0]
        self.assertLessEqual(best["best"]["delay"], 3)
        self.assertIsNone(best["written"])
        shown = gaitway("config", "show", "--config", config).stdout
        self.assertRegex(shown, r"agreement\s.*%d\s.*conf\.d/calibrated\.toml" % best["best"]["agreement"])
        self.assertRefused(gaitway("calibrate", "--recordings", self.directory / "r", "--config", config, "--delay", "0.1"), 64, "quickest")

    def test_as_swift_har(self):
        store = self.directory / "r"
        for number, (label, activity) in enumerate(list(ACTIVITIES.items())[:2]):
            self.assertEqual(self.record(label, activity, number).returncode, 0)
        trained = gaitway("train", "--compat", "swift-har", "--hidden", 200, "--recordings", store)
        self.assertIn("Training Complete", trained.stdout)
        weights = json.loads((store / "swift-har.json").read_text())
        self.assertEqual((weights["inputs"], weights["hidden"], weights["outputs"], len(weights["weights"])), (300, 200, 2, 60200 + 201 * 2))
        # Its file is a model of its own: imported, inspected, run on windows of one second.
        model = self.directory / "har.safetensors"
        imported = gaitway("model", "import", store / "swift-har.json", "--output", model)
        self.assertEqual(imported.returncode, 0, imported.stderr)
        inspected = json.loads(gaitway("model", "inspect", model, "--json").stdout)
        self.assertEqual((inspected["labels"], inspected["window"], inspected["hop"], inspected["input"]), (["walking", "standing"], 50, 25, "swift-har"))
        for label, activity in list(ACTIVITIES.items())[:2]:
            decided = lines(gaitway("run", "--model", model, "--source", simulated(activity, 61), "--speed", "max", "--duration", 20, "--json"))
            right = sum(decision["activity"] == label for decision in decided[4:])
            self.assertGreater(len(decided), 35)
            self.assertGreaterEqual(right / len(decided[4:]), 0.9, f"{label}: {[decision['activity'] for decision in decided]}")
        guess = gaitway("guess", "--compat", "swift-har", "--source", simulated("stand", 60), "--speed", "max", "--recordings", store)
        self.assertRegex(guess.stdout, r'\ANeuralNet predicts: standing\n\["0\.\d{3}", "0\.\d{3}"\]\n\Z')

    def test_recordings_come_and_go(self):
        self.record_all()
        store = self.directory / "r"
        self.assertEqual([entry["label"] for entry in lines(gaitway("recordings", "list", "--recordings", store, "--json"))], list(ACTIVITIES))
        for form in ("iphone", "edge-impulse", "csv", "gaitway"):
            out, back = self.directory / form, self.directory / (form + "-back")
            self.assertEqual(gaitway("recordings", "export", "--format", form, "--output", out, "--recordings", store).returncode, 0)
            taken = gaitway("recordings", "import", *sorted(out.iterdir()), "--recordings", back, *(["--format", "gaitway"] if form == "gaitway" else []))
            self.assertEqual(taken.returncode, 0, taken.stderr)
            for label in ACTIVITIES:
                mine, theirs = next(store.glob(label + "_*")), next(back.glob(label + "_*"))
                self.assertEqual(mine.read_bytes(), theirs.read_bytes(), f"{form} {label}")
        iphone = next((self.directory / "iphone").glob("standing*")).read_text().splitlines()[1].split(",")
        own = next(store.glob("standing*")).read_text().splitlines()[1].split(",")
        self.assertEqual([-float(x) for x in iphone[1:]], [float(x) for x in own[1:]])
        name = next(store.glob("walking*")).name
        shown = gaitway("recordings", "show", name, "--recordings", store)
        self.assertIn("walking, 10.0 s at 50.0 Hz", shown.stdout)
        gaitway("recordings", "show", name, "--svg", self.directory / "w.svg", "--recordings", store)
        self.assertEqual((self.directory / "w.svg").read_text().count("<polyline"), 3)
        self.assertRefused(gaitway("recordings", "delete", name, "--recordings", store, stdin=subprocess.DEVNULL), 64, "--yes")
        self.assertEqual(gaitway("recordings", "delete", "--label", "walking", "--yes", "--recordings", store).returncode, 0)
        self.assertEqual(len(list(store.iterdir())), 3)
        compatible = gaitway("record", "--label", "curls", "--source", simulated("walk", 1), "--speed", "max", "--recordings", store, "--compat", "swift-har")
        self.assertRegex(compatible.stdout, r"curls_20\d{4,6}-\d{3,6}\.csv")
        self.assertIn("50.0 Hz, and Swift-HAR's recordings 100 Hz: there are 500 rows", compatible.stderr)

    def test_what_cannot_be_learnt(self):
        store = self.directory / "r"
        self.assertRefused(gaitway("train", "--recordings", store), 66, "gaitway record")
        self.record("walking", "walk")
        self.assertRefused(gaitway("train", "--recordings", store), 65, "nothing to tell apart")
        self.assertRefused(self.record("Walking", "walk"), 64, "differ only in case")
        self.record("standing", "stand", 1, 1)
        self.assertRefused(gaitway("train", "--recordings", store), 65, "lasts 1.0 s; one window takes 2.32 s")
        self.assertFalse((store / "model.safetensors").exists())
        cut = next(store.glob("standing*"))
        cut.write_text(cut.read_text()[:-3].rsplit(",", 1)[0])
        self.assertRefused(gaitway("train", "--recordings", store), 65, cut.name)

    def test_interrupted(self):
        for verb, after in (("record", 0.4), ("record", 1.6), ("guess", 0.4), ("guess", 1.6)):
            arguments = ["--label", "walking"] if verb == "record" else []
            process = subprocess.Popen(
                [GAITWAY, verb, *arguments, "--source", simulated("walk", 1), "--countdown", "1", "--recordings", str(self.directory / "r")],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            wait_until_handled(process, signal.SIGINT)
            time.sleep(after)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=10)
            self.assertEqual((process.returncode, out), (1, ""), err)
            self.assertIn("nothing was kept", err)
            self.assertEqual([path for path in (self.directory / "r").glob("*")], [])

    def test_training_interrupted(self):
        self.record_all()
        process = subprocess.Popen(
            [GAITWAY, "train", "--epochs", "10000", "--recordings", str(self.directory / "r")], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            # A shell starts what runs in the background with interrupts ignored, and this may be one of its children.
            env={**os.environ, "GAITWAY_PROGRESS": "lines"}, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.assertIn(b"progress: ", process.stderr.readline())
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=10)
        self.assertNotEqual(process.returncode, 0)
        self.assertEqual({path.suffix for path in (self.directory / "r").iterdir()}, {".csv"})

    def test_a_full_disk(self):
        mount = self.directory / "small"
        mount.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(mount)], capture_output=True).returncode != 0:
            self.skipTest("a tmpfs cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", str(mount)])
        result = gaitway("record", "--label", "walking", "--source", simulated("walk", 1), "--speed", "max", "--recordings", mount)
        self.assertRefused(result, 1, "the disk is full")
        self.assertEqual(list(mount.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
