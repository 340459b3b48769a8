"""gaitway demo: all of it without a sensor, and nothing left of it afterwards."""
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import threading
import unittest
import urllib.request

from support import GAITWAY, TestCase, free_port, gaitway
from test_home import BROKER


def gaitway_at(program, environment):
    return subprocess.run([program, "demo", "--port", "0"], capture_output=True, text=True, timeout=60, env=environment)


class Demo(TestCase):
    def setUp(self):
        super().setUp()
        self.temporary = self.directory / "tmp"
        self.temporary.mkdir()
        # Settings of a board: none of them is the demonstration's.
        self.environment = {
            **os.environ, "TMPDIR": str(self.temporary), "STATE_DIRECTORY": str(self.directory / "state"),
            "GAITWAY_SOURCE": "recording:/none", "GAITWAY_UPLOAD_ENABLED": "true", "GAITWAY_UPLOAD_BUCKET": "none"}

    def start(self, *options, program=GAITWAY, **settings):
        process = subprocess.Popen(
            [program, "demo", "--port", "0", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**self.environment, **settings}, start_new_session=True)
        self.addCleanup(lambda: (process.poll() is None and os.killpg(process.pid, signal.SIGKILL), process.communicate()))
        self.said, self.printed = [], []
        for pipe, lines in ((process.stderr, self.said), (process.stdout, self.printed)):
            threading.Thread(target=lambda pipe, lines: [lines.append(line.rstrip()) for line in pipe], args=(pipe, lines), daemon=True).start()
        return process

    def found(self, pattern):
        return next((match for match in (re.search(pattern, line) for line in list(self.said)) if match), None)

    def inside(self):
        """The variables that commands in another terminal need."""
        match = self.until(lambda: self.found(r"export STATE_DIRECTORY=(\S+) GAITWAY_CONFIG=(\S+)"))
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GAITWAY_")}
        return {**kept, "STATE_DIRECTORY": match[1], "GAITWAY_CONFIG": match[2]}

    def assertGone(self, process, group):
        self.assertEqual(process.wait(20), 0, self.said)
        self.assertEqual(list(self.temporary.iterdir()), [])
        self.assertFalse((self.directory / "state").exists())
        with self.assertRaises(ProcessLookupError):
            os.killpg(group, 0)

    def test_a_day_the_present_and_the_page(self):
        process = self.start()
        page = self.until(lambda: self.found(r"The page: (http://127.0.0.1:\d+)/#token=(\S+)"))
        environment = self.inside()
        directory = pathlib.Path(environment["STATE_DIRECTORY"]).parent
        self.assertEqual(directory.stat().st_mode & 0o777, 0o700)

        def ask(path):
            request = urllib.request.Request(f"{page[1]}/api/{path}", headers={"Authorization": f"Bearer {page[2]}"})
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)

        # Ten hours may reach into the day before.
        days = [ask(f"day/{day}") for day in ("yesterday", "today")]
        self.assertGreater(sum(day["steps"] for day in days), 5000)
        falls = [fall["state"] for day in days for fall in day["falls"]]
        self.assertEqual(falls, ["recovered"])
        self.assertGreater(sum(day["seconds"].get("LAYING", 0) for day in days), 3000)
        self.until(lambda: any("STANDING" in line for line in self.printed))
        self.assertIn("STANDING", gaitway("status", env=environment).stdout)
        self.assertIn("steps", gaitway("today", env=environment).stdout + gaitway("today", "yesterday", env=environment).stdout)
        self.assertEqual(ask("status")["source"], "a simulated wearer")
        os.killpg(process.pid, signal.SIGINT)
        self.assertGone(process, process.pid)
        self.assertFalse([line for line in self.said if "not shown" in line or "error" in line], self.said)

    def test_ended_by_its_own_signal(self):
        """SIGTERM to it alone, and what a terminal that is closed sends to all of it."""
        for end in (lambda process: process.terminate(), lambda process: os.killpg(process.pid, signal.SIGHUP)):
            process = self.start()
            self.inside()
            self.until(lambda: self.printed)
            end(process)
            self.assertGone(process, process.pid)

    def test_a_directory_that_cannot_hold_a_socket(self):
        long = self.directory / ("a" * 100)
        long.mkdir()
        refused = gaitway_at(GAITWAY, {**self.environment, "TMPDIR": str(long)})
        self.assertRefused(refused, 78, "too long for a socket")
        self.assertEqual(list(long.iterdir()), [])

    def test_a_page_that_cannot_be(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            process = self.start("--port", str(taken.getsockname()[1]))
            self.until(lambda: self.found("The page is not shown: .*port"))
            self.until(lambda: any("STANDING" in line for line in self.printed))
            process.terminate()
            self.assertGone(process, process.pid)

    def test_the_program_alone(self):
        alone = self.directory / "bin" / "gaitway"
        alone.parent.mkdir()
        shutil.copy(GAITWAY, alone)
        # It has its model in it.
        process = self.start(program=alone, PATH="/nowhere")
        self.until(lambda: self.found("The page is not shown: .*apt install gaitway-dashboard"))
        self.until(lambda: any("STANDING" in line for line in self.printed))
        process.terminate()
        self.assertGone(process, process.pid)

    @unittest.skipUnless(BROKER and shutil.which("mosquitto_sub"), "not installed: mosquitto mosquitto-clients")
    def test_a_device_at_the_broker_that_goes_with_it(self):
        port = free_port()
        settings = self.directory / "mosquitto.conf"
        settings.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\n")
        broker = subprocess.Popen([BROKER, "-c", settings], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(lambda: (broker.kill(), broker.wait()))

        def retained():
            listed = subprocess.run(
                ["mosquitto_sub", "-h", "127.0.0.1", "-p", str(port), "-t", "#", "--retained-only", "-W", "1", "-F", "%t"],
                capture_output=True, text=True)
            return set(listed.stdout.split())

        self.until(lambda: subprocess.run(["mosquitto_pub", "-h", "127.0.0.1", "-p", str(port), "-t", "x", "-m", "x"], capture_output=True).returncode == 0)
        process = self.start(GAITWAY_MQTT_HOST="127.0.0.1", GAITWAY_MQTT_PORT=str(port), GAITWAY_MQTT_NAME="the-real-one")
        self.until(lambda: self.found("At the broker 127.0.0.1: the device gaitway-demo"))
        self.until(lambda: "homeassistant/device/gaitway_gaitway-demo/config" in retained())
        self.assertTrue(all("gaitway-demo" in topic for topic in retained()))
        self.until(lambda: any("STANDING" in line for line in self.printed))
        os.killpg(process.pid, signal.SIGINT)
        self.assertGone(process, process.pid)
        self.assertEqual(retained(), set())
        # Where what recognises is killed it ends with a fault, and the device goes all the same.
        process = self.start(GAITWAY_MQTT_HOST="127.0.0.1", GAITWAY_MQTT_PORT=str(port))
        self.until(lambda: "homeassistant/device/gaitway_gaitway-demo/config" in retained())
        subprocess.run(["pkill", "-KILL", "-P", str(process.pid), "-f", "run --changes"], check=True)
        self.assertEqual(process.wait(20), 1)
        self.assertEqual((retained(), list(self.temporary.iterdir())), (set(), []))


if __name__ == "__main__":
    unittest.main()
