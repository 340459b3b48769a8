"""What the end-to-end tests share: the program, the checkout, the recordings."""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import unittest

# Programs that run at the same time with one state are one board's: these are nobody else's.
STATE = tempfile.TemporaryDirectory(prefix="gaitway-state-")
os.environ.setdefault("STATE_DIRECTORY", STATE.name)

ROOT = pathlib.Path(__file__).resolve().parents[2]
GAITWAY = os.environ.get("GAITWAY", str(ROOT / ".build/release/gaitway"))
MODEL = ROOT / "board/models/activity.safetensors"
WAIST = ROOT / "board/models/waist.safetensors"
DATA = pathlib.Path(os.environ.get("GAITWAY_DATA", ROOT.parent / "shared/data"))

needs_recordings = unittest.skipUnless((DATA / "hapt").is_dir(), f"no recordings in {DATA} (set GAITWAY_DATA)")


def needs(*programs):
    missing = [p for p in programs if not shutil.which(p)]
    return unittest.skipIf(missing, f"not installed: {', '.join(missing)}")


def tool(name):
    """Where one of Prometheus's programs is: board/test unpacks Debian's, since its package starts a server that listens everywhere."""
    return shutil.which(name) or shutil.which(name, path=str(ROOT / ".build-prometheus/usr/bin"))


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def swift_test(name):
    """The command that runs a Swift test of those that board/test has built."""
    return ["swift", "test", "-c", "release", "--skip-build", "--scratch-path", ".build-test", "--filter", name]


def gaitway(*arguments, **options):
    """Runs the program; the result has returncode, stdout and stderr as text."""
    return subprocess.run([GAITWAY, *map(str, arguments)], capture_output=True, text=True, timeout=options.pop("timeout", 120), **options)


def lines(result):
    """The JSON lines of a successful run."""
    assert result.returncode == 0, f"exit code {result.returncode}: {result.stderr}"
    return [json.loads(line) for line in result.stdout.splitlines()]


class TestCase(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="gaitway-")
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)

    def until(self, condition, seconds=60):
        """What the condition gives, once it gives something true."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if found := condition():
                return found
            time.sleep(0.1)
        self.fail("it did not come to that in time")

    def assertRefused(self, result, code, *words):
        """The documented exit code, an explanation on standard error, nothing on standard output."""
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(result.stdout, "")
        for word in words:
            self.assertIn(word, result.stderr)
