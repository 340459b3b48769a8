"""The package on an emulated ARM board with a real sensor driver: releases that its hub rolls out, and other versions by apt.

    GAITWAY_PACKAGE      this version's package for arm64 on bookworm (board/package arm64 bookworm gaitway); nothing runs without it
    GAITWAY_OLD_PACKAGE  an earlier version's, for test_other_versions_by_apt (board/package in a clone of that commit)
"""
import os
import pathlib
import re
import time
import unittest

from board import HOST, Board, missing, versioned
from hub import Hub
from releases import Releases
from support import TestCase

PACKAGE, OLD = os.environ.get("GAITWAY_PACKAGE"), os.environ.get("GAITWAY_OLD_PACKAGE")
SENSOR = "iio:mxc4005"
GUIDE = pathlib.Path(__file__).parents[2] / "board/guide/service.md"


@unittest.skipIf(missing(), f"no emulated board: {missing()}")
@unittest.skipUnless(PACKAGE, "no GAITWAY_PACKAGE")
class BoardTestCase(TestCase):
    # Seconds for each step of a test.
    patience = 180

    def setUp(self):
        super().setUp()
        self.machine = Board()
        self.addCleanup(self.machine.close)

    def install(self, *packages, options=""):
        """By apt, as an owner does it who keeps the settings that are there."""
        self.machine.run(f"DEBIAN_FRONTEND=noninteractive apt-get -qq install -y -o Dpkg::Options::=--force-confold {options} {' '.join(packages)}", check=True)

    def registered(self, *options):
        """A hub on this machine that knows the board."""
        hub = Hub(self.directory, *options)
        self.addCleanup(hub.close)
        self.machine.run("gaitway", "register", "--hub", f"http://{HOST}:{hub.port}", "--allow-http", "--token", hub.bootstrap(), "--name", "board-1", check=True)
        return hub

    def until(self, condition, seconds):
        """Asks once a second: a command takes the processor that plays the sensor."""
        return super().until(lambda: condition() or time.sleep(1), seconds)


class Programs(Releases, BoardTestCase):
    source = SENSOR
    watch, start, patience = 30, 30, 600

    def setUp(self):
        super().setUp()
        self.packages, self.server = self.machine.packages, self.machine.address
        self.prepare()
        self.machine.offer(self.package("0.1.0"))
        self.install("gaitway")
        hub = self.registered()
        self.hub, self.data = hub.run, hub.data
        self.machine.run("systemctl", "restart", "gaitway", check=True)
        self.until(self.decides, self.patience)

    def at_hub(self, file):
        return file

    def package(self, version, **wrapped):
        def edit(tree):
            self.wrapped(tree / "usr/bin/gaitway", **wrapped)
            for file in (self.model, self.model.with_name(self.model.name + ".sig")):
                (tree / "usr/share/gaitway" / file.name).write_bytes(file.read_bytes())

        return versioned(PACKAGE, version, self.packages, edit)


