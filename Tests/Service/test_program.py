"""Boards whose hub rolls out new versions of gaitway itself: Debian's packages, under a systemd that runs."""
import json
import os
import shutil
import sqlite3
import subprocess
import unittest

from machine import Machine, missing
from support import GAITWAY, ROOT, TestCase

PORT = 8090
# s that a new version is watched in these tests; a minute otherwise.
WATCH = 8


@unittest.skipIf(missing(), f"no machine with systemd: {missing()}")
class Programs(TestCase):
    def setUp(self):
        super().setUp()
        self.machine = Machine()
        self.addCleanup(self.machine.close)
        self.packages = self.directory / "packages"
        self.packages.mkdir()
        self.private, public = self.directory / "private.pem", self.directory / "public.pem"
        subprocess.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", self.private], check=True, capture_output=True)
        subprocess.run(["openssl", "ec", "-in", self.private, "-pubout", "-out", public], check=True, capture_output=True)
        self.machine.write("etc/gaitway/key.pem", public.read_text())
        self.model = self.directory / "activity.safetensors"
        shutil.copy(ROOT / "board/models/activity.safetensors", self.model)
        self.gaitway("model", "sign", self.model, "--key", self.private)
        self.machine.write("etc/gaitway/conf.d/test.toml", 'source = "simulated:repeat,stand=10,walk=20"\ntrusted_key = "/etc/gaitway/key.pem"\n'
                           '[updates]\nprogram = "gaitway"\ninterval = 2\nretry = 5\n')
        self.machine.write("etc/systemd/system/gaitway-update.service.d/test.conf",
                           f"[Service]\nExecStart=\nExecStart=/usr/lib/gaitway/update --watch {WATCH}\nRestartSec=5\n")
        # What does not say that it is ready is waited for.
        self.machine.write("etc/systemd/system/gaitway.service.d/test.conf", "[Service]\nTimeoutStartSec=4\n")
        self.serve()
        self.assertEqual(self.machine.run("dpkg", "--install", "/srv/" + self.package("0.1.0").name).returncode, 0)
        self.machine.run("systemctl", "daemon-reload", check=True)
        self.join()

    def gaitway(self, *arguments):
        return subprocess.run([GAITWAY, *map(str, arguments)], check=True, capture_output=True, text=True).stdout

    def package(self, version, service=None, everything=None):
        """The package of a version: its program is this build's, or a script before it, for the service alone or for everything."""
        tree = self.directory / f"tree-{version}"
        subprocess.run([ROOT / "board/service/place", "", tree], check=True, capture_output=True)
        (tree / "usr/bin").mkdir(parents=True)
        shutil.copy(GAITWAY, tree / "usr/bin/gaitway")
        script = everything or service and f'case "$*" in *--wait*) {service} ;; esac\nexec /usr/bin/gaitway.real "$@"\n'
        if script:
            real = tree / "usr/bin/gaitway.real"
            (tree / "usr/bin/gaitway").rename(real)
            (tree / "usr/bin/gaitway").write_text("#!/bin/sh\n" + script.replace("/usr/bin/gaitway.real", '"$(dirname "$0")/gaitway.real"'))
            (tree / "usr/bin/gaitway").chmod(0o755)
        for file in (self.model, self.model.with_name(self.model.name + ".sig")):
            shutil.copy(file, tree / "usr/share/gaitway" / file.name)
        (tree / "etc/gaitway").mkdir(parents=True)
        shutil.copy(ROOT / "board/service/gaitway.toml", tree / "etc/gaitway/gaitway.toml")
        (tree / "DEBIAN").mkdir()
        control = (ROOT / "board/debian/control").read_text()
        for name, value in {"VERSION": f"{version}+deb12", "ARCH": "amd64", "MAINTAINER": "test <test@localhost>", "SIZE": "30000", "DEPENDS": "adduser"}.items():
            control = control.replace(f"@{name}@", value)
        (tree / "DEBIAN/control").write_text(control)
        (tree / "DEBIAN/conffiles").write_text("/etc/gaitway/gaitway.toml\n")
        for script in ("postinst", "prerm", "postrm"):
            shutil.copy(ROOT / "board/debian" / script, tree / "DEBIAN" / script)
        made = self.packages / f"gaitway_{version}+deb12_amd64.deb"
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "--build", tree, made], check=True, capture_output=True)
        shutil.rmtree(tree)
        shutil.copy(made, self.machine.root / "srv" / made.name)
        return made

    def serve(self):
        """A server of packages in the machine's network."""
        server = subprocess.Popen(["nsenter", "--target", self.machine.first, "--net", "python3", "-m", "http.server", str(PORT), "--bind", "127.0.0.1",
                                   "--directory", self.packages], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)

    def hub(self, *arguments):
        command = ["runuser", "-u", "gaitway-hub", "--", "gaitway-hub", *arguments, "--data", "/var/lib/gaitway-hub/hub.sqlite"]
        return self.machine.run(*command, check=True).stdout

    def join(self):
        self.machine.run("systemd-sysusers", check=True)
        self.machine.run("systemctl", "start", "gaitway-hub", check=True)
        self.until(lambda: "127.0.0.1:8710" in self.machine.run("journalctl", "--unit", "gaitway-hub", "--output=cat").stdout)
        token = self.hub("tokens", "create", "--bootstrap").split()[-1]
        self.machine.run("gaitway", "register", "--hub", "http://127.0.0.1:8710", "--token", token, "--name", "board-1", check=True)
        self.machine.run("systemctl", "restart", "gaitway", check=True)
        self.until(self.decides)

    def roll_out(self, version, **how):
        """Makes a release and has the hub roll it out, as the guide says."""
        for old in self.packages.iterdir():
            old.unlink()
        self.package(version, **how)
        release = self.machine.root / "srv/program.json"
        made = subprocess.run([ROOT / "board/debian/program", version, f"http://127.0.0.1:{PORT}", self.packages], check=True, capture_output=True, text=True)
        release.write_text(made.stdout)
        self.gaitway("model", "sign", release, "--key", self.private, "--model", "gaitway")
        added = self.hub("models", "add", "gaitway", "/srv/program.json").split()
        self.hub("rollouts", "start", "gaitway", added[1], "--percent", "100")

    def decides(self):
        status = self.machine.run("gaitway", "status", "--json")
        return status.returncode == 0 and json.loads(status.stdout).get("windows", 0) > 0

    def state(self):
        return json.loads(self.machine.run("gaitway", "program", "--json", check=True).stdout)

    def installed(self):
        return self.machine.run("dpkg-query", "--show", "--showformat", "${Status} ${Version}", "gaitway").stdout

    def log(self):
        return self.machine.run("journalctl", "--no-pager", "--output=cat", "--unit", "gaitway-update", "--unit", "gaitway").stdout[-3000:]

    def await_state(self, what, seconds=90):
        try:
            self.until(lambda: what(self.state()), seconds)
        except AssertionError:
            self.fail(f"it did not come to that: {self.state()} {self.installed()}\n{self.log()}")

    def assertRuns(self, version):
        self.assertEqual(self.installed(), f"install ok installed {version}+deb12")
        self.until(self.decides)

    def board(self):
        """What the hub knows of releases on the board: state by version."""
        database = self.machine.root / "var/lib/gaitway-hub/hub.sqlite"
        with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
            return dict(connection.execute("SELECT version, state FROM outcomes"))

    def test_good_ones_stay_and_bad_ones_are_taken_back(self):
        self.roll_out("0.2.0")
        self.await_state(lambda state: state.get("current") == "0.2.0")
        self.assertRuns("0.2.0")
        # What its owner changed stays so, through all of it.
        self.machine.write("etc/gaitway/gaitway.toml", "agreement = 3\n")
        bad = {"0.3.0": "exit 1", "0.4.0": "exec sleep 1000"}
        for version, service in bad.items():
            self.roll_out(version, service=service)
            self.await_state(lambda state: any(refused["version"] == version and refused["was_running"] for refused in state["refused"]))
            self.assertRuns("0.2.0")
        # What can be seen before it is installed is not installed.
        one_class = """"$(dirname "$0")/gaitway.real" "$@" | sed 's/"activity":"[A-Z_]*"/"activity":"SITTING"/'\n"""
        self.roll_out("0.5.0", everything=one_class)
        self.await_state(lambda state: state["refused"] and state["refused"][0]["version"] == "0.5.0")
        self.assertIn("SITTING", self.state()["refused"][0]["reason"])
        self.assertFalse(self.state()["refused"][0]["was_running"])
        self.assertRuns("0.2.0")
        # The hub knows, and the next good one comes all the same.
        self.until(lambda: self.board() == {2000: "committed", 3000: "rolled_back", 4000: "rolled_back", 5000: "refused"})
        self.roll_out("0.6.0")
        self.await_state(lambda state: state.get("current") == "0.6.0")
        self.assertRuns("0.6.0")
        self.assertEqual((self.machine.root / "etc/gaitway/gaitway.toml").read_text(), "agreement = 3\n")
        self.assertEqual(sorted(os.listdir(self.machine.root / "var/lib/gaitway-program")), ["lock", "state.json"])

    def test_an_interrupted_installation_and_a_purge(self):
        self.roll_out("0.2.0")
        # Killed while packages are installed, with all that it started, as a power cut would: the one before is whole, or the new one.
        self.await_state(lambda state: state.get("stage") == "installed")
        self.machine.run("systemctl", "kill", "--signal=KILL", "gaitway-update", check=True)
        self.await_state(lambda state: state.get("pending") is None)
        self.assertRuns("0.2.0" if self.state().get("current") else "0.1.0")
        # And while the new one is watched: it is watched again.
        self.roll_out("0.3.0")
        self.machine.run("systemctl", "restart", "gaitway", check=True)
        self.await_state(lambda state: state.get("pending") == "0.3.0" and "0.3.0" in self.installed())
        self.machine.run("systemctl", "kill", "--signal=KILL", "gaitway-update", check=True)
        self.await_state(lambda state: state.get("current") == "0.3.0" and state.get("pending") is None)
        self.assertRuns("0.3.0")
        # Removed, nothing of it stays.
        purged = self.machine.run("dpkg", "--purge", "gaitway")
        self.assertEqual(purged.returncode, 0, purged.stderr)
        for left in ("var/lib/gaitway-program", "var/lib/gaitway", "usr/lib/systemd/system/gaitway-update.path"):
            self.assertFalse((self.machine.root / left).exists(), left)
        links = os.listdir(self.machine.root / "etc/systemd/system/multi-user.target.wants")
        self.assertEqual([link for link in links if link.startswith("gaitway") and "hub" not in link], [])


if __name__ == "__main__":
    unittest.main()
