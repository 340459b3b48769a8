"""What is tried against a board: by the hub or crowd that it talks to, by other accounts of its machine, by a clumsy owner."""
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from fleet_server import FleetServer
from support import GAITWAY, ROOT, TestCase, needs


class FakeCrowd:
    """A crowd's database that says whatever its owner likes; `got` is what boards write."""

    def __init__(self, parameters, node, weights=None):
        crowd, self.got = self, []
        self.parameters, self.node = parameters, node

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def say(self, value, status=200):
                data = value if isinstance(value, bytes) else json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.send_header("ETag", "t")
                self.end_headers()
                try:
                    self.wfile.write(data)
                except OSError:
                    self.close_connection = True

            def do_POST(self):
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                self.say({"localId": "u1", "idToken": "i", "refreshToken": "r", "expiresIn": "3600"})

            def do_GET(self):
                path = self.path.split("?")[0]
                if "event-stream" in self.headers.get("Accept", ""):
                    return self.say({}, 404)
                if path.endswith("/parameters.json"):
                    return self.say(crowd.parameters)
                if path.endswith("paramIter.json") or path.endswith("iteration.json"):
                    return self.say(1)
                if "/users/" in path:
                    return self.say(crowd.node)
                if path.endswith("weights.json"):
                    return self.say(weights if weights is not None else [0.0] * (parameters["D"] * parameters["K"]))
                return self.say(None)

            def do_PATCH(self):
                crowd.got.append(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
                self.say({})

            do_PUT = do_PATCH

            def log_message(self, *_):
                pass

        class Server(ThreadingHTTPServer):
            def handle_error(self, *_):
                pass  # who asks may be killed meanwhile

        self.http = Server(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.http.server_address[1]}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def close(self):
        self.http.shutdown()
        self.http.server_close()


SAFE = {"paramIter": 1, "D": 3, "K": 2, "L": 0, "clientBatchSize": 4, "lossFunction": "Softmax", "noiseDistribution": "Laplace", "noiseScale": 0.5,
        "localUpdateNum": 0, "c": 1}
FRESH = {"gradientProcessed": True, "gradIter": 1, "weightIter": 1, "paramIter": 1}


class CrowdServers(TestCase):
    def once(self, crowd, *arguments, command="once", **settings):
        self.addCleanup(crowd.close)
        files = self.directory / "files"
        if not files.exists():
            files.mkdir()
            (files / "trainingFeature.dat").write_text("1 2 3\n3 2 1\n" * 8)
            (files / "trainingLabel.dat").write_text("0\n1\n" * 8)
        (self.directory / "password").write_text("a long word\n")
        return subprocess.run(
            [GAITWAY, "crowd", command, "--database", crowd.address, "--email", "a@example.org", "--password-file", self.directory / "password", "--files",
             files, "--json", *arguments], capture_output=True, text=True, timeout=60,
            env={**os.environ, "STATE_DIRECTORY": str(self.directory / "state"), **{f"GAITWAY_CROWD_{k}": v for k, v in settings.items()}})

    def test_an_honest_one_gets_a_gradient(self):
        crowd = FakeCrowd(SAFE, FRESH)
        result = self.once(crowd)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(crowd.got), 1)

    def test_numbers_without_bounds_stop_nothing(self):
        """Finding 3: it trapped on steps * number + step, and on the number after the last."""
        for parameters, node in (({**SAFE, "localUpdateNum": 100000}, {**FRESH, "gradIter": 900000000000000000}),
                                 ({**SAFE, "localUpdateNum": 100000, "clientBatchSize": 1000000}, FRESH),
                                 (SAFE, {**FRESH, "gradIter": 9223372036854775807}), (SAFE, {**FRESH, "gradIter": 2147483647}),
                                 ({**SAFE, "paramIter": 1e300}, FRESH), ({**SAFE, "D": 1000000, "K": 1000}, FRESH)):
            result = self.once(FakeCrowd(parameters, node), ALLOW_HIDDEN_LAYERS="true")
            self.assertIn(result.returncode, (0, 65, 75, 77), f"{parameters} {node}: {result.stderr}")

    def test_no_server_gets_the_samples_themselves(self):
        """Finding 4: without noise and in batches of one, a gradient is the sample with its label."""
        for change, setting in (({"noiseDistribution": "NoNoise"}, "min_noise"), ({"noiseScale": 1e-9}, "min_noise"), ({"clientBatchSize": 1}, "min_batch"),
                                ({"lossFunction": "SoftmaxNN", "nh": 4}, "allow_hidden_layers"), ({"localUpdateNum": 3}, "allow_hidden_layers")):
            crowd = FakeCrowd({**SAFE, **change}, FRESH)
            result = self.once(crowd)
            self.assertEqual(result.returncode, 77, f"{change}: {result.stderr}")
            self.assertIn(setting, result.stderr)
            self.assertEqual(crowd.got, [])
        allowed = FakeCrowd({**SAFE, "noiseDistribution": "NoNoise", "clientBatchSize": 1}, FRESH)
        self.assertEqual(self.once(allowed, MIN_NOISE="0", MIN_BATCH="1").returncode, 0)
        self.assertEqual(len(allowed.got), 1)

    def test_a_day_has_its_limit(self):
        crowd = FakeCrowd({**SAFE, "noiseScale": 0.2}, FRESH)  # epsilon 5 a check-in
        codes = [self.once(crowd).returncode for _ in range(3)]
        self.assertEqual(codes, [0, 0, 75])
        self.assertEqual(len(crowd.got), 2)

    def test_a_day_has_its_limit_for_who_goes_on(self):
        """What was refused for the day took its batch along, and the rest of that epoch was free."""
        crowd = FakeCrowd({**SAFE, "noiseScale": 0.2}, FRESH)
        result = self.once(crowd, "--rounds", "20", "--timeout", "5", command="train")
        self.assertEqual(result.returncode, 75, result.stderr)
        self.assertIn("no more is sent today", result.stderr)
        # Four batches of an epoch, twice.
        self.assertEqual(len(crowd.got), 8)

    def test_a_long_answer_takes_no_memory(self):
        """Finding 9: 60 MB of JSON took 964 MB."""
        crowd = FakeCrowd(SAFE, FRESH, weights=b"[" + b"0.1," * (15 << 20) + b"0]")
        self.addCleanup(crowd.close)
        process = subprocess.Popen(["true"])
        process.wait()
        before = children_peak()
        result = self.once(crowd)
        self.assertEqual(result.returncode, 65, result.stderr)
        self.assertLess(children_peak() - before, 100 << 10, "KB")