class Versions(BoardTestCase):
    # Seconds between decisions.
    hop = 1.28
    # That a change of version may cost, beside the seconds that this emulated processor takes to start the program.
    most_lost = 3
    # After a purge: what the test wrote itself.
    left = ["/etc/systemd/system/gaitway.service.d"]

    @unittest.skipUnless(OLD, "no GAITWAY_OLD_PACKAGE")
    def test_other_versions_by_apt(self):
        packages = [versioned(package, version, self.directory) for package, version in ((OLD, "0.1.0"), (PACKAGE, "0.2.0"))]
        self.machine.write("etc/gaitway/conf.d/test.toml", f'source = "{SENSOR}"\n')
        # Every decision, for counting them.
        self.machine.write("etc/systemd/system/gaitway.service.d/test.conf", "[Service]\nExecStart=\nExecStart=/usr/bin/gaitway run --wait --json\n")
        self.machine.offer(*packages)
        self.install("gaitway=0.1.0+deb12")
        hub = self.registered("--heartbeat", "2")
        device, = hub.devices()
        self.machine.write("etc/gaitway/gaitway.toml", "agreement = 3\n")
        self.machine.run("systemctl", "restart", "gaitway", check=True)
        self.settle(lambda: len(self.decisions()) > 5)
        for version in ("0.2.0", "0.1.0", "0.2.0"):
            process = self.decisions()[-1][1]
            self.install(f"gaitway={version}+deb12", options="--allow-downgrades")
            self.assertIn(f"{version}+deb12", self.machine.run("dpkg-query", "--show", "gaitway").stdout)
            self.settle(lambda: all(one != process for _, one in self.decisions()[-5:]))
            last = max(at for at, one in self.decisions() if one == process)
            gap, start = min(at for at, _ in self.decisions() if at > last) - last, self.starting()
            print(f"to {version}: {gap / self.hop - 1:.1f} decisions lost, {start:.1f} s of it to start the program", flush=True)
            # What an earlier version loses is as it is.
            if version == "0.2.0":
                self.assertLessEqual((gap - start) / self.hop - 1, self.most_lost)
            self.assertEqual(self.machine.read("etc/gaitway/gaitway.toml"), "agreement = 3\n")
            before = hub.devices()[0]["last_heartbeat"]
            self.settle(lambda: hub.devices()[0]["last_heartbeat"] > before)
            self.assertEqual([one["id"] for one in hub.devices()], [device["id"]], "it is the same board")
        self.machine.run("apt-get", "-qq", "purge", "-y", "gaitway", check=True)
        self.machine.run("apt-get", "clean", check=True)
        found = self.machine.run("find / -xdev -iname '*gaitway*'").stdout.split()
        self.assertEqual(found, self.left)

    def test_unattended_upgrades(self):
        """The lines of the guide, on a board whose owner changed settings that are others in the new version."""
        def another(tree):
            settings = tree / "etc/gaitway/gaitway.toml"
            settings.write_text(settings.read_text() + "# Another version.\n")

        self.machine.write("etc/apt/apt.conf.d/52gaitway", re.search(r"^Unattended-Upgrade::.*?(?=^```)", GUIDE.read_text(), re.M | re.S)[0])
        self.machine.write("etc/gaitway/conf.d/test.toml", f'source = "{SENSOR}"\n')
        old, new = versioned(PACKAGE, "0.1.0", self.directory), versioned(PACKAGE, "0.2.0", self.directory, another)
        self.machine.offer(old)
        self.install("gaitway")
        self.machine.write("etc/gaitway/gaitway.toml", "agreement = 3\n")
        self.machine.offer(old, new)
        self.machine.run("unattended-upgrade", "--verbose", check=True, seconds=600)
        self.assertIn("0.2.0+deb12", self.machine.run("dpkg-query", "--show", "gaitway").stdout)
        self.assertEqual(self.machine.read("etc/gaitway/gaitway.toml"), "agreement = 3\n")
        self.settle(lambda: self.machine.run("systemctl", "is-active", "gaitway").stdout.strip() == "active")

    def settle(self, condition):
        try:
            self.until(condition, self.patience)
        except AssertionError:
            self.fail("it did not come to that:\n" + self.machine.run("journalctl --no-pager --unit gaitway | tail -20 | cut -c1-200").stdout)

    def starting(self):
        """Seconds that the service's latest start took."""
        printed = self.machine.run("journalctl --unit gaitway --output short-unix --no-hostname | grep -E 'Start(ing|ed) gaitway' | tail -2").stdout.split("\n")
        return float(printed[1].split()[0]) - float(printed[0].split()[0])

    def decisions(self):
        """Of each one when it came, by the board's clock, and from which process."""
        printed = self.machine.run("journalctl --unit gaitway --output short-unix --no-hostname | grep smoothed | cut -d'{' -f1").stdout
        return [(float(line.split()[0]), line.split()[1]) for line in printed.splitlines()]


if __name__ == "__main__":
    unittest.main()
