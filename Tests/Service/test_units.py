"""gaitway.service and gaitway-hub.service under a systemd that runs."""
import json
import unittest

from machine import Machine, missing
from support import TestCase

DROP_IN = "etc/systemd/system/gaitway.service.d/test.conf"


@unittest.skipIf(missing(), f"no machine with systemd: {missing()}")
class Units(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.machine = Machine()
        cls.addClassCleanup(cls.machine.close)
        cls.machine.write("etc/gaitway/conf.d/test.toml", 'source = "simulated"\n')

    def setUp(self):
        super().setUp()
        self.addCleanup(self.machine.run, "systemctl", "stop", "gaitway")

    def start(self, settings=""):
        self.machine.write(DROP_IN, f"[Service]\n{settings}\n")
        self.machine.run("systemctl", "daemon-reload", check=True)
        self.machine.run("systemctl", "reset-failed", "gaitway")
        return self.machine.run("systemctl", "start", "gaitway")

    def log(self, unit="gaitway"):
        return self.machine.run("journalctl", "--no-pager", "--output=cat", "--unit", unit).stdout

    def hub(self, *arguments):
        command = ["runuser", "-u", "gaitway-hub", "--", "gaitway-hub", *arguments, "--data", "/var/lib/gaitway-hub/hub.sqlite"]
        return self.machine.run(*command, check=True).stdout

    def main(self):
        return self.machine.show("gaitway", "MainPID")

    def test_it_runs_in_its_sandbox(self):
        started = self.start()
        self.assertEqual(started.returncode, 0, started.stderr + self.log())
        process = self.main()
        status = dict(line.split(":", 1) for line in self.machine.run("cat", f"/proc/{process}/status").stdout.splitlines())
        self.assertNotEqual(status["Uid"].split()[0], "0")
        self.assertEqual((int(status["CapEff"], 16), status["NoNewPrivs"].strip(), status["Seccomp"].strip()), (0, "1", "2"))
        users = self.machine.run("cat", f"/proc/{process}/uid_map").stdout.split()
        self.assertNotIn("4294967295", users, "other users are no users to it")
        self.until(lambda: '"activity"' in self.log())
        nice = self.machine.run("sh", "-c", f"for t in /proc/{process}/task/*; do sed 's/.*) //' $t/stat | cut -d' ' -f17; done").stdout.split()
        self.assertEqual(nice[0], "-5", "the loop's")
        self.assertGreater(min(map(int, nice[1:])), -5, "all other threads come after it")
        self.assertIn("10", nice, "what waits for disk and network")
        # What heartbeats tell of the board is read below /proc.
        found = self.machine.run("nsenter", "--target", process, "--mount", "cat", "/proc/sys/kernel/osrelease", "/proc/meminfo", "/proc/interrupts")
        self.assertEqual(found.returncode, 0, found.stderr)
        told = self.machine.run("gaitway", "status", "--json")
        self.assertEqual(told.returncode, 0, told.stderr)

    def test_the_group_of_the_sensors_is_its_own_and_no_other(self):
        for name, group in (("of-iio", "iio"), ("of-others", "adm")):
            self.machine.write(f"srv/{name}", "")
            self.machine.run("chown", f"root:{group}", f"/srv/{name}", check=True)
            self.machine.run("chmod", "0660", f"/srv/{name}", check=True)
        started = self.start("ReadWritePaths=/srv\nExecStartPre=/usr/bin/sh -c 'echo 1 > /srv/of-iio'\nExecStartPre=/usr/bin/sh -c '! cat /srv/of-others'")
        self.assertEqual(started.returncode, 0, started.stderr + self.log())
        self.assertEqual((self.machine.root / "srv/of-iio").read_text(), "1\n")

    def test_a_loop_that_hangs_is_started_again(self):
        self.assertEqual(self.start("WatchdogSec=2").returncode, 0, self.log())
        before = self.main()
        self.machine.run("systemctl", "kill", "--signal=STOP", "gaitway", check=True)
        self.until(lambda: self.main() not in ("0", before), seconds=30)
        self.until(lambda: self.machine.show("gaitway", "ActiveState") == "active")
        self.assertEqual(self.machine.show("gaitway", "NRestarts"), "1")

    def test_one_that_was_killed_is_started_again(self):
        self.assertEqual(self.start().returncode, 0, self.log())
        before = self.main()
        self.machine.run("systemctl", "kill", "--signal=KILL", "gaitway", check=True)
        self.until(lambda: self.main() not in ("0", before), seconds=10)

    def test_a_wrong_setting_is_final(self):
        self.assertNotEqual(self.start("Environment=GAITWAY_AGREEMENT=many").returncode, 0)
        self.assertEqual(self.machine.show("gaitway", "ExecMainStatus"), "78")
        self.assertEqual((self.machine.show("gaitway", "ActiveState"), self.machine.show("gaitway", "NRestarts")), ("failed", "0"))
        self.assertIn("GAITWAY_AGREEMENT", self.log())

    def test_reload_reads_the_settings_again(self):
        self.assertEqual(self.start().returncode, 0, self.log())
        before = self.main()
        self.machine.write("etc/gaitway/conf.d/later.toml", "agreement = 3\n")
        self.addCleanup((self.machine.root / "etc/gaitway/conf.d/later.toml").unlink)
        self.assertEqual(self.machine.run("systemctl", "reload", "gaitway").returncode, 0, self.log())
        self.until(lambda: "read again" in self.log())
        self.assertEqual(self.main(), before)

    def test_a_board_and_its_hub_with_a_key_that_systemd_keeps(self):
        self.machine.write("etc/default/gaitway-hub", 'HUB_OPTIONS="--require-keys"\n')
        self.addCleanup(self.machine.run, "systemctl", "stop", "gaitway-hub")
        self.addCleanup(self.machine.run, "gaitway", "unregister", "--forget")
        self.assertEqual(self.machine.run("systemctl", "start", "gaitway-hub").returncode, 0, self.log("gaitway-hub"))
        self.until(lambda: "127.0.0.1:8710" in self.log("gaitway-hub"))
        token = self.hub("tokens", "create", "--bootstrap").split()[-1]
        self.machine.run("gaitway", "register", "--hub", "http://127.0.0.1:8710", "--token", token, "--name", "board-1", check=True)
        # As the guide has it.
        self.machine.run("systemd-creds", "encrypt", "--name=board-key", "/var/lib/gaitway/board-key.pem", "/etc/gaitway/board-key.cred", check=True)
        (self.machine.root / "var/lib/gaitway/board-key.pem").unlink()
        # Its token has ended: the hub gives another one for the key's proof alone.
        tokens = next((self.machine.root / "var/lib/gaitway/ai.edgeml").iterdir())
        tokens.write_text(json.dumps({**json.loads(tokens.read_text()), "expires_at": "2020-01-01T00:00:00.000Z"}))
        self.assertEqual(self.start("LoadCredentialEncrypted=board-key:/etc/gaitway/board-key.cred").returncode, 0, self.log())
        self.until(lambda: "online" in self.hub("devices", "list"))
        self.assertNotIn("last_error", self.machine.run("gaitway", "status", "--json").stdout)


if __name__ == "__main__":
    unittest.main()
