"""Falls, steps and the day, as somebody who wears the sensor meets them."""
import json
import os
import socket
import subprocess
import time
import zlib

from hub import Hub
from support import GAITWAY, TestCase, gaitway, lines


class Day(TestCase):
    def setUp(self):
        super().setUp()
        self.environment = {**os.environ, "STATE_DIRECTORY": str(self.directory / "state"), "GAITWAY_HISTORY_DIRECTORY": str(self.directory / "history")}

    def play(self, script, **settings):
        result = gaitway("run", "--source", f"simulated:{script}", "--speed", "max", "--json", env={**self.environment, **settings})
        self.assertEqual(result.returncode, 0, result.stderr)
        return lines(result)

    def today(self, *arguments):
        result = gaitway("today", *arguments, env=self.environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def test_a_fall_becomes_an_alarm(self):
        printed = self.play("stand=6,walk=20,fall=60,walk=15")
        told = [line["fall"] for line in printed if "fall" in line]
        self.assertEqual(told, ["impact", "fallen", "alarm", "recovered"])
        day = json.loads(self.today("--json"))
        self.assertEqual([(fall["state"], fall["alarm"]) for fall in day["falls"]], [("recovered", True)])
        self.assertIn("alarm, recovered", self.today())
        kept = json.loads((self.directory / "history" / "fall.json").read_text())
        self.assertEqual(kept["state"], "recovered")

    def test_getting_up_in_time_is_no_alarm(self):
        told = [line["fall"] for line in self.play("stand=6,walk=20,fall=15,walk=25") if "fall" in line]
        self.assertEqual(told, ["impact", "fallen", "recovered"])
        self.assertEqual([line for line in self.play("stand=10,walk=60,sit=20,lie=30,walk=10,upstairs=20,downstairs=20") if "fall" in line], [])

    def test_settings_of_falls(self):
        script = "stand=6,walk=20,fall=60,walk=15"
        self.assertEqual([line for line in self.play(script, GAITWAY_FALLS_ENABLED="false") if "fall" in line], [])
        told = [line["fall"] for line in self.play(script, GAITWAY_FALLS_CONFIRM_SECONDS="50", GAITWAY_FALLS_CANCEL_SECONDS="0") if "fall" in line]
        self.assertEqual(told, ["impact", "fallen", "alarm", "recovered"])
        model = self.directory / "falls"
        for bytes_, word in ((b"", "header"), (b"x" * 100, "model"), ((8).to_bytes(8, "little") + b'{"a":1} ', "header")):
            model.write_bytes(bytes_)
            result = gaitway("run", "--source", "simulated:stand=3", "--speed", "max", env={**self.environment, "GAITWAY_FALLS_MODEL": str(model)})
            self.assertRefused(result, 65, word)

    def test_an_alarm_is_cancelled_and_survives_a_restart(self):
        environment = {**self.environment, "GAITWAY_FALLS_CONFIRM_SECONDS": "4", "GAITWAY_FALLS_CANCEL_SECONDS": "300"}
        self.assertRefused(gaitway("cancel-alarm", env=environment), 66, "no gaitway")

        def run(script):
            process = subprocess.Popen([GAITWAY, "run", "--source", f"simulated:{script}", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
            self.addCleanup(lambda: (process.kill(), process.communicate()))
            return process

        def wait_for(process, state):
            for line in process.stdout:
                if json.loads(line).get("fall") == state:
                    return
            self.fail(f"{state} never came: {process.stderr.read()}")

        first = run("stand=4,fall=60")
        wait_for(first, "fallen")
        first.kill()
        first.wait()
        # The wearer lies there still: what was confirmed before is known, and can be cancelled.
        second = run("lie=60")
        second.stdout.readline()
        status = json.loads(gaitway("status", "--json", env=environment).stdout)
        self.assertEqual(status["fall"], "fallen")
        self.assertIn("fallen", gaitway("status", env=environment).stdout)
        self.assertEqual(gaitway("cancel-alarm", env=environment).returncode, 0)
        wait_for(second, "cancelled")
        self.assertRefused(gaitway("cancel-alarm", env=environment), 66, "no fall")

    def test_the_stream_tells_of_falls_and_steps(self):
        process = subprocess.Popen([GAITWAY, "run", "--source", "simulated:walk=14,fall=30"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        process.stdout.readline()
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(30)
        connection.connect(str(self.directory / "state" / "control.sock"))
        self.addCleanup(connection.close)
        connection.sendall(b'{"command":"subscribe","events":["falls","steps"]}\n')
        steps, last = 0, None
        for line in connection.makefile():
            event = json.loads(line)
            if event["event"] == "steps":
                steps, last = steps + event["steps"], event["today"]
            if event["event"] == "fall":
                self.assertEqual(event["state"], "impact")
                break
        self.assertEqual(steps, last)
        self.assertTrue(10 <= steps <= 30, steps)

    def test_a_fall_reaches_the_hub_at_once(self):
        hub = Hub(self.directory)
        self.addCleanup(hub.close)
        registered = gaitway("register", "--hub", hub.address, "--token", hub.bootstrap(), "--name", "wearer", env=self.environment)
        self.assertEqual(registered.returncode, 0, registered.stderr)
        process = subprocess.Popen([GAITWAY, "run", "--source", "simulated:walk=6,fall=90"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                   env={**self.environment, "GAITWAY_FALLS_CONFIRM_SECONDS": "3", "GAITWAY_FALLS_CANCEL_SECONDS": "2"})
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        deadline, states, beaten = time.monotonic() + 60, [], None
        while time.monotonic() < deadline and not (beaten == "alarm" and "alarm" in states):
            device = hub.call("GET", "/devices")[1]["devices"][0]
            beaten = (device.get("heartbeat") or {}).get("metadata", {}).get("fall")
            states = [event["attributes"]["state"] for event in hub.call("GET", f"/devices/{device['id']}/events?name=fall")[1]["events"]]
            time.sleep(0.5)
        self.assertEqual((beaten, set(states)), ("alarm", {"impact", "fallen", "alarm"}))

    def test_the_day_adds_up(self):
        self.play("stand=60,walk=120,sit=300,walk=60,lie=60")
        day = json.loads(self.today("--json"))
        self.assertTrue(310 <= day["steps"] <= 355, day["steps"])
        self.assertEqual(sum(day["steps_by_hour"]), day["steps"])
        for label, seconds in (("WALKING", 180), ("SITTING", 300), ("STANDING", 60), ("LAYING", 60)):
            # Of each change the program knows after a few seconds.
            self.assertAlmostEqual(day["seconds"][label], seconds, delta=15, msg=label)
        self.assertEqual(len(day["bouts"]), 2)
        self.assertAlmostEqual(day["longest_sitting_seconds"], 300, delta=15)
        # A restart adds to it.
        self.play("walk=60")
        self.assertGreater(json.loads(self.today("--json"))["steps"], day["steps"] + 80)
        page = self.directory / "day.html"
        self.today("--html", page)
        self.assertIn("<svg", page.read_text())
        rows = [row.split(",") for row in self.today("--csv").splitlines()]
        self.assertTrue({"stretch", "minute", "bout"} <= {row[1] for row in rows})
        self.assertEqual(self.today("1999-01-01").strip(), "1999-01-01  nothing is kept of this day")
        self.assertRefused(gaitway("today", "nonsense", env=self.environment), 64, "is no day")

    def test_a_day_of_25_hours_is_drawn_by_the_clock(self):
        """What was at noon is drawn at noon on the day on which clocks are put back, and on the one after it."""
        rows, noon = self.directory / "history", 1_792_926_000_000  # 25 October 2026, 12:00 in Berlin
        rows.mkdir()
        for number, start in enumerate((noon, noon + 86_400_000)):
            fields = f"{start},stretch,WALKING,600000,"
            (rows / f"2026102{5 + number}-120000.csv").write_text(f"{fields}{zlib.crc32(fields.encode()):08x}\n")
        zone = {**self.environment, "TZ": "CET-1CEST,M3.5.0,M10.5.0/3"}
        for day in ("2026-10-25", "2026-10-26"):
            page = self.directory / f"{day}.html"
            self.assertEqual(gaitway("today", day, "--html", page, env=zone).returncode, 0)
            self.assertIn("WALKING, 12:00 to 12:10", page.read_text(), day)

    def test_simulated_wearers_leave_no_days_by_themselves(self):
        del self.environment["GAITWAY_HISTORY_DIRECTORY"]
        self.play("walk=30,fall=60")
        self.assertEqual(list((self.directory / "state").glob("*")) if (self.directory / "state").exists() else [], [])

    def test_a_disk_that_takes_nothing_stops_nothing(self):
        (self.directory / "history").write_text("a file where a directory should be")
        self.assertGreater(len(self.play("walk=30,fall=60")), 60)


if __name__ == "__main__":
    import unittest

    unittest.main()