class Participant(TestCase):
    """Finding 3: what learns with others is a process of its own, so that nothing of it stops a decision."""

    def setUp(self):
        super().setUp()
        self.server, self.crowd = FleetServer(), FakeCrowd({**SAFE, "D": 18}, FRESH)
        self.addCleanup(self.server.close)
        self.addCleanup(self.crowd.close)
        # A signal that somebody sends is no fault to show a trace of.
        self.environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no", "STATE_DIRECTORY": str(self.directory / "state"), "GAITWAY_RECORDINGS": str(self.directory / "recordings"),
                            "GAITWAY_CROWD_ENABLED": "true", "GAITWAY_CROWD_DATABASE": self.crowd.address, "GAITWAY_CROWD_MAX_TEMPERATURE": "120",
                            "GAITWAY_CROWD_MIN_BATTERY": "0"}
        for arguments in (("register", "--hub", self.server.address, "--token", "bootstrap", "--name", "board"),
                          ("record", "--label", "walking", "--source", "simulated:walk=30", "--seconds", "20", "--speed", "max")):
            made = subprocess.run([GAITWAY, *arguments], capture_output=True, text=True, timeout=60, env=self.environment)
            self.assertEqual(made.returncode, 0, made.stderr)

    def loop(self):
        with open(self.directory / "out", "w") as out, open(self.directory / "err", "w") as err:
            process = subprocess.Popen([GAITWAY, "run", "--source", "simulated:walk=600", "--json"], stdout=out, stderr=err, env=self.environment)
        self.addCleanup(lambda: (process.kill(), process.wait()))
        return process

    def participant(self, process):
        """Its process number; None where there is none within thirty seconds: after its second end it is started ten seconds later."""
        end = time.monotonic() + 30
        while time.monotonic() < end:
            for thread in pathlib.Path(f"/proc/{process.pid}/task").iterdir():
                # Thread or child may have ended meanwhile.
                with contextlib.suppress(OSError):
                    for child in (thread / "children").read_text().split():
                        if b"participate" in pathlib.Path(f"/proc/{child}/cmdline").read_bytes():
                            return int(child)
            time.sleep(0.05)
        return None

    def becomes(self, wanted, look, seconds=5):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if look() == wanted:
                return True
            time.sleep(0.05)
        return False

    def is_gone(self, process, seconds):
        def look():
            try:
                return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
            except OSError:
                return True
        return self.becomes(True, look, seconds)

    def doing(self):
        """What status says of it; nothing before the program answers."""
        status = subprocess.run([GAITWAY, "status", "--json"], capture_output=True, text=True, env=self.environment)
        return json.loads(status.stdout)["crowd"]["doing"] if status.returncode == 0 else ""

    def test_its_end_stops_no_decision(self):
        process = self.loop()
        for number in (signal.SIGKILL, signal.SIGSEGV):
            child = self.participant(process)
            self.assertIsNotNone(child, (self.directory / "err").read_text())
            self.assertTrue(self.becomes("1000", lambda: pathlib.Path(f"/proc/{child}/oom_score_adj").read_text().strip()))
            self.assertEqual(os.getpriority(os.PRIO_PROCESS, child), 10)
            os.kill(child, number)
            self.assertTrue(self.is_gone(child, 5))
            time.sleep(0.5)
            self.assertIn("is started again", self.doing())
        again = self.participant(process)
        self.assertIsNotNone(again, "it is there again")
        process.terminate()
        self.assertEqual(process.wait(timeout=10), 0)
        self.assertTrue(self.is_gone(again, 1))
        times = [json.loads(line)["t"] for line in (self.directory / "out").read_text().splitlines()]
        self.assertEqual(times, [round(2.56 + 1.28 * index, 2) for index in range(len(times))])
        self.assertGreater(len(times), 8)

    def test_no_server_sets_the_pace(self):
        self.environment.update(GAITWAY_CROWD_INTERVAL="2", GAITWAY_CROWD_EPSILON_PER_DAY="100000", GAITWAY_CROWD_EPSILON_LIMIT="100000")
        # It counts at once whatever is sent; then it calls all of it too late.
        for node in (FRESH, {**FRESH, "stale": True}, {**FRESH, "gradIter": 0}):
            self.crowd.node, before = node, len(self.crowd.got)
            process = self.loop()
            time.sleep(5)
            process.terminate()
            self.assertEqual(process.wait(timeout=10), 0)
            self.assertLessEqual(len(self.crowd.got) - before, 4, node)
            self.assertGreaterEqual(len(self.crowd.got) - before, 1, (self.directory / "err").read_text())

    def test_one_bad_answer_is_told_and_tried_again(self):
        self.crowd.parameters = b"<html>a portal</html>"
        process = self.loop()
        self.assertTrue(self.becomes(True, lambda: "no JSON" in self.doing(), 20), (self.directory / "err").read_text())
        process.terminate()
        self.assertEqual(process.wait(timeout=10), 0)

    def test_one_takes_part_with_a_state(self):
        process = self.loop()
        self.assertIsNotNone(self.participant(process))
        time.sleep(1)
        other = subprocess.run([GAITWAY, "crowd", "participate"], capture_output=True, text=True, timeout=20, env=self.environment)
        self.assertEqual(other.returncode, 75, other.stderr)
        self.assertIn("another gaitway", other.stderr)

    def test_it_ends_with_the_program_that_started_it(self):
        process = self.loop()
        child = self.participant(process)
        self.assertIsNotNone(child, (self.directory / "err").read_text())
        process.kill()
        process.wait()
        self.assertTrue(self.is_gone(child, 5))

    def test_one_that_hangs_is_killed_at_the_end(self):
        process = self.loop()
        child = self.participant(process)
        os.kill(child, signal.SIGSTOP)
        process.terminate()
        self.assertEqual(process.wait(timeout=10), 0)
        self.assertTrue(self.is_gone(child, 1))


