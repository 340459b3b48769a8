"""Ten boards, one of them at a site whose network cuts every transfer: the roll-out waits for it, nobody is banned, and it ends complete.

20 seconds of cuts with short pauses between attempts; GAITWAY_WEAK_SECONDS=3600 makes it an hour with the pauses of a board.
"""
import os
import signal
import time
import unittest

from hub import HUB, Board, Hub, Liar, until
from support import TestCase, needs
from test_hub import key, make

SECONDS = int(os.environ.get("GAITWAY_WEAK_SECONDS", "20"))
HASTE = {"updates_retry": 1} if SECONDS < 300 else {}
PROOF = {"updates_shadow_windows": 10, "updates_probation_windows": 6}


def cut(handler, _):
    """The answer's head, a hundred bytes, and the connection is gone."""
    handler.send_response(200)
    handler.send_header("Content-Length", "42000")
    handler.end_headers()
    handler.wfile.write(b"x" * 100)
    handler.close_connection = True


@unittest.skipUnless(os.path.exists(HUB), f"no hub: {HUB}")
class WeakSite(TestCase):
    BOARDS = 10

    def setUp(self):
        super().setUp()
        self.private, public = key(self.directory, "key")
        self.hub = Hub(self.directory, "--heartbeat", 1, "--rate", 0, "--strangers-rate", 0)
        self.addCleanup(self.hub.close)
        self.network = Liar(self.hub)
        self.addCleanup(self.network.close)
        base = make(self.directory / "base.safetensors", self.private, 1)
        token = self.hub.bootstrap(self.BOARDS)
        repeats = 60 + SECONDS // 10
        self.boards = []
        for index in range(self.BOARDS):
            state = self.directory / f"board-{index}"
            state.mkdir()
            script = f"simulated:seed={index}," + ",".join(["stand=4,walk=4,lie=4"] * repeats)
            board = Board(state, script, trusted_key=public, model=base, **PROOF, **HASTE)
            self.addCleanup(board.kill)
            board.register(self.network.address if index == 0 else self.hub.address, token)
            board.start()
            self.boards.append(board)

    def reported(self):
        """What each board says of version 2, by its ID."""
        return {device["id"]: model for device in self.hub.devices() for model in device["models"] if model["version"] == "2"}

    def state(self, board):
        return self.reported().get(board.id, {}).get("state")

    def rollout(self):
        return self.hub.get("/rollouts")["rollouts"][0]["status"]

    @needs("openssl")
    def test_the_rollout_ends_complete(self):
        weak, *others = self.boards
        until(lambda: sum(device.get("active_model_version") == "1" for device in self.hub.devices()) == self.BOARDS, 30, "boards beat")
        self.network.lies = {r"versions/2/download|\.safetensors": cut}
        self.hub.run("models", "add", "activity", make(self.directory / "m2.safetensors", self.private, 2))
        self.hub.run("rollouts", "start", "activity", 2, "--percent", 100, "--success", 1, "--error", 1)
        begin = time.monotonic()
        until(lambda: all(self.state(board) == "committed" for board in others), 90, self.reported)
        until(lambda: self.state(weak) == "deferred", 60, self.reported)
        while time.monotonic() < begin + SECONDS:
            self.assertEqual(self.rollout(), "active", "it waits for the board and does not stop")
            self.assertEqual(self.state(weak), "deferred")
            time.sleep(min(5, SECONDS / 4))
        attempts = sum("download" in path for _, path in self.network.requests)
        self.assertGreater(attempts, 1)
        self.network.lies = {}
        # The longest pause between two attempts is a quarter of an hour.
        until(lambda: self.state(weak) == "committed", 60 if HASTE else 1000, lambda: (self.reported(), weak.said[-3:]))
        until(lambda: self.rollout() == "completed", 20, self.rollout)
        print(f"weak site: {attempts} attempts in {SECONDS} s, committed {time.monotonic() - begin - SECONDS:.0f} s after the network was good")
        for board in self.boards:
            status = board.status()
            self.assertEqual(status["model_version"], 2)
            self.assertEqual(status["models"]["refused"], [])
            self.assertEqual(board.stop(signal.SIGTERM), 0)
            for run in board.runs:
                times = [decision["t"] for decision in run]
                self.assertEqual(times, [round(2.56 + 1.28 * index, 2) for index in range(len(times))], "no decision is lost")


if __name__ == "__main__":
    unittest.main()
