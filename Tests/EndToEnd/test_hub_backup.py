"""A hub that loses its disk: copies while it runs, and back with one command."""
import json
import pathlib
import random
import shutil
import subprocess
import time
import unittest

from hub import HUB, Hub
from support import TestCase


class Backups(TestCase):
    def setUp(self):
        super().setUp()
        self.disk = self.directory / "disk"
        self.disk.mkdir()
        self.copies = self.directory / "copies"

    def hub(self):
        hub = Hub(self.disk)
        self.addCleanup(hub.close)
        return hub

    def back_up(self, hub, *options):
        process = subprocess.Popen([HUB, "backup", self.copies, "--every", "1s", *options, "--data", hub.data], stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def made(self):
        return sorted(self.copies.glob("hub-*.sqlite"))

    def names(self, hub):
        return {json.loads(line)["name"] for line in hub.run("tokens", "list", "--json").splitlines()}

    def test_a_disk_goes_at_any_moment_and_the_hub_is_back(self):
        hub, known = self.hub(), {}
        # It goes on over all of it: the file that is restored is another one.
        backup = self.back_up(hub)
        for drill in range(5):
            end = time.time() + random.Random(drill).uniform(2.5, 4)
            count = 0
            while time.time() < end:
                name = f"drill-{drill}-{count}"
                hub.run("tokens", "create", "--name", name)
                known[name] = time.time()
                count += 1
            lost = time.time()
            hub.kill()
            shutil.rmtree(self.disk)
            time.sleep(1.2)
            self.assertFalse(self.disk.exists(), "a hub that is not there is not made")
            self.disk.mkdir()
            hub.run("restore", self.copies)
            hub.start()
            # All but the last interval, and the second that names are rounded to.
            owed = {name for name, at in known.items() if at < lost - 2.5}
            self.assertGreater(len(owed), drill)
            self.assertLessEqual(owed, self.names(hub))
            known = {name: 0 for name in self.names(hub) if name.startswith("drill")}
            self.assertEqual(hub.call("GET", "/devices?org_id=default")[0], 200, "its tokens are worth what they were")
        self.assertIsNone(backup.poll())

    def test_copies_are_made_when_something_changed_and_kept_for_their_time(self):
        hub = self.hub()
        backup = self.back_up(hub, "--keep", "3s")
        self.until(lambda: len(self.made()) == 1)
        time.sleep(2.5)
        self.assertLessEqual(len(self.made()), 2, "a hub at which nothing happens")
        first = self.made()[0]
        self.until(lambda: hub.run("tokens", "create", "--name", f"n{time.time()}") and not first.exists(), seconds=20)
        self.assertEqual([path.stat().st_mode & 0o777 for path in self.made()], [0o600] * len(self.made()))
        self.assertIsNone(backup.poll())

    def test_a_moment_is_chosen(self):
        hub = self.hub()
        self.copies.mkdir()
        for name in ("one", "two"):
            hub.run("tokens", "create", "--name", name)
            hub.run("backup", self.directory / name)
        for name, moment in (("one", "20260101T000000Z"), ("two", "20260601T120000Z")):
            (self.directory / name).rename(self.copies / f"hub-{moment}.sqlite")
        (self.copies / "hub-20260701T000000Z.sqlite.part").write_bytes(b"not whole")
        hub.kill()
        hub.run("restore", self.copies, "--at", "2026-05-31T23:00:00+00:00")
        self.assertEqual(self.names(hub), {"test", "one"})
        hub.run("restore", self.copies)
        self.assertEqual(self.names(hub), {"test", "one", "two"})
        self.assertIn("oldest is of 2026-01-01", hub.run("restore", self.copies, "--at", "2025-01-01T00:00:00Z", code=66))
        self.assertIn("no moment", hub.run("restore", self.copies, "--at", "yesterday", code=64))
        self.assertIn("no copy", hub.run("restore", self.disk / ".", code=66))

    def test_a_folder_that_cannot_be_written_is_tried_again(self):
        hub = self.hub()
        backup = self.back_up(hub)
        self.until(lambda: self.made())
        shutil.rmtree(self.copies)
        pathlib.Path(self.copies).write_text("a file in its place")
        hub.run("tokens", "create", "--name", "meanwhile")
        time.sleep(2.5)
        self.assertIsNone(backup.poll())
        self.copies.unlink()
        self.copies.mkdir()
        self.until(lambda: self.made(), seconds=10)


if __name__ == "__main__":
    unittest.main()
