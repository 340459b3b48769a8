"""Gaitway as a service: configuration, doctor, signals, systemd's protocol and unit, the boards' overlays."""
import ctypes
import json
import os
import signal
import socket
import subprocess
import time
import unittest

from mocked import Mocked, description
from support import GAITWAY, ROOT, TestCase, gaitway, lines, needs

UNIT = ROOT / "board/service/gaitway.service"


class Configuration(TestCase):
    def file(self, text):
        path = self.directory / "gaitway.toml"
        path.write_text(text)
        return path

    def test_every_value_and_its_origin(self):
        path = self.file('source = "simulated"\nagreement = 3\n')
        found = {o["key"]: o for o in lines(gaitway("config", "show", "--config", path, "--json", env={**os.environ, "GAITWAY_THRESHOLD": "0.6"}))}
        self.assertEqual((found["source"]["value"], found["source"]["origin"]), ("simulated", f"{path}:1"))
        self.assertEqual((found["threshold"]["value"], found["threshold"]["origin"]), ("0.6", "environment, GAITWAY_THRESHOLD"))
        self.assertEqual((found["log_level"]["value"], found["log_level"]["origin"]), ("notice", "default"))
        self.assertIsNone(found["model"]["value"])

    def test_run_obeys_file_environment_and_flags(self):
        path = self.file('source = "simulated:seed=3,stand=20"\nthreshold = 1\n')
        run = ("run", "--speed", "max", "--json", "--config", path)
        self.assertEqual({d["smoothed"] for d in lines(gaitway(*run))}, {"unknown"})
        self.assertIn("STANDING", {d["smoothed"] for d in lines(gaitway(*run, env={**os.environ, "GAITWAY_THRESHOLD": "0"}))})
        self.assertIn("STANDING", {d["smoothed"] for d in lines(gaitway(*run, "--threshold", "0"))})

    def test_wrong_files_are_refused(self):
        for text, complaint in (('sauce = "x"', 'no setting "sauce"'), ("agreement = 0", "a whole number from 1 to 100"), ('threshold = "a"', "a number from"), ("= 1", "")):
            path = self.file("\n" + text)
            self.assertRefused(gaitway("run", "--config", path), 78, f"{path}:2", complaint)
        self.assertRefused(gaitway("config", "show", "--config", "/no/such.toml"), 78, "/no/such.toml")

    def test_the_packaged_configuration_is_right(self):
        self.assertEqual(gaitway("config", "show", "--config", ROOT / "board/service/gaitway.toml").returncode, 0)