def children_peak():
    import resource
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss


class Hubs(TestCase):
    def test_a_servers_text_stays_text(self):
        """Finding 18: escape sequences, line feeds and priorities went to the terminal and the journal."""
        server = FleetServer()
        self.addCleanup(server.close)
        server.broken = {"bootstrap": (403, {"detail": "\x1b[2Jgone\n<0>emergency\u202e"})}
        result = subprocess.run([GAITWAY, "register", "--hub", server.address, "--token", "t"], capture_output=True, text=True, timeout=60,
                                env={**os.environ, "STATE_DIRECTORY": str(self.directory)})
        self.assertEqual(result.returncode, 77)
        self.assertIn("gone", result.stderr)
        self.assertFalse(re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]", result.stderr), repr(result.stderr))
        self.assertFalse([line for line in result.stderr.splitlines() if line.startswith("<")])

    def test_two_programs_do_not_lock_the_board_out(self):
        """Finding 13: both refreshed with one token, and the hub ended the family."""
        server = FleetServer(ttl=1)
        self.addCleanup(server.close)
        environment = {**os.environ, "STATE_DIRECTORY": str(self.directory)}
        command = [GAITWAY, "register", "--hub", server.address]
        self.assertEqual(subprocess.run([*command, "--token", "bootstrap"], capture_output=True, env=environment, timeout=60).returncode, 0)
        time.sleep(1.2)
        processes = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment) for _ in range(6)]
        said = [process.communicate(timeout=60)[1] for process in processes]
        self.assertEqual([process.returncode for process in processes], [0] * 6, said)


