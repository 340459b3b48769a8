"""The board's metrics as node_exporter's textfile collector and Prometheus's own promtool read them."""
import os
import signal
import subprocess
import time
import unittest

from support import GAITWAY, TestCase, tool


class Metrics(TestCase):
    def run_board(self, place):
        environment = {**os.environ, "STATE_DIRECTORY": str(self.directory / "state"), "GAITWAY_METRICS_TEXTFILE": str(place)}
        # As the service: what it makes is for nobody else.
        process = subprocess.Popen(
            [GAITWAY, "run", "--source", "simulated:walk=120"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment, umask=0o077)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        return process

    def test_a_file_that_others_read_and_that_goes_with_the_run(self):
        path = self.directory / "gaitway.prom"
        process = self.run_board(self.directory)
        deadline = time.monotonic() + 90
        while time.monotonic() < deadline and not (path.exists() and 'gaitway_activity{activity="WALKING"} 1\n' in path.read_text()):
            time.sleep(0.2)
        text = path.read_text()
        self.assertIn('gaitway_activity{activity="WALKING"} 1\n', text)
        self.assertIn("gaitway_sensor_up 1\n", text)
        self.assertEqual(path.stat().st_mode & 0o777, 0o644)
        values = [line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#")]
        self.assertEqual(len({name for name, _ in values}), len(values))
        self.assertGreater(float(dict(values)["gaitway_samples_total"]), 100)
        if promtool := tool("promtool"):
            checked = subprocess.run([promtool, "check", "metrics"], input=text, capture_output=True, text=True)
            self.assertEqual((checked.returncode, checked.stdout + checked.stderr), (0, ""))
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(20), 0)
        self.assertFalse(path.exists())

    def test_a_directory_that_is_not_there_is_named_and_stops_nothing(self):
        process = self.run_board(self.directory / "none")
        self.assertTrue(any("metrics.textfile" in line and "none" in line for line in process.stderr))
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(20), 0)


if __name__ == "__main__":
    unittest.main()
