"""A hub and its boards: they register, beat, and take one good model out of many bad ones, without missing a window."""
import os
import shutil
import signal
import subprocess
import time
import unittest

from hub import HUB, Board, Hub, Liar, until
from support import GAITWAY, MODEL, TestCase, gaitway, needs


def key(directory, name):
    private, public = directory / f"{name}.pem", directory / f"{name}.pub.pem"
    subprocess.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", private], check=True, capture_output=True)
    subprocess.run(["openssl", "ec", "-in", private, "-pubout", "-out", public], check=True, capture_output=True)
    return private, public


def make(path, private, version, *more, source=MODEL):
    """A signed version of a model."""
    shutil.copy(source, path)
    result = gaitway("model", "sign", path, "--key", private, "--model-version", version, *more)
    assert result.returncode == 0, result.stderr
    return path


def one_class(path):
    """A network that says STANDING whatever it sees: weights of zero and one large bias."""
    import struct
    import json

    labels = json.loads(gaitway("model", "inspect", MODEL, "--json").stdout)["labels"]
    count, scores = len(labels), [8 if label == "STANDING" else 0 for label in labels]
    weights, bias = bytes(4 * count * 384), struct.pack(f"<{count}f", *scores)
    header = json.dumps({"0.weight": {"dtype": "F32", "shape": [count, 384], "data_offsets": [0, len(weights)]},
                         "0.bias": {"dtype": "F32", "shape": [count], "data_offsets": [len(weights), len(weights) + len(bias)]}}).encode()
    source, rows = path.with_suffix(".float.safetensors"), path.with_suffix(".csv")
    source.write_bytes(struct.pack("<Q", len(header)) + header + weights + bias)
    rows.write_text("".join(",".join(f"{(i * 37 + j * 11) % 200 / 100 - 1}" for j in range(384)) + "\n" for i in range(20)))
    result = gaitway("model", "import", source, "--labels", ",".join(labels), "--calibrate", rows, "--input", "raw", "--output", path)
    assert result.returncode == 0, result.stderr
    return path


