"""A hub's copies in a bucket, whose server verifies every signature: made while it serves, chosen by moment, back on an empty disk."""
import json
import os
import pathlib
import sqlite3
import subprocess
import time
import unittest

import support
from support import SERVER, TestCase

HUB = os.environ.get("GAITWAY_HUB", str(pathlib.Path(support.GAITWAY).with_name("gaitway-hub")))


class HubBackup(TestCase):
    def setUp(self):
        super().setUp()
        self.data = self.directory / "disk/hub.sqlite"
        self.data.parent.mkdir()
        self.place = f"s3://{self.bucket}/hubs/one"

    def command(self, *arguments):
        return [HUB, *map(str, arguments), "--data", str(self.data)]

    def hub(self, *arguments, code=0):
        environment = {**os.environ, **self.credentials, "STATE_DIRECTORY": str(self.directory / "state")}
        result = subprocess.run(self.command(*arguments), capture_output=True, text=True, timeout=60, env=environment)
        self.assertEqual(result.returncode, code, result.stderr)
        return result.stdout if code == 0 else result.stderr

    def bucket_of(self, *arguments, endpoint=SERVER["endpoint"], code=0):
        return self.hub(*arguments, "--endpoint", endpoint, code=code)

    def names(self):
        return {json.loads(line)["name"] for line in self.hub("tokens", "list", "--json").splitlines()}

    def test_copies_go_and_come_back(self):
        self.hub("tokens", "create", "--name", "first")
        made = self.bucket_of("backup", self.place)
        self.assertIn(f"{self.place}/hub-", made)
        first = self.objects()
        self.assertEqual(len(first), 1)
        self.assertTrue(first[0].startswith("hubs/one/hub-"), first)
        # Beside it lies what is none of a hub's, and another hub's.
        for key in ("hubs/one/readme", "hubs/one/deeper/hub-20200101T000000Z.sqlite", "hubs/hub-20200101T000000Z.sqlite"):
            self.s3.put_object(Bucket=self.bucket, Key=key, Body=b"not a copy")
        time.sleep(1.1)
        self.hub("tokens", "create", "--name", "second")
        self.grow()
        self.bucket_of("backup", self.place + "/")
        self.assertEqual(len([key for key in self.objects() if key.startswith("hubs/one/hub-")]), 2)
        self.assertEqual([path.name for path in self.data.parent.iterdir() if ".backup" in path.name and path.stat().st_size], [])

        moment = first[0][-len("20261124T180000Z.sqlite"):-len(".sqlite")]
        moment = f"{moment[:4]}-{moment[4:6]}-{moment[6:11]}:{moment[11:13]}:{moment[13:]}"
        for path in self.data.parent.iterdir():
            path.unlink()
        self.data.parent.rmdir()
        self.bucket_of("restore", self.place, "--at", moment)
        self.assertEqual(self.names(), {"first"})
        said = self.bucket_of("restore", self.place)
        self.assertIn(self.place, said)
        self.assertEqual(self.names(), {"first", "second"})
        self.assertGreater(self.data.stat().st_size, 9 << 20)
        self.assertEqual(self.data.stat().st_mode & 0o777, 0o600)
        self.assertIn("oldest is of", self.bucket_of("restore", self.place, "--at", "2025-01-01T00:00:00Z", code=66))
        self.assertIn("no copy", self.bucket_of("restore", f"s3://{self.bucket}/elsewhere", code=66))
        self.assertIn("names no bucket", self.bucket_of("backup", "s3://", code=64))
        self.assertIn("names no bucket", self.bucket_of("backup", f"s3://{self.bucket}/a/../b", code=64))
        self.bucket_of("backup", "s3://there-is-none-such/x", code=78)
        self.bucket_of("restore", self.place, endpoint=self.nowhere, code=75)
        self.assertEqual(self.names(), {"first", "second"}, "what cannot be fetched replaces nothing")
        self.s3.put_object(Bucket=self.bucket, Key="hubs/one/hub-20990101T000000Z.sqlite", Body=b"no database" * 1000)
        self.assertIn("hub-2099", self.bucket_of("restore", self.place, "--at", "2099-02-01T00:00:00Z", code=65))
        self.assertEqual(self.names(), {"first", "second"})

    def grow(self):
        """More than is fetched at once."""
        with sqlite3.connect(self.data) as database:
            database.execute("CREATE TABLE filler (bytes BLOB)")
            database.execute("INSERT INTO filler VALUES (?)", (os.urandom(10 << 20),))
        database.close()

    def test_again_and_again_over_an_outage(self):
        self.hub("tokens", "create", "--name", "first")
        forwarder = support.Forwarder()
        environment = {**os.environ, **self.credentials, "STATE_DIRECTORY": str(self.directory / "state")}
        process = subprocess.Popen(
            self.command("backup", self.place, "--every", "1s", "--keep", "3s", "--endpoint", forwarder.endpoint), stderr=subprocess.PIPE, text=True, env=environment)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        time.sleep(2)
        self.assertIsNone(process.poll(), "a bucket that is not there for now")
        self.assertEqual(self.objects(), [])
        forwarder.start()
        self.until(lambda: len(self.objects()) == 1, 40)
        time.sleep(2.5)
        self.assertEqual(len(self.objects()), 1, "nothing changed")
        first = self.objects()[0]
        for count in range(10):
            self.hub("tokens", "create", "--name", f"n{count}")
            time.sleep(0.7)
        self.until(lambda: first not in self.objects(), 20)
        self.assertLessEqual(len(self.objects()), 6)
        self.assertIsNone(process.poll())

    def until(self, condition, seconds):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.2)


if __name__ == "__main__":
    unittest.main()
