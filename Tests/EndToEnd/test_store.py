"""Models that a board gets by hand, from a file, an address or a directory, and its way back."""
import functools
import http.server
import json
import shutil
import threading
import time
import unittest

from hub import Board, until
from support import MODEL, TestCase, needs
from test_hub import key, make

SCRIPT = "simulated:" + ",".join(["stand=4,walk=4,lie=4"] * 60)


@needs("openssl")
class Store(TestCase):
    def setUp(self):
        super().setUp()
        self.private, self.public = key(self.directory, "key")
        self.state = self.directory / "state"
        self.state.mkdir()

    def board(self, **settings):
        base = make(self.directory / "base.safetensors", self.private, 1)
        board = Board(self.state, SCRIPT, model=base, trusted_key=self.public, updates_shadow_windows=3, updates_probation_windows=2, **settings)
        self.addCleanup(board.kill)
        return board

    def version(self, number, *more):
        return make(self.directory / f"m{number}.safetensors", self.private, number, *more)

    def serve(self, directory):
        class Handler(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=directory))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_port}"

    def listed(self, board):
        result = board.gaitway("model", "list", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def current(self, board, version):
        until(lambda: board.status().get("model_version") == version and board.status()["models"].get("current") == version and "candidate" not in board.status()["models"], 30, lambda: f"{version}: {board.status()} {board.said}")

    def test_by_hand(self):
        board = self.board()
        self.assertRefused(board.gaitway("model", "list"), 66, "no other ever came")
        self.assertRefused(board.gaitway("status"), 66, "no gaitway runs here")
        # Nothing runs: it is tried with the next start.
        result = board.gaitway("model", "install", self.version(2))
        self.assertEqual((result.returncode, result.stdout), (0, "version 2 is tried with the next `gaitway run`\n"), result.stderr)
        self.assertEqual((self.listed(board)["candidate"], self.listed(board)["stage"]), (2, "shadow"))
        board.start()
        self.current(board, 2)
        text = board.gaitway("status").stdout
        for line in ("source       a simulated wearer\n", "model        version 2\n", "running      for ", "activity     "):
            self.assertIn(line, text)
        # One runs: it changes at once.
        result = board.gaitway("model", "install", self.version(3))
        self.assertEqual((result.returncode, result.stdout), (0, "version 3 is tried beside version 2\n"), result.stderr)
        self.assertRefused(board.gaitway("model", "install", self.version(4)), 75, "another version is being tried")
        self.current(board, 3)
        # What is wrong is said here, and nothing changes.
        unsigned = self.directory / "unsigned.safetensors"
        shutil.copy(MODEL, unsigned)
        for file, code, words in ((unsigned, 77, "not signed"), (self.version(2), 65, "not above 3"), (self.directory / "nothing", 66, "is not there"), (self.version(5, "--expires", "2020-01-01"), 65, "has expired")):
            self.assertRefused(board.gaitway("model", "install", file), code, words)
        self.assertEqual(board.gaitway("model", "rollback").returncode, 0)
        until(lambda: board.status().get("model_version") == 2, 10, "2 runs again")
        self.assertEqual(self.listed(board)["refused"][0], {"version": 3, "reason": "rolled back by its owner", "rolled_back": True})
        self.assertEqual(board.gaitway("model", "pin").returncode, 0)
        self.assertTrue(board.status()["models"]["pinned"])
        self.assertEqual(board.stop(), 0)
        self.assertEqual(board.gaitway("model", "pin", "--off").returncode, 0)
        self.assertFalse(self.listed(board)["pinned"])
        # The next start runs what was kept; a model on the command line is the one that runs.
        board.start("--duration", "4")
        self.assertEqual(board.process.wait(timeout=20), 0)
        self.assertEqual(self.listed(board)["current"], 2)
        self.assertEqual(board.gaitway("model", "rollback").returncode, 0)
        self.assertRefused(board.gaitway("model", "rollback"), 66, "no model to go back from")
        times = [decision["t"] for decision in board.runs[0]]
        self.assertEqual(times, [round(2.56 + 1.28 * index, 2) for index in range(len(times))])

    def test_from_an_address_and_a_dropped_file(self):
        place = self.directory / "www"
        place.mkdir()

        address = f"{self.serve(place)}/activity.safetensors"
        board = self.board(updates_source=address, updates_interval=1, updates_retry=1)
        board.start()
        until(lambda: board.status().get("windows", 0) > 0, 10, "it runs")
        for version in (2, 3):
            made = self.version(version)
            shutil.copy(made.with_suffix(".safetensors.sig"), place / "activity.safetensors.sig")
            shutil.copy(made, place / "activity.safetensors")
            self.current(board, version)
        # The file is there before its signature: it is tried again.
        made = self.version(4)
        (place / "activity.safetensors.sig").unlink()
        shutil.copy(made, place / "activity.safetensors")
        until(lambda: any("activity.safetensors.sig is not there" in line for line in board.said), 15, lambda: board.said)
        shutil.copy(made.with_suffix(".safetensors.sig"), place / "activity.safetensors.sig")
        self.current(board, 4)
        drop = self.state / "models/drop"
        drop.mkdir(exist_ok=True)
        made = self.version(5)
        shutil.copy(made.with_suffix(".safetensors.sig"), drop / "new.safetensors.sig")
        shutil.copy(made, drop / "new.safetensors.part")
        (drop / "new.safetensors.part").rename(drop / "new.safetensors")
        self.current(board, 5)
        self.assertEqual(list(drop.iterdir()), [])
        self.assertEqual(board.stop(), 0)
        # What the address has is no news after a start, neither when it runs nor when it did.
        for version in (4, 5):
            board.start()
            until(lambda: board.status().get("windows", 0) > 1, 15, "it runs again")
            self.assertEqual((board.status()["model_version"], self.listed(board)["refused"]), (5, []))
            self.assertEqual(board.stop(), 0)
            shutil.copy(made.with_suffix(".safetensors.sig"), place / "activity.safetensors.sig")
            shutil.copy(made, place / "activity.safetensors")

    @staticmethod
    def dripping(size):
        """A server whose file comes byte by byte, fast enough not to count as stalled."""
        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Length", str(size))
                self.end_headers()
                try:
                    for _ in range(size // 100):
                        self.wfile.write(b"x" * 100)
                        self.wfile.flush()
                        time.sleep(0.05)
                except OSError:
                    pass

        return http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def test_an_address_that_drips(self):
        server = self.dripping(1_000_000)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        board = self.board(updates_source=f"http://127.0.0.1:{server.server_port}/m.safetensors", updates_interval=1, updates_timeout=2, log_level="info")
        began = time.monotonic()
        self.assertRefused(board.gaitway("model", "install", f"http://127.0.0.1:{server.server_port}/m.safetensors"), 75, "did not come within 2 s")
        self.assertLess(time.monotonic() - began, 10)
        board.start()
        until(lambda: any("did not come within 2 s" in line for line in board.said), 15, lambda: board.said)
        self.assertEqual(board.stop(), 0)

    def test_without_a_trusted_key_nothing_comes_from_elsewhere(self):
        self.version(2)
        board = Board(self.state, SCRIPT, updates_source=f"{self.serve(self.directory)}/m2.safetensors", updates_interval=1)
        self.addCleanup(board.kill)
        board.start()
        until(lambda: any("no trusted_key is set" in line for line in board.said), 15, lambda: board.said)
        self.assertEqual(board.status()["model_version"], 1)
        self.assertEqual(board.stop(), 0)


if __name__ == "__main__":
    unittest.main()