class Neighbours(TestCase):
    def test_a_lock_leads_root_to_no_other_file(self):
        """Finding 5: `sudo gaitway model pin` handed any file to the gaitway account."""
        if os.geteuid() != 0:
            self.skipTest("only root can be led")
        state = self.directory / "state"
        (state / "models").mkdir(parents=True)
        target = self.directory / "roots"
        target.write_text("root's\n")
        for directory in (state, state / "models"):
            os.chown(directory, 65534, 65534)
        locks = ("models/lock", "models/.lock", "lock", "models.lock")
        for kind in (os.symlink, os.link):
            for name in locks:
                (state / name).unlink(missing_ok=True)
                kind(target, state / name)
            subprocess.run([GAITWAY, "model", "pin"], capture_output=True, timeout=60, env={**os.environ, "STATE_DIRECTORY": str(state)})
            self.assertEqual(target.stat().st_uid, 0, kind.__name__)

    def test_what_was_sensed_is_for_its_owner_alone(self):
        """Finding 17."""
        result = subprocess.run([GAITWAY, "record", "--label", "walk", "--source", "simulated:walk=20", "--seconds", "5", "--speed", "max"], capture_output=True, text=True,
                                timeout=60, env={**os.environ, "GAITWAY_RECORDINGS": str(self.directory / "recordings"), "STATE_DIRECTORY": str(self.directory)})
        self.assertEqual(result.returncode, 0, result.stderr)
        made = [path for path in (self.directory / "recordings").iterdir() if path.suffix == ".csv"]
        self.assertEqual([path.stat().st_mode & 0o077 for path in made], [0])
        self.assertIn("\nLimitCORE=0\n", (ROOT / "board/service/gaitway.service").read_text())


