"""The board's page: who is let in, what it gives, what its buttons do, and what becomes of it when others end or hang."""
import contextlib
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import stat
import subprocess
import threading
import time
import unittest
import urllib.error
import urllib.request

from support import GAITWAY, MODEL, TestCase, gaitway, needs, tool

DASHBOARD = os.environ.get("GAITWAY_DASHBOARD", os.path.join(os.path.dirname(GAITWAY), "gaitway-dashboard"))


class Dashboard(TestCase):
    def setUp(self):
        super().setUp()
        self.state = self.directory / "state"
        self.environment = {
            **os.environ, "STATE_DIRECTORY": str(self.state), "HOME": str(self.directory), "GAITWAY_RECORDINGS": str(self.directory / "recordings"),
            "GAITWAY_HISTORY_DIRECTORY": str(self.directory / "history"), "GAITWAY_SOURCE": "simulated:walk=600"}

    def start(self, *options):
        process = subprocess.Popen([DASHBOARD, "--port", "0", *options], stderr=subprocess.PIPE, text=True, env=self.environment)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        line = process.stderr.readline()
        match = re.search(r"http://127.0.0.1:(\d+)$", line.strip())
        self.assertTrue(match, line)
        self.port, self.process = int(match.group(1)), process
        self.token = (self.state / "dashboard.token").read_text().strip()
        threading.Thread(target=lambda pipe: [None for _ in pipe], args=(process.stderr,), daemon=True).start()

    def board(self):
        process = subprocess.Popen([GAITWAY, "run"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=self.environment)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        self.until(lambda: self.call("status")[0] == 200)
        return process

    def call(self, path, method="GET", body=None, token=None, raw=None, place="api/"):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/{place}{path}", method=method)
        if token != "":
            request.add_header("Authorization", f"Bearer {token or self.token}")
        request.data = raw if raw is not None else None if body is None else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(request, timeout=40) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def ask(self, *arguments, **options):
        status, body = self.call(*arguments, **options)
        self.assertIn(status, (200, 202), body)
        return json.loads(body)

    def refused(self, status, *arguments, **options):
        found, body = self.call(*arguments, **options)
        self.assertEqual(found, status, body)
        return json.loads(body)["error"]

    @contextlib.contextmanager
    def stream(self, events=""):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", f"/api/stream?events={events}", headers={"Authorization": f"Bearer {self.token}"})
        yield connection.getresponse()
        connection.sock.close()
        connection.close()

    def work(self):
        return self.until(lambda: (lambda found: None if found["running"] else found)(self.ask("work")), 120)

    def test_only_who_knows_the_token(self):
        self.start()
        self.assertEqual(stat.S_IMODE((self.state / "dashboard.token").stat().st_mode), 0o600)
        for name in ("", "page.css", "page.js", "trace.js", "day.js", "model.js", "privacy.js", "training.js"):
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{name}", timeout=10) as answer:
                self.assertIn("default-src 'none'", answer.headers["Content-Security-Policy"])
                self.assertNotIn(self.token, answer.read().decode())
        for path, method in (("status", "GET"), ("stream", "GET"), ("day/today", "GET"), ("label", "PUT"), ("work", "POST"), ("model", "POST"), ("rollback", "POST")):
            for token in ("", "wrong", self.token[:-1]):
                self.refused(401, path, method, token=token)
        self.assertEqual(self.call("metrics", token="", place="")[0], 401)
        address = subprocess.run([DASHBOARD, "address", "--port", "1"], capture_output=True, text=True, env=self.environment)
        self.assertEqual(address.stdout, f"http://127.0.0.1:1/#token={self.token}\n")

    def test_beyond_this_machine_with_a_certificate_alone(self):
        refused = subprocess.run([DASHBOARD, "--host", "0.0.0.0"], capture_output=True, text=True, env=self.environment, timeout=20)
        self.assertRefused(refused, 78, "without TLS", "--certificate")

    def test_without_a_running_gaitway_it_says_so_and_goes_on_with_one(self):
        self.start()
        self.assertIn("no gaitway runs here", self.refused(503, "status"))
        self.assertIn("no gaitway runs here", self.refused(503, "stream"))
        board = self.board()
        self.assertIn("simulated", self.ask("status")["source"])
        self.assertEqual(self.ask("privacy")["left"], [])
        with self.stream() as answer:
            self.assertEqual(json.loads(answer.readline())["event"], "hello")
            board.kill()
            self.until(lambda: answer.readline() == b"")
        self.board()

    def test_the_stream_and_none_when_nobody_looks(self):
        self.start()
        board = self.board()
        with self.stream("decisions,samples") as answer:
            hello, events = json.loads(answer.readline()), []
            self.assertIn("WALKING", hello["labels"])
            while not {"decision", "samples"} <= set(events):
                events.append(json.loads(answer.readline())["event"])
        # A socket that nobody reads any more is gone with the next line.
        def readers():
            return len([path for path in os.listdir(f"/proc/{board.pid}/fd") if self.link(board.pid, path).startswith("socket:")])
        self.until(lambda: readers() == 1)
        self.assertIn("no event", self.refused(422, "stream?events=thoughts"))

    @staticmethod
    def link(process, file):
        with contextlib.suppress(OSError):
            return os.readlink(f"/proc/{process}/fd/{file}")
        return ""

    def test_a_browser_that_does_not_read_loses_lines_and_stops_nobody(self):
        self.start()
        self.board()
        slow = socket.create_connection(("127.0.0.1", self.port))
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.sendall(f"GET /api/stream?events=samples HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {self.token}\r\n\r\n".encode())
        with self.stream() as answer:
            windows = [json.loads(answer.readline()) for _ in range(6)]
        self.assertGreaterEqual(sum(one["event"] == "decision" for one in windows), 3)
        resident = int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{self.process.pid}/status").read_text()).group(1)) / 1024
        self.assertLessEqual(resident, 40)
        slow.close()

    def test_eight_browsers_and_no_more(self):
        self.start()
        self.board()
        with contextlib.ExitStack() as all:
            for _ in range(8):
                self.assertEqual(all.enter_context(self.stream()).status, 200)
            self.assertIn("8 browsers", self.refused(503, "stream"))
        self.until(lambda: self.opens())

    def opens(self):
        with self.stream() as answer:
            return answer.status == 200

    def test_a_label_a_day_and_metrics(self):
        self.start()
        self.board()
        self.assertEqual(self.ask("label", "PUT", {"label": "sitting", "minutes": 5})["label"], "SITTING")
        self.assertEqual(self.ask("label")["label"], "SITTING")
        self.assertIsNone(self.ask("label", "PUT", {"label": None})["label"])
        self.assertIn("no label --help", self.refused(422, "label", "PUT", {"label": "--help"}))
        self.refused(422, "label", "PUT", {"label": "SITTING", "minutes": 1e300})
        self.ask("label", "PUT", {"label": "SITTING"})
        for body in ({}, {"labell": "SITTING"}, {"label": "WALKING\0EVIL"}, {"label": 7}, {"label": "SITTING", "minutes": "ten"}):
            self.refused(422, "label", "PUT", body)
        self.assertEqual(self.ask("label")["label"], "SITTING")
        self.assertIn("is no day", self.refused(422, "day/foo"))
        self.assertIn("timeline", self.ask("day/today"))
        self.assertEqual(self.ask("day/2026-01-01")["steps"], 0)
        self.assertEqual(self.call("day/--help")[0], 400)
        status, text = self.call("metrics", place="")
        self.assertEqual(status, 200)
        self.assertIn(b"gaitway_sensor_up", text)
        if promtool := tool("promtool"):
            checked = subprocess.run([promtool, "check", "metrics"], input=text, capture_output=True)
            self.assertEqual((checked.returncode, checked.stdout + checked.stderr), (0, b""))
        began = time.perf_counter()
        for _ in range(20):
            self.call("metrics", place="")
        print(f"\n  a scrape takes {(time.perf_counter() - began) / 20 * 1000:.1f} ms", end=" ")

    def test_record_train_guess(self):
        self.start()
        self.board()
        for label in ("HOP", "-rest"):
            self.ask("work", "POST", {"command": "record", "label": label, "seconds": 5})
            self.assertIn("is not over yet", self.refused(409, "work", "POST", {"command": "train"}))
            self.until(lambda: "in 1 ..." in self.ask("work")["progress"])
            done = self.work()
            self.assertEqual((done["error"], done["result"]["label"]), (None, label))
        self.assertEqual({one["label"] for one in self.ask("recordings")}, {"HOP", "-rest"})
        self.ask("work", "POST", {"command": "train"})
        self.assertIn("accuracy", self.work()["result"])
        self.ask("work", "POST", {"command": "guess", "seconds": 3})
        self.assertIn(self.work()["result"]["activity"], ("HOP", "-rest"))

    def test_what_is_stopped_keeps_nothing(self):
        self.start()
        self.board()
        self.ask("work", "POST", {"command": "record", "label": "HOP", "seconds": 60})
        self.until(lambda: self.ask("work")["progress"])
        self.ask("work", "DELETE")
        self.assertTrue(self.work()["error"])
        self.assertEqual(self.ask("recordings"), [])
        # Nor does what runs when the page ends.
        self.ask("work", "POST", {"command": "record", "label": "HOP", "seconds": 60})
        self.until(lambda: self.ask("work")["progress"])
        self.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.process.wait(20), 0)
        self.assertEqual(subprocess.run(["pgrep", "-f", f"{GAITWAY} record"], capture_output=True).stdout, b"")

    def test_a_token_that_others_could_know(self):
        path = self.state / "dashboard.token"
        self.state.mkdir()
        path.write_text("a" * 64)
        path.chmod(0o644)
        for command in ((), ("address",)):
            self.assertRefused(subprocess.run([DASHBOARD, *command], capture_output=True, text=True, env=self.environment, timeout=20), 78, "its owner alone")
        path.unlink()
        os.mkfifo(path, 0o600)
        self.assertRefused(subprocess.run([DASHBOARD], capture_output=True, text=True, env=self.environment, timeout=20), 78, "its owner alone")

    def test_it_ends_while_somebody_looks_and_records(self):
        self.start()
        self.board()
        self.ask("work", "POST", {"command": "record", "label": "HOP", "seconds": 100})
        self.until(lambda: "left" in self.ask("work")["progress"])
        with self.stream() as answer:
            answer.readline()
            self.process.send_signal(signal.SIGTERM)
            self.assertEqual(self.process.wait(15), 0)
        self.assertEqual(list((self.directory / "recordings").glob("*.csv")), [])

    def test_requests_by_the_thousand_on_one_connection(self):
        self.start()
        line = b"GET /page.js HTTP/1.1\r\nHost: x\r\n\r\n"
        def resident():
            return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{self.process.pid}/status").read_text()).group(1)) / 1024
        before, connections = resident(), []
        for _ in range(16):
            one = socket.create_connection(("127.0.0.1", self.port))
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            one.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                while True:
                    one.send(line * 1000)
            connections.append(one)
        time.sleep(2)
        self.assertLessEqual(resident() - before, 48)
        self.ask("work")
        for one in connections:
            one.close()

    @needs("openssl")
    def test_a_model_goes_the_signed_way_and_no_other(self):
        private, public = self.directory / "key.pem", self.directory / "key.pub"
        subprocess.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", private], check=True, capture_output=True)
        subprocess.run(["openssl", "ec", "-in", private, "-pubout", "-out", public], check=True, capture_output=True)
        base, model = self.directory / "base.safetensors", self.directory / "next.safetensors"
        for path, version in ((base, 1), (model, 7)):
            shutil.copy(MODEL, path)
            signed = gaitway("model", "sign", path, "--key", private, "--model-version", version)
            self.assertEqual(signed.returncode, 0, signed.stderr)
        self.environment.update(GAITWAY_TRUSTED_KEY=str(public), GAITWAY_MODEL=str(base), GAITWAY_UPDATES_ENABLED="true", GAITWAY_UPDATES_SOURCE=str(base))
        self.start()
        self.board()
        bytes, signature = model.read_bytes(), (self.directory / "next.safetensors.sig").read_bytes()
        self.assertIn("is not signed", self.refused(403, "model", "POST", raw=bytes))
        self.assertIn("is not what was signed", self.refused(422, f"model?signature={len(signature)}", "POST", raw=MODEL.read_bytes() + signature))
        self.assertNotIn("candidate", self.ask("status")["models"])
        self.assertIn("version 7 is tried", self.ask(f"model?signature={len(signature)}", "POST", raw=bytes + signature)["text"])
        self.assertEqual(self.ask("status")["models"]["candidate"], 7)
        self.refused(422, "model", "POST", raw=b"")
        for length in ("-1", "abc", "99999999999999999999"):
            self.refused(400, f"model?signature={length}", "POST", raw=b"xx")
        self.refused(422, "model?signature=2", "POST", raw=b"xx")
        self.assertEqual(list(pathlib.Path(os.environ.get("TMPDIR", "/tmp")).glob("gaitway-page-*")), [])

    def test_bad_input(self):
        self.start()
        self.assertIn("too large", self.refused(413, "work", "POST", raw=b"{" * 70_000))
        for body in (b"", b"[]", b"{", b"\xff", b'{"command":7}', b'{"command":"rm -rf"}', b'{"command":"record"}', b'{"command":"guess","seconds":-1}'):
            self.refused(422, "work", "POST", raw=body)
        self.assertEqual(self.call("day/..%2f..%2fetc")[0], 400)
        self.assertEqual(self.call("nothing")[0], 404)


if __name__ == "__main__":
    unittest.main()
