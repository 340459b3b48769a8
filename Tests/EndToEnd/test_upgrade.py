"""A board and a hub of an earlier version, by the files that they left: this version's programs go on with all of it."""
import json
import os
import sqlite3
import subprocess
import tarfile
import time
import unittest

from hub import Hub
from support import GAITWAY, ROOT, TestCase

FILES = ROOT / "Tests/Fixtures/upgrade/e4a64df.tar.gz"


class OldHub(Hub):
    def __init__(self, directory):
        self.data, self.options, self.port = directory / "hub.sqlite", ("--heartbeat", "1"), 0
        self.start()
        self.token = (directory / "person.token").read_text().strip()


class Upgrade(TestCase):
    def setUp(self):
        super().setUp()
        with tarfile.open(FILES) as archive:
            archive.extractall(self.directory)
        # Its tokens would have ended since: as if it was made just now.
        database = sqlite3.connect(self.directory / "hub.sqlite")
        self.assertGreater(database.execute("UPDATE tokens SET expires = ?", (time.time() + 86400,)).rowcount, 0)
        database.commit()
        database.close()
        self.state = self.directory / "board"
        tokens, = (self.state / "ai.edgeml").iterdir()
        tokens.write_text(json.dumps({**json.loads(tokens.read_text()), "expires_at": "2026-11-25T00:00:00.000Z"}))
        self.environment = {**os.environ, "STATE_DIRECTORY": str(self.state), "GAITWAY_RECORDINGS": str(self.state / "recordings"),
                            "GAITWAY_MODEL": str(self.state / "base.safetensors"), "GAITWAY_UPLOAD_ENABLED": "true", "GAITWAY_UPLOAD_USER": "ada",
                            "GAITWAY_UPLOAD_MAX_DAYS": "0"}  # the files are as old as they are

    def gaitway(self, *arguments):
        result = subprocess.run([GAITWAY, *arguments], capture_output=True, text=True, timeout=60, env=self.environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def moved(self, hub):
        """The hub is at another port than it was."""
        for file in self.state.glob("**/*.json"):
            file.write_text(file.read_text().replace("127.0.0.1:8799", f"127.0.0.1:{hub.port}"))

    def test_the_board_keeps_what_it_had(self):
        before = {path.name: path.read_bytes() for path in (self.state / "recordings").iterdir()}
        labels = [json.loads(line)["label"] for line in self.gaitway("recordings", "list", "--json").splitlines()]
        self.assertEqual(sorted(labels), ["lying", "standing", "walking"])
        budget = json.loads(self.gaitway("crowd", "budget", "--json"))
        self.assertEqual((budget["check_ins"], budget["epsilon"]), (2, 2))
        self.assertEqual(json.loads(self.gaitway("upload", "status", "--json"))["files"], 2)
        self.assertEqual(json.loads(self.gaitway("model", "list", "--json"))["current"], 2)
        decided = [json.loads(line) for line in self.gaitway("run", "--source", "simulated:walk=20,stand=20", "--speed", "max", "--json").splitlines()]
        self.assertEqual(set(one["smoothed"] for one in decided) - {"unknown"}, {"walking", "standing"})
        self.assertEqual({path.name: path.read_bytes() for path in (self.state / "recordings").iterdir()}, before)

    def test_the_hub_keeps_what_it_had_and_the_board_is_known_there(self):
        hub = OldHub(self.directory)
        self.addCleanup(hub.close)
        device, = hub.devices()
        self.assertEqual((device["device_identifier"], device["identity"]), ("old-board", "token"))
        self.assertEqual([rollout["version"] for rollout in hub.get("/rollouts")["rollouts"]], ["2"])
        crowd = json.loads(hub.run("crowd", "status", "--json"))
        self.assertEqual(crowd["iteration"], "3")
        self.moved(hub)
        process = subprocess.Popen([GAITWAY, "run", "--source", "simulated:walk=60"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.environment)
        self.addCleanup(lambda: (process.kill(), process.wait()))
        end = time.monotonic() + 20
        while time.monotonic() < end and hub.devices()[0]["last_heartbeat"] == device["last_heartbeat"]:
            time.sleep(0.2)
        now, = hub.devices()
        self.assertEqual(now["id"], device["id"])
        self.assertNotEqual(now["last_heartbeat"], device["last_heartbeat"])
        self.assertEqual(now["active_model_version"], "2")
        # With the next tokens it has a key of its own.
        self.assertEqual(now["identity"], "key")
        status = json.loads(self.gaitway("status", "--json"))
        self.assertEqual((status["model_version"], status["fleet"]["device_id"]), (2, device["id"]))
        report = json.loads(self.gaitway("crowd", "train", "--rounds", "1", "--json"))
        self.assertEqual(report["counted"], 1)
        self.assertEqual(json.loads(hub.run("crowd", "status", "--json"))["iteration"], "4")


if __name__ == "__main__":
    unittest.main()
