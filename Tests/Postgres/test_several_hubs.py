"""Several hubs on one database: one is killed again and again under load, the database is stopped, and nothing that was acknowledged is lost."""
import http.client
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import unittest

from hub import HUB

ADDRESS, CONTROL = os.environ["GAITWAY_POSTGRES"], shlex.split(os.environ["GAITWAY_POSTGRES_CONTROL"])
SECONDS = float(os.environ.get("GAITWAY_KILL_SECONDS", "20"))
MODEL = pathlib.Path(__file__).resolve().parents[2] / "board/models/activity.safetensors"
BOARDS, PAUSE, AWAY = 24, float(os.environ.get("GAITWAY_KILL_PAUSE", "2.5")), float(os.environ.get("GAITWAY_DATABASE_AWAY", "5"))


class Server:
    """One of several hubs."""

    def __init__(self, place):
        self.place, self.port = place, 0
        self.start()

    def start(self):
        command = [HUB, "serve", "--database", self.place, "--port", str(self.port), "--rate", "0", "--strangers-rate", "0", "--heartbeat", "5"]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        match = re.search(r"http://[^:]+:(\d+)", line)
        if not match:
            self.process.kill()
            raise AssertionError(line)
        self.port = int(match.group(1))
        self.said = []
        self.reader = threading.Thread(target=lambda pipe, said: said.extend(pipe), args=(self.process.stderr, self.said), daemon=True)
        self.reader.start()

    def kill(self, wait=True):
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stderr.close()

    def ask(self, *request):
        return ask(self.port, *request)


