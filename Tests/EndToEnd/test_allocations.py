"""Nothing is allocated for a decision: a malloc that counts is preloaded."""
import os
import pathlib
import re
import subprocess
import time
import unittest

from fleet_server import FleetServer
from support import GAITWAY, TestCase, gaitway, needs

HERE = pathlib.Path(__file__).resolve().parent


@needs("gcc")
class Allocations(TestCase):
    def count(self, *arguments, **settings):
        """Allocations between the second line on standard output and the last of an hour: of all threads, of the main one; and why."""
        counter = self.directory / "allocations.so"
        subprocess.run(["gcc", "-shared", "-fPIC", "-O2", "-o", counter, HERE / "allocations.c"], check=True)
        result = subprocess.run(
            [GAITWAY, "run", "--source", "simulated", "--speed", "max", "--duration", "3600", *arguments], capture_output=True, text=True, timeout=120,
            env={**os.environ, **settings, "LD_PRELOAD": str(counter), "STATE_DIRECTORY": str(self.directory / "state")})
        self.assertEqual(result.returncode, 0, result.stderr)
        found = re.search(r"allocations: (\d+) in all threads, (\d+) in the main one, (\d+) writes", result.stderr)
        self.assertIsNotNone(found, result.stderr)
        self.assertGreater(int(found[3]), 2500)
        return int(found[1]), int(found[2]), result.stderr

    @staticmethod
    def ahead(minute):
        """Of UTC, minutes: where it is that minute of the day."""
        now = time.gmtime()
        return (minute - now.tm_hour * 60 - now.tm_min) % (24 * 60)

    def zone(self, minute):
        """A time zone where it is that minute of the day. Where TZ says none, glibc copies the zone's name whenever a midnight is looked up."""
        ahead = self.ahead(minute)
        return f"TEST-{ahead // 60:02}:{ahead % 60:02}"

    def test_none_for_decisions_as_json(self):
        everywhere, main, where = self.count("--json")
        self.assertEqual((everywhere, main), (0, 0), where)

    def test_none_for_decisions_as_text(self):
        everywhere, main, where = self.count()
        self.assertEqual((everywhere, main), (0, 0), where)

    def test_none_on_the_loops_thread_beside_a_day_that_is_kept(self):
        everywhere, main, where = self.count("--json", GAITWAY_HISTORY_DIRECTORY=str(self.directory / "history"), TZ=self.zone(12 * 60))
        self.assertTrue(list((self.directory / "history").iterdir()))
        self.assertEqual(main, 0, where)

    def test_none_on_the_loops_thread_at_midnight(self):
        # The hour that is played goes over midnight.
        ahead = self.ahead(23 * 60 + 30)
        everywhere, main, where = self.count(
            "--json", GAITWAY_HISTORY_DIRECTORY=str(self.directory / "history"), TZ=self.zone(23 * 60 + 30))
        rows = [int(line.split(",")[0]) for path in (self.directory / "history").glob("*.csv") for line in path.read_text().splitlines()]
        midnight = (int(time.time() + ahead * 60) // 86_400 * 86_400 - ahead * 60) * 1000
        if midnight < rows[0]:
            midnight += 86_400_000
        self.assertTrue(min(rows) < midnight < max(rows), (min(rows), midnight, max(rows)))
        self.assertEqual(main, 0, where)

    def test_none_on_the_loops_thread_beside_uploads_heartbeats_and_events(self):
        server = FleetServer(registers={"id": "device-1", "heartbeat_interval_seconds": "1"})
        self.addCleanup(server.close)
        registered = gaitway("register", "--hub", server.address, "--token", "bootstrap", env={**os.environ, "STATE_DIRECTORY": str(self.directory / "state")})
        self.assertEqual(registered.returncode, 0, registered.stderr)
        everywhere, main, where = self.count(
            "--json", GAITWAY_UPLOAD_ENABLED="true", GAITWAY_UPLOAD_USER="wearer", GAITWAY_UPLOAD_BUCKET="b",
            GAITWAY_UPLOAD_DIRECTORY=str(self.directory / "spool"), GAITWAY_UPLOAD_ENDPOINT="http://127.0.0.1:9", AWS_ACCESS_KEY_ID="a", AWS_SECRET_ACCESS_KEY="b")
        self.assertGreater(everywhere, 2500, "nothing was recorded")
        self.assertTrue(server.beats())
        self.assertEqual(main, 0, where)


if __name__ == "__main__":
    unittest.main()
