"""An hour of a hub that does its worst, with a clock that goes 120 times as fast: every wait of the program is that much shorter."""
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from support import GAITWAY, ROOT, TestCase, needs

SOURCE = pathlib.Path(__file__).with_name("fast_clock.c")
SPEED, SECONDS = 120, 3600
MODEL = os.urandom(1 << 20) * 63


class HostileHub:
    """Registers a board and gives it tokens, then lies in turn; `sent` are the bytes that the board took."""

    def __init__(self):
        hub = self
        self.sent, self.beats, self.offers = 0, 0, 0

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def give(self, data, status=200, length=None, pause=0.0):
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(length or len(data)))
                if status == 302:
                    self.send_header("Location", f"{hub.address}/api/v1/models/activity/versions/1/download")
                self.end_headers()
                try:
                    for begin in range(0, len(data), 1 << 14):
                        self.wfile.write(data[begin : begin + (1 << 14)])
                        hub.sent += len(data[begin : begin + (1 << 14)])
                        time.sleep(pause)
                except OSError:
                    self.close_connection = True

            def tell(self, value, status=200):
                self.give(json.dumps(value).encode(), status)

            def do_POST(self):
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                if "device-auth" in self.path:
                    return self.tell({"access_token": "a", "refresh_token": "r", "expires_in": 86400, "token_type": "Bearer", "org_id": "default",
                                      "device_identifier": "board", "scopes": []}, 201)
                return self.tell({"id": "board", "status": "active", "heartbeat_interval_seconds": 1})

            def do_PUT(self):
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                hub.beats += 1
                kind = hub.beats % 8
                if kind == 1:
                    return self.give(b'{"updates":{"activity":"' + b"9" * (4 << 20) + b'"}}')
                if kind == 2:
                    return self.give(b'{"updates":' + b"[" * 100_000)
                if kind == 3:
                    return self.give(b" " * 100, length=1 << 30, pause=1)
                if kind == 4:
                    return self.tell({"detail": "no"}, 500)
                return self.tell({"status": "ok", "heartbeat_interval_seconds": 0.001 if kind == 5 else -1, "updates": {"activity": str(1000 + hub.beats)},
                                  "server_time": "9999-12-31T23:59:59Z" if kind == 6 else "1970-01-01T00:00:00Z"})

            def do_GET(self):
                if "updates" in self.path:
                    hub.offers += 1
                    return self.tell({"new_version": str(1000 + hub.offers), "update_size": len(MODEL), "checksum": "00" * 32})
                if self.path.endswith("/download"):
                    return self.give(MODEL)
                if self.path.endswith("/signature"):
                    return [lambda: self.give(MODEL), lambda: self.tell({"payload": "e30=", "signatures": []}), lambda: self.give(b"", 302),
                            lambda: self.give(b"{" * (64 << 10), pause=0.5)][hub.offers % 4]()
                return self.tell({}, 404)

            def log_message(self, *_):
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def server_bind(self):
                # What waits on this side was not sent.
                self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
                super().server_bind()

            def handle_error(self, *_):
                pass

        self.http = Server(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def close(self):
        self.http.shutdown()
        self.http.server_close()


class Hour(TestCase):
    def clock(self):
        library = self.directory / "fast_clock.so"
        if not library.exists():
            subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, SOURCE], check=True)
        return library

    def run_for_an_hour(self, state, seconds=SECONDS, **settings):
        """Its decisions' times, most of its resident memory in MB, and what it said."""
        environment = {**os.environ, "STATE_DIRECTORY": str(state), "LD_PRELOAD": str(self.clock()), "FAST_CLOCK": str(SPEED),
                       **{f"GAITWAY_{name.upper()}": value for name, value in settings.items()}}
        with open(self.directory / "out", "w") as out, open(self.directory / "err", "w") as err:
            process = subprocess.Popen([GAITWAY, "run", "--source", f"simulated:walk={seconds}", "--json"], stdout=out, stderr=err, env=environment)
        self.addCleanup(lambda: (process.kill(), process.wait()))
        most = 0
        while process.poll() is None:
            found = re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{process.pid}/status").read_text())
            most = max(most, int(found.group(1)) if found else 0)
            time.sleep(0.1)
        said = (self.directory / "err").read_text()
        self.assertEqual(process.returncode, 0, said)
        return [json.loads(line)["t"] for line in (self.directory / "out").read_text().splitlines()], most / 1024, said

    @needs("openssl")
    def test_an_hour_of_a_hostile_hub(self):
        hub = HostileHub()
        self.addCleanup(hub.close)
        state = self.directory / "state"
        made = subprocess.run([GAITWAY, "register", "--hub", hub.address, "--token", "t"], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "STATE_DIRECTORY": str(state)})
        self.assertEqual(made.returncode, 0, made.stderr)
        private, public = self.directory / "key.pem", self.directory / "key.pub"
        subprocess.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", private], check=True, capture_output=True)
        subprocess.run(["openssl", "ec", "-in", private, "-pubout", "-out", public], check=True, capture_output=True)
        model = self.directory / "model.safetensors"
        shutil.copy(ROOT / "board/models/activity.safetensors", model)
        subprocess.run([GAITWAY, "model", "sign", model, "--key", private], check=True, capture_output=True)
        (times, memory, said), (_, alone, _) = self.run_for_an_hour(state, trusted_key=str(public), model=str(model)), self.run_for_an_hour(self.directory / "alone", seconds=120)
        print(f"{hub.sent / 1e6:.1f} MB in {hub.beats} heartbeats, {hub.offers} offers, {memory:.1f} MB resident, {alone:.1f} without a hub")
        self.assertLess(len(said.splitlines()), 600)
        self.assertEqual(times, [round(2.56 + 1.28 * index, 2) for index in range(int((SECONDS - 2.56) / 1.28) + 1)])
        self.assertGreater(hub.beats, 20)
        self.assertLess(hub.sent, 10e6)
        self.assertLess(memory - alone, 20)


if __name__ == "__main__":
    unittest.main()
