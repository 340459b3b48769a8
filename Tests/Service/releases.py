"""What a board does with releases of gaitway that its hub rolls out, on any machine with systemd and dpkg."""
import json
import shutil
import sqlite3
import subprocess

from support import GAITWAY, ROOT


class Releases:
    """Tests; a subclass is also a TestCase and says where they run:

    machine      with run, write, read and exists
    packages     the folder of the packages that `server` serves to the machine
    package      makes a version's package there
    hub, data    runs a command of the hub; its database, as this machine sees it
    at_hub       brings a file and its signature to where the hub reads it
    """
    source = "simulated:repeat,stand=10,walk=20"
    # Seconds: a new version is watched for so long in these tests, a minute otherwise;
    watch = 8
    # a service may take so long to be ready;
    start = 4
    # and each step of a test.
    patience = 90

    def prepare(self):
        """Keys, a signed model and the machine's settings."""
        self.private, public = self.directory / "private.pem", self.directory / "public.pem"
        subprocess.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", self.private], check=True, capture_output=True)
        subprocess.run(["openssl", "ec", "-in", self.private, "-pubout", "-out", public], check=True, capture_output=True)
        self.machine.write("etc/gaitway/key.pem", public.read_text())
        self.model = self.directory / "activity.safetensors"
        shutil.copy(ROOT / "board/models/activity.safetensors", self.model)
        self.gaitway("model", "sign", self.model, "--key", self.private)
        self.machine.write("etc/gaitway/conf.d/test.toml", f'source = "{self.source}"\ntrusted_key = "/etc/gaitway/key.pem"\n'
                           '[updates]\nprogram = "gaitway"\ninterval = 2\nretry = 5\n')
        self.machine.write("etc/systemd/system/gaitway-update.service.d/test.conf",
                           f"[Service]\nExecStart=\nExecStart=/usr/lib/gaitway/update --watch {self.watch}\nRestartSec=5\n")
        # What does not say that it is ready is waited for.
        self.machine.write("etc/systemd/system/gaitway.service.d/test.conf", f"[Service]\nTimeoutStartSec={self.start}\n")

    def gaitway(self, *arguments):
        return subprocess.run([GAITWAY, *map(str, arguments)], check=True, capture_output=True, text=True).stdout

    @staticmethod
    def wrapped(program, service=None, everything=None):
        """Puts a script before a program, for the service alone or for everything."""
        script = everything or service and f'case "$*" in *--wait*) {service} ;; esac\nexec "$(dirname "$0")/gaitway.real" "$@"\n'
        if script:
            program.rename(program.with_name("gaitway.real"))
            program.write_text("#!/bin/sh\n" + script)
            program.chmod(0o755)

    def roll_out(self, version, **how):
        """Makes a release and has the hub roll it out, as the guide says."""
        for old in self.packages.iterdir():
            old.unlink()
        self.package(version, **how)
        release = self.directory / "program.json"
        made = subprocess.run([ROOT / "board/debian/program", version, self.server, self.packages], check=True, capture_output=True, text=True)
        release.write_text(made.stdout)
        self.gaitway("model", "sign", release, "--key", self.private, "--model", "gaitway")
        added = self.hub("models", "add", "gaitway", self.at_hub(release)).split()
        self.hub("rollouts", "start", "gaitway", added[1], "--percent", "100")

    def decides(self):
        status = self.machine.run("gaitway", "status", "--json")
        return status.returncode == 0 and json.loads(status.stdout).get("windows", 0) > 0

    def program(self):
        """What the installer says; nothing while the program is being replaced."""
        answer = self.machine.run("gaitway", "program", "--json")
        return json.loads(answer.stdout) if answer.returncode == 0 else {"refused": [], "pending": "not known"}

    def installed(self, package="gaitway"):
        return self.machine.run("dpkg-query", "--show", "--showformat", "${Status} ${Version}", package).stdout

    def log(self):
        return self.machine.run("journalctl", "--no-pager", "--output=cat", "--unit", "gaitway-update", "--unit", "gaitway").stdout[-3000:]

    def await_state(self, what):
        try:
            self.until(lambda: what(self.program()), self.patience)
        except AssertionError:
            self.fail(f"it did not come to that: {self.program()} {self.installed()}\n{self.log()}")

    def assertRuns(self, version):
        self.assertEqual(self.installed(), f"install ok installed {version}+deb12")
        self.until(self.decides, self.patience)

    def outcomes(self):
        """What the hub knows of releases on the board: state by version."""
        with sqlite3.connect(f"file:{self.data}?mode=ro", uri=True) as connection:
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
        self.assertIn("SITTING", self.program()["refused"][0]["reason"])
        self.assertFalse(self.program()["refused"][0]["was_running"])
        self.assertRuns("0.2.0")
        # The hub knows, and the next good one comes all the same.
        self.until(lambda: self.outcomes() == {2000: "committed", 3000: "rolled_back", 4000: "rolled_back", 5000: "refused"}, self.patience)
        self.roll_out("0.6.0")
        self.await_state(lambda state: state.get("current") == "0.6.0")
        self.assertRuns("0.6.0")
        self.assertEqual(self.machine.read("etc/gaitway/gaitway.toml"), "agreement = 3\n")
        self.assertEqual(self.machine.run("ls", "/var/lib/gaitway-program").stdout.split(), ["lock", "state.json"])

    def test_an_interrupted_installation_and_a_purge(self):
        self.roll_out("0.2.0")
        # Killed while packages are installed, with all that it started, as a power cut would: the one before is whole, or the new one.
        self.await_state(lambda state: state.get("stage") == "installed")
        self.machine.run("systemctl", "kill", "--signal=KILL", "gaitway-update", check=True)
        self.await_state(lambda state: state.get("pending") is None)
        self.assertRuns("0.2.0" if self.program().get("current") else "0.1.0")
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
            self.assertFalse(self.machine.exists(left), left)
        links = self.machine.run("ls", "/etc/systemd/system/multi-user.target.wants").stdout.split()
        self.assertEqual([link for link in links if link.startswith("gaitway") and "hub" not in link], [])
