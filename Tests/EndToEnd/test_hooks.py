"""Programs of the user's that run for events: what they are told, one at a time, and what becomes of those that hang or are wrong."""
import os
import pathlib
import signal
import subprocess
import time
import unittest

from support import GAITWAY, TestCase, gaitway


class Hooks(TestCase):
    def setUp(self):
        super().setUp()
        self.environment = {**os.environ, "STATE_DIRECTORY": str(self.directory / "state")}
        self.told = self.directory / "told"

    def hook(self, name, script):
        path = self.directory / name
        path.write_text("#!/bin/sh\n" + script)
        path.chmod(0o755)
        self.environment[f"GAITWAY_HOOKS_{name.upper()}"] = str(path)
        return path

    def start(self, *command):
        process = subprocess.Popen([GAITWAY, *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=self.environment)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        return process

    def lines(self):
        return self.told.read_text().splitlines() if self.told.exists() else []

    def test_changes_and_falls_with_what_happened(self):
        self.hook("on_change", f'echo "$GAITWAY_EVENT $GAITWAY_PREVIOUS $GAITWAY_ACTIVITY $GAITWAY_CONFIDENCE $GAITWAY_AT" >> {self.told}\n')
        self.hook("on_fall", f'echo "$GAITWAY_EVENT $GAITWAY_FALL $GAITWAY_AT" >> {self.told}\n')
        # Before there is a program to follow, and over its restart.
        hooks = self.start("hooks")
        first = self.start("run", "--source", "simulated:stand=6,walk=100")
        self.until(lambda: any(" WALKING 0." in line for line in self.lines()))
        # What one was told as the new activity is the next one's previous.
        changes = [line.split() for line in self.lines()]
        self.assertEqual([change[1] for change in changes], ["unknown"] + [change[2] for change in changes[:-1]])
        first.kill()
        self.start("run", "--source", "simulated:walk=8,fall=60")
        self.until(lambda: [line.split()[1] for line in self.lines() if line.startswith("fall")][:2] == ["impact", "fallen"])
        at = float(self.lines()[-1].split()[-1])
        self.assertLess(abs(at - time.time()), 60)
        hooks.send_signal(signal.SIGTERM)
        self.assertEqual(hooks.wait(10), 0)

    def test_one_that_hangs_is_ended_with_all_that_it_started(self):
        self.hook("on_change", f'echo "$GAITWAY_ACTIVITY" >> {self.told}\nsleep 3600 &\necho $! > {self.directory}/child\nwait\n')
        self.environment["GAITWAY_HOOKS_TIMEOUT"] = "1"
        hooks = self.start("hooks")
        board = self.start("run", "--source", "simulated:stand=6,walk=6,stand=6,walk=100")
        next(line for line in hooks.stderr if "ended after 1 s" in line)
        child = int((self.directory / "child").read_text())
        self.until(lambda: not pathlib.Path(f"/proc/{child}").exists() or " Z " in pathlib.Path(f"/proc/{child}/stat").read_text())
        self.until(lambda: len(self.lines()) >= 2)
        self.assertIsNone(board.poll())
        # The user's wish to end ends a hook, too.
        hooks.send_signal(signal.SIGTERM)
        self.assertEqual(hooks.wait(10), 0)

    def test_one_that_fails_is_named_and_the_next_one_runs(self):
        self.hook("on_change", f"echo x >> {self.told}\nexit 3\n")
        hooks = self.start("hooks")
        self.start("run", "--source", "simulated:stand=6,walk=6,stand=100")
        next(line for line in hooks.stderr if "on_change: exited(3)" in line)
        self.until(lambda: len(self.lines()) >= 2)

    def test_what_cannot_be_a_hook(self):
        def run(**settings):
            return gaitway("hooks", env={**self.environment, **{f"GAITWAY_HOOKS_{key.upper()}": str(value) for key, value in settings.items()}})
        self.assertRefused(run(), 78, "there is no hook")
        self.assertRefused(run(on_change="relative"), 78, "is no program")
        self.assertRefused(run(on_change=self.directory), 78, "is no program")
        path = self.hook("on_fall", "")
        path.chmod(0o644)
        self.assertRefused(run(), 78, "may not be run")
        for mode in (0o777, 0o775):
            path.chmod(mode)
            self.assertRefused(run(), 78, "others may change")
        path.chmod(0o755)
        self.directory.chmod(0o777)
        self.assertRefused(run(), 78, "others may change")

    def test_one_that_others_changed_meanwhile_is_not_run(self):
        path = self.hook("on_change", f"echo first >> {self.told}\n")
        hooks = self.start("hooks")
        self.start("run", "--source", "simulated:stand=6,walk=6,stand=6,walk=60")
        self.until(lambda: self.lines())
        path.write_text(f"#!/bin/sh\necho second >> {self.told}\n")
        path.chmod(0o777)
        next(line for line in hooks.stderr if "others may change" in line)
        self.assertNotIn("second", self.lines())

    def test_what_it_leaves_running_ends_with_it(self):
        self.hook("on_change", f"sleep 3600 &\necho $! >> {self.told}\n")
        self.start("hooks")
        self.start("run", "--source", "simulated:stand=100")
        child = int(self.until(lambda: self.lines())[0])
        self.until(lambda: not pathlib.Path(f"/proc/{child}").exists() or " Z " in pathlib.Path(f"/proc/{child}/stat").read_text())


if __name__ == "__main__":
    unittest.main()
