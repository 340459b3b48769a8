"""What the agent's tests share: the server, the program with its settings, a forwarder that can be absent."""
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

from client import connect

SERVER = json.loads(os.environ["GAITWAY_CLOUD_SERVER"])
GAITWAY = os.environ["GAITWAY"]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Benchmarks"))
import upload as benchmark  # noqa: E402


class Forwarder:
    """Takes connections on a port of its own to the server, once it is started; `first` is what each of them says first."""

    def __init__(self):
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.endpoint = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.first = []

    def start(self):
        self.listener.listen(16)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            host, port = SERVER["endpoint"].removeprefix("http://").split(":")
            server = socket.create_connection((host, int(port)))
            for one, other in ((client, server), (server, client)):
                threading.Thread(target=self.carry, args=(one, other, one is client), daemon=True).start()

    def carry(self, one, other, keeps):
        try:
            while data := one.recv(1 << 16):
                if keeps:
                    self.first.append(data)
                    keeps = False
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)
        except OSError:
            pass


class TestCase(unittest.TestCase):
    """A spool, a bucket and a user of its own."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="gaitway-")
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.spool = self.directory / "spool"
        self.user = "u" + self.id().rsplit(".", 1)[-1].replace("_", "")
        self.bucket = self.user.lower()[:50]
        self.s3 = connect("s3", SERVER["endpoint"], SERVER["key"], SERVER["secret"])
        self.s3.create_bucket(Bucket=self.bucket)
        self.nowhere = Forwarder().endpoint
        self.settings = {"ENABLED": "true", "SPOOL": self.spool, "USER": self.user, "BUCKET": self.bucket, "ENDPOINT": SERVER["endpoint"], "KEEP_FREE_MEGABYTES": "0"}
        self.credentials = {"AWS_ACCESS_KEY_ID": SERVER["key"], "AWS_SECRET_ACCESS_KEY": SERVER["secret"]}

    def environment(self, **more):
        settings = {**self.settings, **more}
        return {**os.environ, "STATE_DIRECTORY": str(self.directory / "state"), **self.credentials, **{f"GAITWAY_UPLOAD_{name}": str(value) for name, value in settings.items()}}

    def gaitway(self, *arguments, **settings):
        return subprocess.run([GAITWAY, *map(str, arguments)], capture_output=True, text=True, timeout=120, env=self.environment(**settings))

    def run_loop(self, source, **settings):
        """The decisions of a run as fast as it goes, with what it said. Its files only wait, unless an ENDPOINT is given."""
        result = self.gaitway("run", "--source", source, "--speed", "max", "--json", **{"ENDPOINT": self.nowhere, **settings})
        self.assertEqual(result.returncode, 0, result.stderr)
        return [json.loads(line) for line in result.stdout.splitlines()], result.stderr

    def status(self):
        return json.loads(self.gaitway("upload", "status", "--json").stdout)

    def objects(self):
        pages = self.s3.get_paginator("list_objects_v2").paginate(Bucket=self.bucket)
        return sorted(o["Key"] for page in pages for o in page.get("Contents", []))

    def rows(self):
        """The rows of all objects, in the order of their keys, as texts of their cells."""
        found = []
        for key in self.objects():
            text = self.s3.get_object(Bucket=self.bucket, Key=key)["Body"].read().decode()
            self.assertTrue(text.endswith("\n"))
            found += [line.split(",") for line in text.splitlines()]
        return found
