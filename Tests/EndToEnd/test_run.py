"""`gaitway run`: its lines, its memory, its end."""
import os
import signal
import subprocess
import time
import unittest

from support import GAITWAY, MODEL, WAIST, TestCase, gaitway, lines


class Lines(TestCase):
    def test_one_json_object_a_window(self):
        found = lines(gaitway("run", "--source", "simulated:seed=2,stand=20,walk=30,lie=20", "--speed", "max", "--json"))
        self.assertEqual([line["t"] for line in found], [round(2.56 + 1.28 * i, 2) for i in range(len(found))])
        self.assertEqual(found[-1]["t"], round(2.56 + 1.28 * ((70 * 50 - 128) // 64), 2))
        for line in found:
            self.assertEqual([key for key in line if key not in ("novel", "steps", "cadence")], ["t", "activity", "confidence", "smoothed", "probabilities", "orientation", "placement"])
            self.assertIn(line.get("novel", True), [True], "said only where it is so")
            self.assertEqual((line["orientation"] in ("configured", "learnt"), line["placement"]), (True, "waist"))
            self.assertEqual(line["confidence"], max(line["probabilities"].values()))
            self.assertAlmostEqual(sum(line["probabilities"].values()), 1, delta=0.002)
        steps = [line for line in found if "steps" in line]
        self.assertTrue(all(20 < line["t"] < 53 and line["steps"] > 0 and 90 < line["cadence"] < 130 for line in steps), steps)
        self.assertTrue(45 <= sum(line["steps"] for line in steps) <= 70, steps)
        by_time = {line["t"]: line["smoothed"] for line in found}
        self.assertEqual([by_time[t] for t in (15.36, 40.96, 64.0)], ["STANDING", "WALKING", "LAYING"])

    def test_a_window_waits_for_no_sample_after_it(self):
        # Blocks are a hop long: one sample more would cost a whole block.
        decided = lines(gaitway("run", "--source", "simulated:walk=60", "--speed", "max", "--duration", "3.84", "--json"))
        self.assertEqual([one["t"] for one in decided], [2.56, 3.84])

    def test_people_get_columns(self):
        result = gaitway("run", "--source", "simulated:stand=10", "--speed", "max")
        self.assertEqual(result.returncode, 0)
        rows = result.stdout.splitlines()
        self.assertEqual(rows[0].split(), ["seconds", "activity", "window", "confidence"])
        self.assertEqual(len({len(row) for row in rows[1:]}), 1, "aligned")
        self.assertNotIn("\x1b", result.stdout, "no colour in a pipe")

    def test_without_a_sensor_it_says_so(self):
        result = gaitway("run", "--speed", "max", "--duration", "5")
        self.assertEqual(result.returncode, 0)
        if "no accelerometer found" not in result.stderr:
            self.skipTest("this machine has an accelerometer")
        self.assertIn("simulated wearer", result.stderr)

    def test_duration_counts_samples(self):
        self.assertEqual(len(lines(gaitway("run", "--source", "simulated", "--speed", "max", "--duration", "60", "--json"))), 45)
        short = gaitway("run", "--source", "simulated", "--speed", "max", "--duration", "1", "--json")
        self.assertEqual((short.returncode, short.stdout), (0, ""))
        self.assertIn("less than one window", short.stderr)


class TimeOfDay(TestCase):
    def test_it_is_told_where_asked_for(self):
        source = ("run", "--source", "simulated:walk=6", "--speed", "max", "--json")
        before = time.time()
        told = lines(gaitway(*source, "--at"))
        self.assertTrue(told and all(before - 1 <= one.pop("at") <= time.time() + 1 for one in told))
        self.assertEqual(told, lines(gaitway(*source)))


class Resources(TestCase):
    def peak_kilobytes(self, seconds):
        process = subprocess.Popen(
            [GAITWAY, "run", "--source", "simulated", "--speed", "max", "--duration", str(seconds), "--json"], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        self.assertEqual(status, 0)
        return usage.ru_maxrss

    def test_memory_does_not_grow(self):
        minute, hours = self.peak_kilobytes(60), self.peak_kilobytes(10 * 3600)
        self.assertLess(hours - minute, 512, f"{minute} KB after a minute, {hours} KB after ten hours of samples")

    def test_real_time_is_kept_and_sigterm_ends_it(self):
        process = subprocess.Popen(
            [GAITWAY, "run", "--source", "simulated", "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        process.stdout.readline()
        start = time.monotonic()
        process.stdout.readline()
        self.assertAlmostEqual(time.monotonic() - start, 1.28, delta=0.5)
        process.terminate()
        self.assertEqual(process.wait(5), 0)
        process.stdout.close()

    def test_two_signals_at_once_are_one_request(self):
        # As timeout(1) sends them.
        for _ in range(20):
            with subprocess.Popen([GAITWAY, "run", "--source", "simulated", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                process.stderr.readline()
                for _ in range(2): process.send_signal(signal.SIGTERM)
                self.assertEqual(process.wait(10), 0)

    def test_the_second_signal_ends_one_that_cannot_stop(self):
        # Nobody reads what it prints: the write never returns.
        with subprocess.Popen([GAITWAY, "run", "--source", "simulated", "--speed", "max", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stderr.readline()
            time.sleep(2)
            process.send_signal(signal.SIGTERM)
            time.sleep(1.5)
            self.assertIsNone(process.poll())
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(10), -signal.SIGTERM)

    def test_a_closed_pipe_ends_it_with_a_word(self):
        process = subprocess.Popen(
            [GAITWAY, "run", "--source", "simulated", "--speed", "max", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        process.stdout.readline()
        process.stdout.close()
        self.assertEqual(process.wait(10), 1)
        self.assertIn("standard output was closed", process.stderr.read())
        process.stderr.close()


class HowItIsWorn(TestCase):
    def standing(self):
        path = self.directory / "standing.csv"
        path.write_text("time,x,y,z\n" + "".join(f"{i / 50:.2f},0.02,{-1 + i % 3 / 500},0.03\n" for i in range(600)))
        return ["--source", f"recording:{path}", "--speed", "max"]

    def test_what_is_configured_counts_at_once(self):
        unknown = lines(gaitway("run", *self.standing(), "--json"))
        self.assertEqual({(line["activity"], line["orientation"], line.get("placement")) for line in unknown}, {("unknown", "unknown", None)})
        known = lines(gaitway("run", *self.standing(), "--up", "-y", "--placement", "waist", "--json"))
        self.assertEqual({(line["orientation"], line["placement"]) for line in known}, {("configured", "waist")})
        self.assertEqual(known[-1]["activity"], "STANDING")
        by_variables = gaitway("run", *self.standing(), "--json", env={**os.environ, "GAITWAY_UP": "-y", "GAITWAY_PLACEMENT": "waist"})
        self.assertEqual(lines(by_variables), known)
        self.assertRefused(gaitway("run", *self.standing(), "--up", "w"), 64, "--up", "-z")
        self.assertRefused(gaitway("run", *self.standing(), "--up", "y", "--forward", "-y"), 78, "two different axes")
        self.assertRefused(gaitway("run", *self.standing(), "--placement", "ankle"), 78, "ankle", "waist")

    def test_wear(self):
        ten_seconds = ("--speed", "max", "--countdown", 0, "--json")
        found = lines(gaitway("wear", "--source", "simulated:walk=20", *ten_seconds))[0]
        self.assertEqual(found["orientation"], "learnt")
        self.assertGreater(found["up"][0], 0.95)
        self.assertRefused(gaitway("wear", *self.standing(), "--countdown", 0), 65, "look like walking", "10 seconds")
        self.assertRefused(gaitway("wear", "--model", WAIST, "--source", "simulated:walk=20", *ten_seconds), 64, "one way to wear")


class Tools(TestCase):
    def test_inspect(self):
        found = lines(gaitway("model", "inspect", WAIST, "--json"))[0]
        self.assertEqual([layer["kind"] for layer in found["layers"] if layer["operations"]], ["convolution"] * 3 + ["dense", "lstm", "dense"])
        # 5 taps at every second sample; the gates read the dense layer and what they gave before.
        convolutions = 64 * 15 * 16 + 32 * 80 * 32 + 16 * 160 * 48
        self.assertEqual(found["operations"], convolutions + 96 * 32 + 4 * 32 * (32 + 32) + 64 * 6)
        self.assertIn("lstm", gaitway("model", "inspect", WAIST).stdout)
        self.assertGreater(found["memory"]["state"], 0)

    def test_bench(self):
        found = lines(gaitway("bench", "--json"))[0]
        self.assertIn("reference", found["inference_ns"])
        for value in [*found["inference_ns"].values(), found["front_end_ns_per_sample"], found["decision_ns"], found["state_bytes"]]:
            self.assertGreater(value, 0)


if __name__ == "__main__":
    unittest.main()
