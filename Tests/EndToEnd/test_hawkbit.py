"""A board whose models come from a company's hawkBit."""
import os
import pathlib
import unittest

from hawkbit_server import TOKEN, HawkBitServer
from hub import Board, until
from support import TestCase, gaitway, needs
from test_hub import key, make
from test_store import SCRIPT


@needs("openssl")
class HawkBit(TestCase):
    def setUp(self):
        super().setUp()
        self.server = HawkBitServer()
        self.addCleanup(self.server.close)
        self.private, self.public = key(self.directory, "key")
        self.token = self.directory / "token"
        self.token.write_text(TOKEN + "\n")
        self.token.chmod(0o600)

    def board(self, **settings):
        state = self.directory / "state"
        state.mkdir()
        base = make(self.directory / "base.safetensors", self.private, 1)
        given = dict(updates_source=f"hawkbit:{self.server.base}", updates_token_file=self.token, updates_interval=1, updates_retry=1)
        given |= dict(trusted_key=self.public, updates_shadow_windows=2, updates_probation_windows=2)
        board = Board(state, SCRIPT, model=base, **{**given, **settings})
        self.addCleanup(board.kill)
        return board

    def version(self, number):
        path = make(self.directory / f"m{number}.safetensors", self.private, number)
        return path, pathlib.Path(f"{path}.sig")

    def ended(self, action, board):
        until(lambda: self.server.closed(action), 30, lambda: f"{self.server.feedback} {board.said}")
        return self.server.closed(action)

    def test_a_model_is_taken_and_what_became_of_it_is_told(self):
        board = self.board()
        board.start()
        until(lambda: self.server.attributes, 20, lambda: board.said)
        self.assertEqual(self.server.attributes["mode"], "merge")
        self.assertIn("gaitway", self.server.attributes["data"])
        self.server.assign(3, *self.version(2))
        self.assertEqual(self.ended(3, board)[0], "success")
        self.assertEqual([status["execution"] for _, _, status in self.server.feedback], ["proceeding", "proceeding", "closed"])
        self.assertEqual(board.status()["model_version"], 2)
        fetched = {path for _, path, _ in self.server.requests if path.startswith("/elsewhere/")}
        self.assertEqual(fetched, {"/elsewhere/m2.safetensors", "/elsewhere/m2.safetensors.sig"})
        # The same once more is the board's already; an older one fails.
        self.server.assign(4, *self.version(2))
        self.assertEqual(self.ended(4, board)[0], "success")
        self.server.assign(5, *self.version(1))
        self.assertEqual(self.ended(5, board)[0], "failure")
        self.assertEqual(board.status()["model_version"], 2)

    def test_the_model_that_a_board_came_with_is_its_model(self):
        board = self.board()
        self.server.takes_attributes = False
        self.server.assign(1, self.directory / "base.safetensors", self.directory / "base.safetensors.sig")
        board.start()
        self.assertEqual(self.ended(1, board)[0], "success")
        # That the server refuses what the board says of itself keeps no model away.
        self.server.assign(2, *self.version(2))
        self.assertEqual(self.ended(2, board)[0], "success")

    def test_a_damaged_transfer_is_not_the_models_fault(self):
        board = self.board()
        page = (200, b"<html>Sign in to the hotel's network</html>", {})
        self.server.damaged = [page, (204, b"", {}), (302, b"", {"Location": "/elsewhere/m2.safetensors.sig"}), (302, b"", {})]
        self.server.assign(1, *self.version(2))
        board.start()
        until(lambda: any("deferred" in status["details"][0] for _, _, status in self.server.feedback), 20, lambda: f"{self.server.feedback} {board.said}")
        self.assertEqual(self.ended(1, board)[0], "success")

    def test_a_model_that_waits_and_one_that_is_cancelled_too_late(self):
        board = self.board(updates_ask="true", updates_shadow_windows=8)
        self.server.assign(1, *self.version(2))
        board.start()
        until(lambda: any("waits to be accepted" in status["details"][0] for _, _, status in self.server.feedback), 20, lambda: board.said)
        self.assertEqual(board.gaitway("model", "accept").returncode, 0)
        until(lambda: board.status()["models"].get("candidate") == 2, 20, lambda: board.said)
        for number in ("8", "9"):
            self.server.cancelled = number
            until(lambda: [status["execution"] for kind, which, status in self.server.feedback if (kind, which) == ("cancelAction", number)], 20, lambda: board.said)
        # A board that begins anew does not know what the number stands for, and tries a model.
        self.assertEqual(board.stop(), 0)
        board.start()
        self.server.cancelled = "10"
        until(lambda: len([1 for kind, _, _ in self.server.feedback if kind == "cancelAction"]) == 3, 20, lambda: board.said)
        self.assertEqual({status["execution"] for kind, _, status in self.server.feedback if kind == "cancelAction"}, {"rejected"})
        self.assertEqual(self.ended(1, board)[0], "success")

    def test_what_proves_nothing_fails_and_runs_no_second(self):
        board = self.board()
        board.start()
        model, signature = self.version(2)
        self.server.assign(1, model)
        self.assertEqual(self.ended(1, board), ("failure", ["m2.safetensors.sig is not in the distribution set, and trusted_key asks for it"]))
        other = self.directory / "readme.txt"
        other.write_text("no model")
        self.server.assign(2, other)
        self.assertEqual(self.ended(2, board)[0], "failure")
        self.assertEqual([path for _, path, _ in self.server.requests if "/elsewhere/" in path], [])
        # Another's signature.
        stranger, _ = key(self.directory, "stranger")
        foreign = make(self.directory / "m9.safetensors", stranger, 9)
        self.server.assign(3, foreign, pathlib.Path(f"{foreign}.sig"))
        self.assertEqual(self.ended(3, board)[0], "failure")
        self.assertNotIn("/elsewhere/m9.safetensors", [path for _, path, _ in self.server.requests])
        # What lacked its signature is not refused for good.
        self.server.assign(4, model, signature)
        self.assertEqual(self.ended(4, board)[0], "success")

    def test_a_cancelled_action_and_one_that_waits_for_its_time(self):
        board = self.board()
        self.server.download = "skip"
        self.server.assign(1, *self.version(2))
        board.start()
        until(lambda: sum("deploymentBase/1" in path for _, path, _ in self.server.requests) >= 2, 20, lambda: board.said)
        self.server.cancelled = "8"
        until(lambda: self.server.feedback, 20, lambda: board.said)
        kind, number, status = self.server.feedback[0]
        self.assertEqual((kind, number, status["execution"], status["result"]["finished"]), ("cancelAction", "8", "closed", "success"))
        self.assertEqual([path for _, path, _ in self.server.requests if "/elsewhere/" in path], [])
        self.assertEqual(board.status()["model_version"], 1)

    def test_servers_that_lie_or_are_away(self):
        board = self.board()
        board.start()
        self.server.broken = (200, b"<html>Sign in to the hotel's network</html>", {})
        until(lambda: any("is not hawkBit's" in line for line in board.said), 20, lambda: board.said)
        self.server.broken = (503, b"", {})
        until(lambda: any("HTTP 503" in line for line in board.said), 20, lambda: board.said)
        # The token does not go where a document names another server.
        thief = HawkBitServer()
        self.addCleanup(thief.close)
        honest, self.server.base = self.server.base, thief.base
        self.server.broken = None
        self.server.assign(1, *self.version(2))
        until(lambda: any("as its own" in line for line in board.said), 20, lambda: board.said)
        self.assertEqual(thief.requests, [])
        self.server.base = honest
        self.assertEqual(self.ended(1, board)[0], "success")

    def test_settings_that_cannot_be(self):
        def run(source, **settings):
            given = {"UPDATES_SOURCE": source, "STATE_DIRECTORY": str(self.directory / "state"), **settings}
            return gaitway("run", "--source", "simulated", "--duration", "5", "--speed", "max", env={**os.environ, **{name if name == "STATE_DIRECTORY" else f"GAITWAY_{name}": value for name, value in given.items()}})

        self.assertRefused(run("hawkbit:https://hub.example.org/board-7"), 78, "controller/v1/BOARD")
        self.assertRefused(run("https://hub.example.org/m.safetensors", UPDATES_TOKEN_FILE=str(self.token)), 78, "updates.token_file needs")
        self.assertRefused(run("hawkbit:http://hub.example.org/default/controller/v1/b"), 78, "not encrypted")
        self.token.chmod(0o644)
        self.assertRefused(run(f"hawkbit:{self.server.base}", UPDATES_TOKEN_FILE=str(self.token)), 78, "chmod 600")


if __name__ == "__main__":
    unittest.main()