class Service(TestCase):
    def start(self, *arguments):
        server = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(server.close)
        server.bind(str(self.directory / "notify"))
        server.settimeout(10)
        environment = {**os.environ, "NOTIFY_SOCKET": str(self.directory / "notify"), "WATCHDOG_USEC": "1000000"}
        process = subprocess.Popen([GAITWAY, "run", *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        self.addCleanup(self.finish, process)
        return process, server

    def finish(self, process):
        process.kill()
        process.communicate()

    def hear(self, server, wanted):
        heard = []
        while not any(wanted in message for message in heard):
            heard.append(server.recv(4096).decode())
        return heard

    def test_ready_watchdog_reload_stop(self):
        configuration = self.directory / "gaitway.toml"
        configuration.write_text("agreement = 1\n")
        process, server = self.start("--source", "simulated", "--changes", "--json", "--config", configuration)
        self.hear(server, "READY=1")
        self.hear(server, "WATCHDOG=1")
        self.hear(server, "STATUS=STANDING")
        configuration.write_text("agreement = 0\n")
        process.send_signal(signal.SIGHUP)
        self.assertIn("RELOADING=1", "".join(self.hear(server, "READY=1")))
        configuration.write_text("agreement = 2\n")
        process.send_signal(signal.SIGHUP)
        self.hear(server, "READY=1")
        begin = time.monotonic()
        process.terminate()
        out, err = process.communicate(timeout=10)
        self.assertLess(time.monotonic() - begin, 1)
        self.assertEqual(process.returncode, 0)
        self.assertIn("reload failed, all stays as it was", err)
        self.assertIn("configuration and model read again", err)
        self.assertEqual(len(out.splitlines()), 1, "only the change to STANDING")

    def test_wear_has_the_service_learn_anew(self):
        environment = {**os.environ, "STATE_DIRECTORY": str(self.directory)}
        process = subprocess.Popen([GAITWAY, "run", "--source", "simulated:walk=120", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        self.addCleanup(self.finish, process)
        self.assertEqual(json.loads(process.stdout.readline())["orientation"], "configured")
        found = lines(gaitway("wear", "--json", env=environment))[0]
        self.assertEqual(found, {"orientation": "learnt", "placement": "waist"})
        status = json.loads(gaitway("status", "--json", env=environment).stdout)
        self.assertEqual((status["orientation"], status["placement"]), ("learnt", "waist"))
        # Interrupted, it goes by what it knew, and not before the last who has it learnt is: to learn it takes sixteen seconds of walking.
        both = [subprocess.Popen([GAITWAY, "wear"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) for _ in range(2)]
        time.sleep(2)
        for wear, number, known in zip(both, (signal.SIGHUP, signal.SIGINT), (False, True)):
            self.assertNotEqual(json.loads(gaitway("status", "--json", env=environment).stdout)["orientation"], "learnt")
            wear.send_signal(number)
            self.assertIn("interrupted: what the service knew before counts again", wear.communicate(timeout=5)[1])
            self.assertEqual(wear.returncode, 1)
            time.sleep(3)
            self.assertEqual(json.loads(gaitway("status", "--json", env=environment).stdout)["orientation"] == "learnt", known)

    def test_what_counts_again_is_not_what_walking_has_shown(self):
        environment = {**os.environ, "STATE_DIRECTORY": str(self.directory)}
        process = subprocess.Popen([GAITWAY, "run", "--source", "simulated:walk=22,stand=200", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        self.addCleanup(self.finish, process)

        def status():
            return json.loads(gaitway("status", "--json", env=environment).stdout or "{}")

        self.until(lambda: status().get("orientation") == "learnt" and status().get("activity") == "STANDING")
        wear = subprocess.Popen([GAITWAY, "wear"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        self.until(lambda: status().get("orientation") == "unknown")
        with socket.socket(socket.AF_UNIX) as other:
            other.connect(str(self.directory / "control.sock"))
            other.sendall(b'{"command":"undo-wear"}\n')
            other.recv(100)
        out, err = wear.communicate(timeout=20)
        self.assertEqual((out, wear.returncode), ("", 75), err)
        self.assertIn("another program had the service go back to what it knew", err)
        # Started anew, it was not asked.
        wear = subprocess.Popen([GAITWAY, "wear"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        self.until(lambda: status().get("orientation") == "unknown")
        time.sleep(3)
        process.kill()
        process.communicate()
        again = subprocess.Popen([GAITWAY, "run", "--source", "simulated:stand=200"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        self.addCleanup(lambda: (again.kill(), again.communicate()))
        out, err = wear.communicate(timeout=20)
        self.assertEqual((out, wear.returncode), ("", 75), err)
        self.assertIn("was started anew", err)

    def test_a_stopped_loop_does_not_feed_the_watchdog(self):
        process, server = self.start("--source", "simulated", "--json")
        self.hear(server, "WATCHDOG=1")
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.2)
        server.setblocking(False)
        with self.assertRaises(BlockingIOError):
            while True:
                server.recv(4096)
        server.settimeout(2.5)
        with self.assertRaises(TimeoutError):
            server.recv(4096)
        process.send_signal(signal.SIGCONT)
        server.settimeout(10)
        self.hear(server, "WATCHDOG=1")

    def test_it_waits_for_a_sensor_and_can_be_stopped_meanwhile(self):
        process, server = self.start("--source", "iio:no-such-chip", "--wait")
        self.hear(server, "READY=1\nSTATUS=waiting for the sensor")
        self.hear(server, "WATCHDOG=1")
        process.terminate()
        _, err = process.communicate(timeout=3)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(err.count("waiting for it"), 1, err)


class SilentSensor(Mocked):
    def test_sigterm_ends_a_waiting_read_at_once(self):
        devices = [description("lis3dh", {"in_accel_scale": "0.009582"}, ["le:s12/16>>4"] * 3)]
        (self.directory / "devices").write_text("".join(devices))
        script = "D=$UMOCKDEV_DIR/dev/iio:device0; env -u LD_PRELOAD sh -c \"rm -f $D; mkfifo $D\"; \"$@\" & sleep 1; kill -TERM $!; date +%s.%N; wait $!; echo $?; date +%s.%N"
        result = subprocess.run(["umockdev-run", "--device", self.directory / "devices", "--", "sh", "-c", script, "sh", GAITWAY, "run", "--source", "iio", "--json"],
                                capture_output=True, text=True, timeout=25)
        begin, code, end = result.stdout.split()[-3:]
        self.assertEqual(code, "0", result.stderr)
        self.assertLess(float(end) - float(begin), 1)


class Doctor(Mocked):
    LIS3DH = ["le:s12/16>>4"] * 3

    def test_a_machine_that_can_start(self):
        devices = [description("lis3dh", {"in_accel_scale": "0.009582"}, self.LIS3DH, raw=(0, 0, 1023))]
        result = self.mocked(devices, None, "doctor", "--source", "iio", "--json")
        found = {o["topic"]: o for o in lines(result)}
        for topic in ("configuration", "devices", "permissions", "scale", "rate", "model"):
            self.assertEqual(found[topic]["level"], "ok", found[topic])
        for topic in ("disk", "clock", "service", "triggers"):
            self.assertIn(topic, found)
        self.assertIn("1.00 g", found["scale"]["message"])

    def test_what_is_wrong_comes_with_a_remedy(self):
        devices = [description("lis3dh", {"in_accel_scale": "0.019164"}, self.LIS3DH, raw=(0, 0, 1023))]
        elbow = self.directory / "elbow.toml"
        elbow.write_text('source = "iio"\nplacement = "elbow"\n')
        for arguments, topic, level, code, word in (
            (["--source", "iio"], "scale", "warning", 0, "2.00 g"),
            (["--source", "iio:bmc150"], "sensor", "problem", 69, "bmc150"),
            (["--model", "/no/such.safetensors"], "model", "problem", 66, "/no/such"),
            (["--source", "telepathy"], "source", "problem", 78, "telepathy"),
            (["--config", "/no/such.toml"], "configuration", "problem", 78, "/no/such.toml"),
            (["--config", str(elbow)], "configuration", "problem", 78, "elbow"),
        ):
            with self.subTest(topic):
                result = self.mocked(devices, None, "doctor", "--json", *arguments)
                self.assertEqual(result.returncode, code, result.stderr)
                found = [o for o in map(json.loads, result.stdout.splitlines()) if o["topic"] == topic and o["level"] == level]
                self.assertTrue(found and word in found[0]["message"], result.stdout)

    def test_credentials_that_sending_would_refuse(self):
        open_to_all = self.directory / "credentials"
        open_to_all.write_text("[default]\naws_access_key_id = a\naws_secret_access_key = b\n")
        open_to_all.chmod(0o644)
        settings = {**os.environ, "GAITWAY_UPLOAD_ENABLED": "true", "GAITWAY_UPLOAD_BUCKET": "b", "GAITWAY_UPLOAD_CREDENTIALS": str(open_to_all)}
        found = [json.loads(line) for line in gaitway("doctor", "--json", env=settings).stdout.splitlines()]
        self.assertEqual([one["level"] for one in found if one["topic"] == "uploads"], ["problem"])
        open_to_all.chmod(0o600)
        found = [json.loads(line) for line in gaitway("doctor", "--json", env=settings).stdout.splitlines()]
        self.assertEqual([one["level"] for one in found if one["topic"] == "uploads"], ["ok"])

    def test_no_sensor(self):
        result = self.mocked([], None, "doctor", "--source", "iio")
        self.assertEqual(result.returncode, 69)
        self.assertIn("dmesg", result.stdout)
        self.assertEqual(self.mocked([], None, "doctor").returncode, 0, "a simulated wearer can be played")


@needs("systemd-analyze")
class Filter(TestCase):
    """The unit's system calls, filtered by libseccomp as systemd does it."""

    def allowed(self):
        sets, name = {}, None
        for line in subprocess.run(["systemd-analyze", "syscall-filter", "--no-pager"], capture_output=True, text=True, check=True).stdout.splitlines():
            if line.startswith("@"):
                name = line.strip()
                sets[name] = []
            elif line.strip() and not line.strip().startswith("#") and name:
                sets[name].append(line.strip())

        def calls(word):
            return {call for inner in sets[word] for call in calls(inner)} if word in sets else {word}

        found = set()
        for line in UNIT.read_text().splitlines():
            if line.startswith("SystemCallFilter="):
                words = line.split("=")[1]
                named = {call for word in words.lstrip("~").split() for call in calls(word)}
                found = found - named if words.startswith("~") else found | named
        return found

    def test_background_threads_lower_their_priority(self):
        library, allowed = ctypes.CDLL("libseccomp.so.2"), self.allowed()
        self.assertNotIn("sched_setscheduler", allowed)
        library.seccomp_init.restype, library.seccomp_rule_add.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint]
        library.seccomp_load.argtypes = [ctypes.c_void_p]
        numbers = [number for number in (library.seccomp_syscall_resolve_name(call.encode()) for call in allowed) if number >= 0]

        def filtered():
            rules = library.seccomp_init(0x00050000 | 1)  # EPERM
            for number in numbers:
                library.seccomp_rule_add(rules, 0x7FFF0000, number, 0)
            if library.seccomp_load(rules) != 0:
                os._exit(99)

        process = subprocess.Popen([GAITWAY, "run", "--source", "simulated", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env={**os.environ, "STATE_DIRECTORY": str(self.directory)}, preexec_fn=filtered)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        self.assertTrue(process.stdout.readline(), "it runs under the filter")
        threads = (open(f"/proc/{process.pid}/task/{thread}/stat").read().rsplit(")", 1)[1].split() for thread in os.listdir(f"/proc/{process.pid}/task"))
        self.assertEqual(sorted({int(fields[16]) for fields in threads}), [0, 10], "the loop's and the others'")


class Files(TestCase):
    @needs("systemd-analyze")
    def test_the_units_are_hardened(self):
        for unit in ("gaitway", "gaitway-hub", "gaitway-dashboard"):
            command = ["systemd-analyze", "security", "--offline=yes", "--threshold=15", UNIT.with_name(f"{unit}.service")]
            result = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    @needs("dtc")
    def test_overlays_compile(self):
        overlays = sorted((ROOT / "board/boards/overlays").glob("*.dts"))
        self.assertEqual(len(overlays), 8)
        for overlay in overlays:
            result = subprocess.run(["dtc", "-@", "-q", "-I", "dts", "-O", "dtb", "-o", self.directory / "out.dtbo", overlay], capture_output=True, text=True)
            self.assertEqual((result.returncode, result.stderr), (0, ""), overlay)

    def test_the_boards_pages_name_their_overlays(self):
        for board in ("raspberry-pi", "beaglebone"):
            page = (ROOT / f"board/boards/{board}.md").read_text()
            for overlay in (ROOT / "board/boards/overlays").glob(f"{board}-*.dts"):
                self.assertIn(overlay.stem, page)


if __name__ == "__main__":
    unittest.main()
