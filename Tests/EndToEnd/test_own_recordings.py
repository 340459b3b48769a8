"""Record, train, guess: one's own activities, in a terminal and out of it, and what can go wrong on the way."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
import unittest

from support import GAITWAY, TestCase, gaitway, lines, needs

ACTIVITIES = {"walking": "walk", "standing": "stand", "sitting": "sit", "climbing": "upstairs"}


def simulated(activity, seed):
    return f"simulated:seed={seed},{activity}=40"


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
            terminal.type(f"clear; {GAITWAY} guess --source {simulated(activity, 70 + number)} --countdown 0 --seconds 6 --speed max")
            self.assertEqual(terminal.wait(r"(\w+), by \d+ windows").group(1), label)

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
            time.sleep(after)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=10)
            self.assertEqual((process.returncode, out), (1, ""), err)
            self.assertIn("nothing was kept", err)
            self.assertEqual([path for path in (self.directory / "r").glob("*")], [])

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
