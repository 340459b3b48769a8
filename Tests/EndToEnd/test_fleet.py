"""A board and a server of the EdgeML device API: registration, tokens, heartbeats beside the loop."""
import json
import os
import stat
import subprocess
import time
import unittest

from fleet_server import FleetServer
from support import GAITWAY, ROOT, TestCase, swift_test


class Fleet(TestCase):
    def setUp(self):
        super().setUp()
        self.state = self.directory / "state"

    def server(self, **options):
        server = FleetServer(**options)
        self.addCleanup(server.close)
        return server

    def gaitway(self, *arguments):
        return subprocess.run([GAITWAY, *map(str, arguments)], capture_output=True, text=True, timeout=60, env={**os.environ, "STATE_DIRECTORY": str(self.state)})

    def register(self, server, *more):
        return self.gaitway("register", "--hub", server.address, "--token", "bootstrap", *more)

    def beat(self, server, count, until=lambda beat: True, source=("--source", "simulated")):
        """Runs the loop until so many heartbeats came, and one that `until` holds of; what it said."""
        process = subprocess.Popen([GAITWAY, "run", *source, "--json"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env={**os.environ, "STATE_DIRECTORY": str(self.state)})
        end = time.monotonic() + 20
        while (len(server.beats()) < count or not until(server.beats()[-1])) and time.monotonic() < end:
            time.sleep(0.1)
        process.terminate()
        _, said = process.communicate(timeout=10)
        self.assertEqual(process.returncode, 0, said)
        self.assertGreaterEqual(len(server.beats()), count, said)
        return said

    def test_registering_beating_leaving(self):
        server = self.server(registers={"id": "device-1", "heartbeat_interval_seconds": "1"})
        result = self.register(server, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(json.loads(result.stdout)["id"], "device-1")
        body = server.requests[1][2]
        for field in ("device_identifier", "platform", "org_id", "sdk_version", "device_info", "metadata", "capabilities", "cpu_architecture", "total_memory_mb"):
            self.assertIn(field, body)
        self.assertEqual(body["device_info"]["total_memory_mb"], body["total_memory_mb"])
        files = [path for path in self.state.rglob("*") if path.is_file()]
        self.assertLess({"board-key.pem", "registration.json"}, {path.name for path in files})
        self.assertEqual(len(files), 3)
        for path in files:
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600, path)

        # A window takes 2.56 s from when the loop begins, which heartbeats do not wait for.
        said = self.beat(server, 5, lambda beat: "activity" in beat["metadata"])
        self.assertNotIn("warning", said)
        first, later = server.beats()[0], server.beats()[-1]
        self.assertEqual((first["metadata"]["model_version"], first["active_model_version"]), ("1", "1"))
        self.assertEqual(later["metadata"]["activity"], "STANDING")
        self.assertIn("last_inference_at", later)
        self.assertNotIn("last_error_code", later)
        self.assertIn("network_type", first)
        self.assertEqual(self.gaitway("unregister").returncode, 0)
        self.assertEqual(server.refresh, set())
        # What came over the air stays the board's, and so does the key that it comes back with.
        self.assertEqual({path.name for path in self.state.rglob("*") if path.is_file() and path.parent.name != "models"} - {"lock", "first.lock"}, {"board-key.pem", "privacy.json", "privacy.json.lock"})
        self.assertEqual(self.gaitway("unregister").returncode, 66)

    def test_a_hub_that_is_gone_for_good(self):
        server = self.server()
        self.assertEqual(self.register(server).returncode, 0)
        server.close()
        left = self.gaitway("unregister")
        self.assertEqual(left.returncode, 75, left.stderr)
        self.assertIn("gaitway unregister --forget", left.stderr)
        self.assertEqual(self.gaitway("unregister", "--forget").returncode, 0)
        self.assertEqual({path.name for path in self.state.rglob("*") if path.is_file()} - {"lock", "first.lock"}, {"board-key.pem"})
        self.assertEqual(self.gaitway("unregister", "--forget").returncode, 66)

    def test_a_board_whose_sensor_is_not_there_tells_so(self):
        server = self.server(registers={"id": "d", "heartbeat_interval_seconds": "1"})
        self.assertEqual(self.register(server).returncode, 0)
        self.beat(server, 2, lambda beat: "last_error_code" in beat, source=("--source", "iio:ip:127.0.0.1:1", "--wait"))
        last = server.beats()[-1]
        self.assertIn("waiting for it", last["last_error_code"])
        self.assertIn("last_error_at", last["metadata"])
        self.assertNotIn("activity", last["metadata"])
        self.assertNotIn("last_inference_at", last)

    def test_tokens_are_refreshed(self):
        server = self.server(ttl=2, registers={"id": 7, "heartbeat_interval_seconds": 1})
        self.assertEqual(self.register(server).returncode, 0)
        self.beat(server, 3)
        self.assertGreater(server.count, 2)
        # A server that forgot the access token before its end.
        server.access = set()
        self.assertEqual(self.gaitway("register", "--hub", server.address).returncode, 0)

    def test_a_server_that_takes_post_alone_is_remembered(self):
        server = self.server(heartbeat_method="POST", registers={"id": "d", "heartbeat_interval_seconds": 1})
        self.assertEqual(self.register(server).returncode, 0)
        self.beat(server, 2)
        self.beat(server, 3)
        self.assertEqual(len([1 for method, path, _ in server.requests if method == "PUT"]), 1)

    @unittest.skipUnless((ROOT / ".build-test").is_dir(), "no test build in .build-test (board/test makes it)")
    def test_the_sdks_readme(self):
        server = self.server()
        command = swift_test("EdgeMLTests.ReadmeTests")
        result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, env={**os.environ, "GAITWAY_STRICT": "1", "GAITWAY_FLEET_SERVER": server.address})
        self.assertEqual(result.returncode, 0, result.stdout[-2000:])
        self.assertEqual([path.rsplit("/", 1)[1] for _, path, _ in server.requests], ["bootstrap", "register", "heartbeat", "refresh", "revoke"])

    def test_what_goes_wrong(self):
        server = self.server()
        for arguments, code, word in (
            (["--hub", server.address, "--token", "wrong"], 77, "invalid bootstrap token"),
            (["--hub", server.address], 78, "no tokens"),
            (["--hub", "http://127.0.0.1:1", "--token", "t"], 75, "cannot be reached"),
            (["--hub", "http://example.org", "--token", "t"], 78, "not encrypted"),
            (["--hub", "hub", "--token", "t"], 64, "no address"),
        ):
            with self.subTest(word):
                result = self.gaitway("register", *arguments)
                self.assertRefused(result, code, word)
        server.broken = {"register": (200, {"status": "ok"})}
        self.assertRefused(self.register(server), 65, "without giving it an ID")
        server.broken = {"register": (422, {"detail": [{"msg": "field required"}]})}
        self.assertRefused(self.register(server), 1, "field required")
        server.broken = {"bootstrap": (200, {"access_token": "a"})}
        self.assertRefused(self.register(server), 65, "without usable tokens")

    def test_the_loop_does_not_notice_a_dead_hub(self):
        server = self.server(registers={"id": "d", "heartbeat_interval_seconds": 1})
        self.assertEqual(self.register(server).returncode, 0)
        server.close()
        run = ("run", "--source", "simulated:stand=20,walk=20", "--speed", "max", "--json")
        alone = subprocess.run([GAITWAY, *run], capture_output=True, text=True)
        beside = self.gaitway(*run)
        self.assertEqual((beside.returncode, beside.stdout), (0, alone.stdout))


if __name__ == "__main__":
    unittest.main()