def ask(port, method, path, body=None, token=None):
    """Status, body, headers; None where nobody answers."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=15)
    try:
        connection.request(method, path, None if body is None else json.dumps(body), {"Authorization": f"Bearer {token}"} if token else {})
        answer = connection.getresponse()
        data = answer.read()
        return answer.status, json.loads(data) if data[:1] in (b"{", b"[") else data, answer.headers
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


class Balancer:
    """haproxy with the configuration of board/compose, before hubs of this machine; without TLS."""

    def __init__(self, servers, directory):
        text = (pathlib.Path(__file__).resolve().parents[2] / "board/compose/haproxy.cfg").read_text()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        text, found = re.subn(r"bind :8443 ssl .*", f"bind 127.0.0.1:{self.port}", text)
        text = re.sub(r"resolvers docker\n( +.*\n)+", "", text)
        for name, server in zip("abc", servers):
            text, count = re.subn(f"hub-{name}:8710 resolvers docker init-addr none", f"127.0.0.1:{server.port}", text)
            found += count
        assert found == 7, text
        path = pathlib.Path(directory) / "haproxy.cfg"
        path.write_text(text)
        self.process = subprocess.Popen([shutil.which("haproxy") or "/usr/sbin/haproxy", "-f", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(1.5)

    def close(self):
        self.process.terminate()
        self.process.wait()


class Several(unittest.TestCase):
    balancer, hurdles = None, 0

    def setUp(self):
        self.schema = f"s{random.getrandbits(60):x}"
        subprocess.run(["psql", "-q", ADDRESS, "-c", f"CREATE SCHEMA {self.schema}"], check=True)
        self.place = f"{ADDRESS}&options=-csearch_path%3D{self.schema}"
        self.servers = [Server(self.place) for _ in range(3)]
        self.token = self.run_hub("tokens", "create", "--name", "test").strip()

    def tearDown(self):
        for server in self.servers:
            server.kill()

    def run_hub(self, *arguments):
        result = subprocess.run([HUB, *map(str, arguments), "--database", self.place], capture_output=True, text=True, timeout=60)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def ask(self, method, path, body=None, token=None, within=30):
        """As behind a balancer, by a client that asks again: another hub where one is away, the same request until it is taken."""
        end, hurdles = time.monotonic() + within, []
        while time.monotonic() < end:
            answer = ask(self.balancer.port if self.balancer else random.choice(self.servers).port, method, path, body, token or self.token)
            if answer and answer[0] < 500:
                return answer
            hurdles.append(answer and answer[0])
            self.hurdles += 1
            # The balancer itself says 502 to what it may not ask twice.
            if answer and answer[0] >= 500 and not (self.balancer and answer[0] in (502, 504)):
                # What passes says when to come back.
                self.assertEqual((answer[0], answer[2].get("Retry-After")), (503, "5"), answer[1])
            time.sleep(0.1)
        self.fail(f"{method} {path}: {hurdles[-5:]}")

    def board(self, name):
        bootstrap = self.run_hub("tokens", "create", "--bootstrap", "--name", name).strip() if not hasattr(self, "bootstrap") else self.bootstrap
        status, tokens, _ = self.ask("POST", "/api/v1/device-auth/bootstrap", {"org_id": "default", "device_identifier": name}, bootstrap)
        self.assertEqual(status, 201, tokens)
        status, device, _ = self.ask("POST", "/api/v1/devices/register", {"device_identifier": name, "org_id": "default", "platform": "linux"}, tokens["access_token"])
        self.assertIn(status, (200, 201), device)
        return device["id"], tokens["access_token"]

    @unittest.skipUnless(shutil.which("haproxy") or os.path.exists("/usr/sbin/haproxy"), "not installed: haproxy")
    def test_no_acknowledged_word_is_lost_behind_a_balancer(self):
        with tempfile.TemporaryDirectory() as directory:
            self.balancer = Balancer(self.servers, directory)
            try:
                kills = self.kill_under_load()
            finally:
                self.balancer.close()
        print(f"the balancer could not hide {self.hurdles} deaths")
        self.assertLessEqual(self.hurdles, kills, "what may be asked again is")

    def test_no_acknowledged_word_is_lost_while_hubs_die(self):
        self.kill_under_load()

    def kill_under_load(self):
        self.bootstrap = self.run_hub("tokens", "create", "--bootstrap", "--boards", BOARDS).strip()
        boards = [self.board(f"board-{number}") for number in range(BOARDS)]
        self.run_hub("models", "add", "activity", MODEL)
        self.run_hub("rollouts", "start", "activity", 1, "--percent", 100, "--success", 1, "--unsigned")
        said = {device: {"beat": 0, "events": [], "latencies": []} for device, _ in boards}
        end, faults = time.monotonic() + SECONDS, []

        def live(device, token, mine):
            count = 0
            try:
                while time.monotonic() < end:
                    count += 1
                    body = {"metadata": {"activity": "WALKING", "count": count}, "models": [{"model_id": "activity", "highest_version": 1, "versions": [{"version": 1, "state": "committed", "reason": ""}]}]}
                    began = time.monotonic()
                    status, answer, _ = self.ask("PUT", f"/api/v1/devices/{device}/heartbeat", body, token)
                    mine["latencies"].append(time.monotonic() - began)
                    self.assertEqual(status, 200, answer)
                    mine["beat"] = count
                    name = f"event-{count}"
                    events = {"deviceId": device, "batchId": f"{device}-{count}", "events": [{"name": name, "attributes": {}}]}
                    status, answer, _ = self.ask("POST", "/api/v1/telemetry/batches", events, token)
                    self.assertEqual(status, 200, answer)
                    mine["events"].append(name)
                    time.sleep(0.05)
            except Exception as error:  # noqa: any of them fails the test
                faults.append(error)

        threads = [threading.Thread(target=live, args=(*board, said[board[0]])) for board in boards]
        for thread in threads:
            thread.start()
        kills = 0
        while time.monotonic() < end - PAUSE:
            time.sleep(PAUSE)
            victim = random.choice(self.servers)
            victim.kill()
            time.sleep(0.5)
            victim.start()
            kills += 1
        for thread in threads:
            thread.join()
        self.assertEqual(faults, [])
        self.assertGreater(kills, 0)
        for device, _ in boards:
            _, found, _ = self.ask("GET", f"/api/v1/devices/{device}")
            self.assertGreaterEqual(found["heartbeat"]["metadata"]["count"], said[device]["beat"], device)
            # More than the API shows at once.
            names = subprocess.run(["psql", "-At", self.place, "-c", f"SELECT name FROM events WHERE device_id = '{device}'"],
                                   capture_output=True, text=True, check=True).stdout.split()
            self.assertEqual(sorted(names), sorted(set(names)), "an event is there twice")
            self.assertEqual(set(said[device]["events"]) - set(names), set())
        # It is null while boards are counted.
        while not (progress := self.ask("GET", "/api/v1/rollouts")[1]["rollouts"][0]["progress"]):
            time.sleep(0.2)
        self.assertEqual(progress["committed"], BOARDS, progress)
        latencies = sorted(second for one in said.values() for second in one["latencies"])
        print(f"{len(latencies)} beats, {kills} kills, p50 {1000 * latencies[len(latencies) // 2]:.0f} ms, p99 {1000 * latencies[len(latencies) * 99 // 100]:.0f} ms")
        return kills

    def test_a_database_that_is_away_for_a_while(self):
        self.bootstrap = self.run_hub("tokens", "create", "--bootstrap", "--boards", 1).strip()
        device, token = self.board("patient")
        beat = ("PUT", f"/api/v1/devices/{device}/heartbeat", {"metadata": {"count": 1}}, token)
        self.assertEqual(self.ask(*beat)[0], 200)
        began = time.monotonic()
        subprocess.run([*CONTROL, "stop", "-m", "immediate"], check=True, capture_output=True, cwd="/tmp")
        try:
            for server in self.servers:
                status, body, headers = server.ask(*beat)
                self.assertEqual((status, headers["Retry-After"]), (503, "5"), body)
            time.sleep(AWAY)
        finally:
            subprocess.run([*CONTROL, "start"], check=True, capture_output=True, cwd="/tmp")
        back = time.monotonic()
        for server in self.servers:
            while (answer := server.ask(*beat)) is None or answer[0] != 200:
                self.assertLess(time.monotonic() - back, 10)
                time.sleep(0.2)
        # Two lines each, whoever finds it: twice at once and twice a minute after that. And that it is back.
        faults = 2 + (time.monotonic() - began) / 30
        for server in self.servers:
            self.assertLessEqual(len(server.said), 2 * faults + 1, server.said)

    def test_a_revocation_reaches_every_hub(self):
        self.bootstrap = self.run_hub("tokens", "create", "--bootstrap", "--boards", 1).strip()
        device, token = self.board("stolen")
        beat = ("PUT", f"/api/v1/devices/{device}/heartbeat", {}, token)
        # Each of them knows the token by now.
        self.assertEqual([server.ask(*beat)[0] for server in self.servers], [200, 200, 200])
        self.assertEqual(self.servers[0].ask("POST", f"/api/v1/devices/{device}/revoke", {}, self.token)[0], 200)
        time.sleep(2.5)
        self.assertEqual([server.ask(*beat)[0] for server in self.servers], [401, 401, 401])

    def test_the_crowd_goes_on_at_another_hub(self):
        self.run_hub("crowd", "start", "--features", 4, "--classes", 2, "--open")

        def keepers():
            return [server for server in self.servers if (server.ask("GET", "/crowd-health") or (0,))[0] == 200]

        time.sleep(1.5)
        found = keepers()
        self.assertEqual(len(found), 1)
        others = [server for server in self.servers if server is not found[0]]
        self.assertEqual({server.ask("GET", "/crowd/parameters.json", None, self.token)[0] for server in others}, {503})
        before = found[0].ask("GET", "/crowd/trainingWeights.json", None, self.token)
        self.assertEqual(before[0], 200)
        found[0].kill()
        began = time.monotonic()
        while not (now := [server for server in others if (server.ask("GET", "/crowd-health") or (0,))[0] == 200]):
            self.assertLess(time.monotonic() - began, 5)
            time.sleep(0.1)
        time.sleep(1)
        self.assertEqual(now[0].ask("GET", "/crowd/trainingWeights.json", None, self.token)[1], before[1])
        found[0].start()
        time.sleep(2)
        self.assertEqual(keepers(), now)


if __name__ == "__main__":
    unittest.main()
