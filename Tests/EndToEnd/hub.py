"""A hub, a server in front of it that lies, and boards, for the tests."""
import http.client
import http.server
import json
import os
import re
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request

from support import GAITWAY

HUB = os.environ.get("GAITWAY_HUB", os.path.join(os.path.dirname(GAITWAY), "gaitway-hub"))


class Hub:
    """gaitway-hub in a directory of its own, on a free port."""

    def __init__(self, directory, *options):
        self.data = directory / "hub.sqlite"
        self.options = options
        self.port = 0
        self.start()
        self.token = self.run("tokens", "create", "--name", "test").strip()

    def run(self, *arguments, code=0, data=None):
        result = subprocess.run([HUB, *map(str, arguments), "--data", str(data or self.data)], capture_output=True, text=True, timeout=60)
        assert result.returncode == code, f"{arguments}: {result.returncode} {result.stderr}"
        return result.stdout if code == 0 else result.stderr

    def start(self):
        command = [HUB, "serve", "--data", str(self.data), "--port", str(self.port), *map(str, self.options)]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        match = re.search(r"https?://[^:]+:(\d+)", line)
        assert match, line
        self.port = int(match.group(1))
        self.address = match.group(0)
        # What it says later must not fill the pipe.
        self.reader = threading.Thread(target=lambda pipe: [None for _ in pipe], args=(self.process.stderr,), daemon=True)
        self.reader.start()

    @property
    def crowd(self):
        """Where its crowd's database is."""
        return f"{self.address}/crowd"

    def bootstrap(self, boards=1):
        return self.run("tokens", "create", "--bootstrap", "--boards", boards).strip()

    def call(self, method, path, body=None, token=None, raw=None, headers={}):
        """Status, parsed body (or bytes) and headers."""
        request = urllib.request.Request(f"{self.address}/api/v1{path}", method=method, headers={"Authorization": f"Bearer {token or self.token}", **headers})
        request.data = raw if raw is not None else None if body is None else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return self._parsed(answer.status, answer.read(), answer.headers)
        except urllib.error.HTTPError as error:
            with error:
                return self._parsed(error.code, error.read(), error.headers)

    @staticmethod
    def _parsed(status, data, headers):
        try:
            return status, json.loads(data), headers
        except ValueError:
            return status, data, headers

    def get(self, path, **options):
        status, body, _ = self.call("GET", path, **options)
        assert status == 200, (status, body)
        return body

    def devices(self):
        return [self.get(f"/devices/{device['id']}") for device in self.get("/devices")["devices"]]

    def kill(self):
        self.process.kill()
        self.process.wait()
        self._release()

    def _release(self):
        self.reader.join()
        self.process.stderr.close()

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(timeout=20)
            self._release()
            assert self.process.returncode == 0, self.process.returncode


class Liar:
    """Passes everything on to a hub and back, but for what `lies` has for a path: a function of (handler, path) that answers itself."""

    def __init__(self, hub):
        liar = self
        self.lies = {}
        self.changes = []
        self.requests = []
        self.bodies = []  # (path, body) of what is written
        self.stream_seconds = 5  # event streams are cut then

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length)
                path = self.path.split("?")[0]
                liar.requests.append((self.command, path))
                if self.command in ("PATCH", "PUT"):
                    liar.bodies.append((path, body))
                if self.headers.get("Accept") == "text/event-stream":
                    return self.stream()
                for pattern, lie in list(liar.lies.items()):
                    if re.search(pattern, path):
                        return lie(self, path)
                connection = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=20)
                try:
                    connection.request(self.command, self.path, body, {k: v for k, v in self.headers.items() if k.lower() not in ("host", "connection")})
                    answer = connection.getresponse()
                    data = answer.read()
                    status, headers = answer.status, answer.getheaders()
                except OSError:
                    self.close_connection = True
                    return None
                finally:
                    connection.close()
                for change in liar.changes:
                    status, data = change(path, status, data)
                self.send_response(status)
                for name, value in headers:
                    if name.lower() not in ("content-length", "connection", "date", "server"):
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_PUT = do_POST = do_PATCH = answer

            def stream(self):
                self.close_connection = True
                end = time.monotonic() + liar.stream_seconds
                connection = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=1)
                try:
                    connection.request("GET", self.path, headers={"Accept": "text/event-stream"})
                    answer = connection.getresponse()
                    self.send_response(answer.status)
                    self.send_header("Content-Type", "text/event-stream")
                    self.end_headers()
                    while time.monotonic() < end:
                        try:
                            data = answer.read1(65536)
                        except TimeoutError:
                            answer.fp.raw._timeout_occurred = False  # nothing happened for a second
                            continue
                        if not data:
                            break
                        self.wfile.write(data)
                        self.wfile.flush()
                except OSError:
                    pass
                finally:
                    connection.close()

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass  # callers go away in the middle of a lie

        self.server = Server(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Board:
    """A simulated wearer with a state of its own."""

    def __init__(self, directory, script, **settings):
        self.state = directory
        self.script = script
        self.environment = {**os.environ, "STATE_DIRECTORY": str(directory), **{f"GAITWAY_{name.upper()}": str(value) for name, value in settings.items()}}
        self.process = None
        self.runs = []

    def gaitway(self, *arguments):
        return subprocess.run([GAITWAY, *map(str, arguments)], capture_output=True, text=True, timeout=60, env=self.environment)

    def register(self, address, token):
        result = self.gaitway("register", "--hub", address, "--token", token, "--name", self.state.name, "--json")
        assert result.returncode == 0, result.stderr
        self.id = json.loads(result.stdout)["id"]

    def start(self, *more):
        self.process = subprocess.Popen([GAITWAY, "run", "--source", self.script, "--json", *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment)
        decisions, said = [], []
        self.runs.append(decisions)
        self.said = said
        self.threads = [
            threading.Thread(target=lambda pipe=self.process.stdout: decisions.extend(json.loads(line) for line in pipe if line.endswith("\n")), daemon=True),
            threading.Thread(target=lambda pipe=self.process.stderr: said.extend(pipe), daemon=True),
        ]
        for thread in self.threads:
            thread.start()

    def status(self):
        result = self.gaitway("status", "--json")
        return json.loads(result.stdout) if result.returncode == 0 else {}

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        code = self.process.wait(timeout=20)
        for thread in self.threads:
            thread.join()
        self.process.stdout.close()
        self.process.stderr.close()
        self.process = None
        return code

    def kill(self):
        """Whatever a test has left running."""
        if self.process:
            self.stop(signal.SIGKILL)


def until(condition, seconds, what=""):
    """What the condition gives, once it gives something true."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < end, f"not within {seconds} s: {what() if callable(what) else what}"
        time.sleep(0.2)