@unittest.skipUnless(os.path.exists(HUB), f"no hub: {HUB}")
class Fleet(TestCase):
    BOARDS = 3

    def setUp(self):
        super().setUp()
        self.private, self.public = key(self.directory, "key")
        self.hub = Hub(self.directory, "--heartbeat", 1, "--rate", 0, "--strangers-rate", 0)
        self.addCleanup(self.hub.close)
        self.liar = Liar(self.hub)
        self.addCleanup(self.liar.close)
        base = make(self.directory / "base.safetensors", self.private, 1)
        token = self.hub.bootstrap(self.BOARDS)
        self.boards = []
        for index in range(self.BOARDS):
            state = self.directory / f"board-{index}"
            state.mkdir()
            # A machine has one ID: these boards have one each.
            script = "simulated:seed=%d," % index + ",".join(["stand=4,walk=4,lie=4"] * 60)
            board = Board(state, script, trusted_key=self.public, model=base, updates_shadow_windows=10, updates_probation_windows=6, updates_retry=1, updates_timeout=3)
            self.addCleanup(board.kill)
            board.register(self.liar.address, token)
            board.start()
            self.boards.append(board)

    def add(self, version, *more, private=None, source=MODEL, rollout=True):
        path = make(self.directory / f"m{version}.safetensors", private or self.private, version, *more, source=source)
        self.hub.run("models", "add", "activity", path)
        if rollout:
            self.roll_out(version)
        return path

    def roll_out(self, version):
        self.hub.run("rollouts", "start", "activity", version, "--percent", 100, "--error", 1)

    def outcomes(self, version):
        return [model for device in self.hub.devices() for model in device["models"] if model["version"] == str(version)]

    def expect(self, version, state, *words, seconds=40):
        """All boards say so of a version."""
        def there():
            found = self.outcomes(version)
            return len(found) == self.BOARDS and all(model["state"] == state for model in found)
        until(there, seconds, lambda: f"{version}: {self.outcomes(version)} {[board.said[-3:] for board in self.boards]}")
        for model in self.outcomes(version):
            for word in words:
                self.assertIn(word, model["reason"])

    @needs("openssl")
    def test_only_the_good_model_runs(self):
        until(lambda: len(self.hub.devices()) == self.BOARDS and all(d.get("active_model_version") == "1" for d in self.hub.devices()), 20, "boards beat")
        self.add(2)
        self.expect(2, "committed")
        self.assertTrue(all(device["active_model_version"] == "2" for device in self.hub.devices()))

        # Tampered with at the hub itself: another file beside the signature of the first.
        path = make(self.directory / "m3.safetensors", self.private, 3)
        signature = path.with_suffix(".safetensors.sig").read_bytes()
        make(path, self.private, 3, "--expires", "2040-01-01")
        path.with_suffix(".safetensors.sig").write_bytes(signature)
        self.hub.run("models", "add", "activity", path)
        other, _ = key(self.directory, "other")
        self.roll_out(3)
        self.add(4, "--expires", "2020-01-01")
        self.add(5, private=other)
        self.expect(5, "refused", "not of the trusted key")
        self.expect(4, "refused", "has expired")
        self.expect(3, "refused", "is not the file that was signed")
        until(lambda: all(" is not " in device["heartbeat"].get("last_error_code", "") or "expired" in device["heartbeat"].get("last_error_code", "") for device in self.hub.devices()), 10, "the last error is told")

        # 6 dies on probation.
        self.add(6)
        for board in self.boards:
            until(lambda: board.status().get("model_version") == 6, 30, "6 on probation")
            self.assertEqual(board.status()["models"]["stage"], "probation")
            self.assertEqual(board.stop(signal.SIGKILL), -signal.SIGKILL)
            board.start()
        self.expect(6, "rolled_back", "on probation")
        until(lambda: all(board.status().get("model_version") == 2 for board in self.boards), 10, "2 runs again")

        self.add(7, source=one_class(self.directory / "constant.safetensors"))
        self.expect(7, "refused", "it says STANDING in all")

        # A server that offers the oldest as the newest.
        def older(path, status, data):
            import json
            if path.endswith("/heartbeat") and status == 200:
                return status, json.dumps({**json.loads(data), "updates": {"activity": "1"}}).encode()
            if path.endswith("/updates"):
                return 200, b'{"new_version": "1"}'
            return status, data
        self.hub.run("models", "add", "activity", self.directory / "base.safetensors")
        self.liar.changes.append(older)
        self.expect(1, "refused", "is not above 7, the highest")
        self.liar.changes.clear()

        # Downloads that do not end well are put off, whatever is wrong with them, and never the model's fault.
        for version, lie, said in ((8, truncated, "versions/8"), (9, endless, "larger than"), (10, slow, "did not come within 3 s"), (11, missing, "404")):
            self.liar.lies = {rf"versions/{version}/download": lie}
            self.add(version)
            self.expect(version, "deferred", *([said] if version > 8 else []), seconds=60)
        for board in self.boards:
            self.assertEqual(board.status()["models"]["deferred"]["version"], 11)
        # The network is good again: the same version arrives.
        self.liar.lies = {}
        self.expect(11, "committed", seconds=90)
        until(lambda: self.hub.get("/rollouts")["rollouts"][0]["status"] == "completed", 10, "the roll-out is complete")

        for board in self.boards:
            status = board.status()
            self.assertEqual((status["model_version"], status["models"]["current"], status["models"].get("candidate")), (11, 11, None))
            self.assertEqual({entry["version"] for entry in status["models"]["refused"]}, {1, 3, 4, 5, 6, 7})
            self.assertEqual(board.stop(), 0)
            for run in board.runs:
                times = [decision["t"] for decision in run]
                self.assertGreater(len(times), 4)
                self.assertEqual(times, [round(2.56 + 1.28 * index, 2) for index in range(len(times))])
        events = self.hub.get(f"/devices/{self.boards[0].id}/events?name=activity")["events"]
        self.assertGreater(len(events), 3)
        # Phases of 4 s are too short for a label to be certain: the events give what the board decided, whatever that was.
        decided = {decision["smoothed"] for run in self.boards[0].runs for decision in run}
        self.assertLessEqual({event["attributes"]["activity"] for event in events}, decided | {"unknown"})


def truncated(handler, _):
    handler.send_response(206 if handler.headers.get("Range") else 200)
    if handler.headers.get("Range"):
        handler.send_header("Content-Range", handler.headers["Range"].replace("bytes=", "bytes ") + "99999/100000")
    handler.send_header("ETag", '"e"')
    handler.send_header("Content-Length", "50000")
    handler.end_headers()
    if not handler.headers.get("Range"):
        handler.wfile.write(b"x" * 1000)
    handler.close_connection = True


def endless(handler, _):
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    while True:
        handler.wfile.write(b"1000\r\n" + b"x" * 4096 + b"\r\n")


def slow(handler, _):
    handler.send_response(200)
    handler.send_header("Content-Length", "42000")
    handler.end_headers()
    for _ in range(1000):
        handler.wfile.write(b"x")
        handler.wfile.flush()
        time.sleep(0.1)


def missing(handler, _):
    handler.send_response(404)
    handler.send_header("Content-Length", "2")
    handler.end_headers()
    handler.wfile.write(b"{}")


if __name__ == "__main__":
    unittest.main()