class Clumsiness(TestCase):
    def test_the_secure_setting_does_not_stop_the_board_for_ever(self):
        """Finding 14: exit code 77 was no final one, and the unit started it again every 100 ms."""
        unit = (ROOT / "board/service/gaitway.service").read_text()
        final = next(line for line in unit.splitlines() if line.startswith("RestartPreventExitStatus="))
        self.assertIn("77", final.split("=")[1].split())
        for setting in ("RestartSteps=", "RestartMaxDelaySec=", "MemoryMax=", "TasksMax="):
            self.assertIn(f"\n{setting}", unit)

    @needs("openssl")
    def test_a_spoilt_model_does_not_stop_a_board_that_has_another(self):
        """Finding 14: after an upgrade the old signature lay beside the new model, and the board stood still."""
        private, public = self.directory / "private.pem", self.directory / "public.pem"
        subprocess.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", private], check=True, capture_output=True)
        subprocess.run(["openssl", "ec", "-in", private, "-pubout", "-out", public], check=True, capture_output=True)
        models = [self.directory / f"{name}.safetensors" for name in ("configured", "newer")]
        environment = {**os.environ, "STATE_DIRECTORY": str(self.directory / "state"), "GAITWAY_MODEL": str(models[0]), "GAITWAY_TRUSTED_KEY": str(public),
                       "GAITWAY_UPDATES_SHADOW_WINDOWS": "2", "GAITWAY_UPDATES_PROBATION_WINDOWS": "2"}

        def gaitway(*arguments, code=0):
            result = subprocess.run([GAITWAY, *map(str, arguments)], capture_output=True, text=True, timeout=60, env=environment)
            self.assertEqual(result.returncode, code, result.stderr)
            return result
        run = ("run", "--source", "simulated:stand=20,walk=40,lie=20", "--speed", "max", "--json")
        for version, model in enumerate(models, 5):
            shutil.copy(ROOT / "board/models/activity.safetensors", model)
            gaitway("model", "sign", model, "--key", private, "--model-version", version)
        gaitway("model", "install", models[1])
        # As fast as it goes a run may be over before the other thread has kept what it found.
        for _ in range(60):
            gaitway(*run)
            if re.search(r"^runs +version 6$", gaitway("model", "list").stdout, re.MULTILINE):
                break
        else:
            self.fail(gaitway("model", "list").stdout)
        pathlib.Path(f"{models[0]}.sig").write_bytes(pathlib.Path(f"{models[1]}.sig").read_bytes())
        said = gaitway(*run)
        self.assertIn("version 6, which came over the air", said.stderr)
        self.assertGreater(len(said.stdout.splitlines()), 20)

    def test_nothing_is_recorded_where_there_is_no_sensor(self):
        """Finding 23: record and guess took the simulated wearer for the wearer."""
        if list(pathlib.Path("/sys/bus/iio/devices").glob("iio:device*")):
            self.skipTest("this machine has a sensor")
        for verb in (["record", "--label", "walk"], ["guess"]):
            result = subprocess.run([GAITWAY, *verb, "--seconds", "5"], capture_output=True, text=True, timeout=60,
                                    env={**os.environ, "GAITWAY_RECORDINGS": str(self.directory / "recordings"), "STATE_DIRECTORY": str(self.directory)})
            self.assertEqual(result.returncode, 69, result.stderr)
            self.assertIn("--source simulated", result.stderr)
        self.assertFalse((self.directory / "recordings").exists() and list((self.directory / "recordings").glob("*.csv")))

    def test_a_directory_that_cannot_be_made(self):
        """Finding 24: it recursed until the stack ended."""
        for place in ("/proc/gaitway/deep/down", "/sys/gaitway/x", "/dev/null/x"):
            result = subprocess.run([GAITWAY, "register", "--hub", "http://127.0.0.1:9", "--token", "t"], capture_output=True, text=True, timeout=60,
                                    env={**os.environ, "STATE_DIRECTORY": place})
            self.assertGreater(result.returncode, 0, f"{place}: {result.returncode} {result.stderr}")


if __name__ == "__main__":
    unittest.main()
