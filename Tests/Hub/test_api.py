"""The hub's API from outside: tokens, files in parts, limits, TLS, and what a kill must not lose."""
import asyncio
import hashlib
import json
import os
import re
import shutil
import ssl
import subprocess
import sys
import threading
import time
import types
import unittest
import urllib.error
import urllib.request

from hub import Hub, until
from support import MODEL, ROOT, TestCase, needs, swift_test

AUTH = "/device-auth"


class HubCase(TestCase):
    def hub(self, *options):
        hub = Hub(self.directory, *options)
        self.addCleanup(hub.close)
        return hub


class API(HubCase):
    def board(self, hub, name="board-1", token=None):
        status, tokens, _ = hub.call("POST", f"{AUTH}/bootstrap", {"org_id": "default", "device_identifier": name, "scopes": ["devices:write"]}, token=token or hub.bootstrap())
        self.assertEqual(status, 201, tokens)
        status, made, _ = hub.call("POST", "/devices/register", {"device_identifier": name, "org_id": "default"}, token=tokens["access_token"])
        self.assertEqual(status, 201, made)
        self.assertTrue(all(isinstance(value, str) for value in made.values()), "the first clients read texts alone")
        return made["id"], tokens

    def test_boards_by_whether_they_are_there(self):
        hub = self.hub()
        here, tokens = self.board(hub, "here")
        away, _ = self.board(hub, "away")
        self.assertEqual(hub.call("PUT", f"/devices/{here}/heartbeat", {}, token=tokens["access_token"])[0], 200)
        found = {state: [one["id"] for one in hub.get(f"/devices?connectivity={state}")["devices"]] for state in ("online", "stale", "offline")}
        self.assertEqual(found, {"online": [here], "stale": [], "offline": [away]})
        self.assertEqual(hub.get("/devices?connectivity=offline&search=here")["total"], 0)
        self.assertEqual(hub.call("GET", "/devices?connectivity=gone")[0], 422)

    def test_what_operators_ask_for(self):
        hub = self.hub()
        self.board(hub, "never")
        self.assertEqual([(board["device"]["device_identifier"], board["reasons"]) for board in hub.get("/attention")["boards"]], [("never", ["never_seen"])])
        self.assertEqual(hub.call("GET", "/devices?sort=colour")[0], 422)
        operator = hub.run("tokens", "create", "--name", "operator", "--role", "operator").strip()
        for method, path, body in (("POST", "/bootstrap-tokens", {}), ("GET", "/audit", None)):
            self.assertEqual(hub.call(method, path, body, token=operator)[0], 403, path)
            self.assertEqual(hub.call(method, path, body, token="gwp_none")[0], 401, path)
        for wrong in ({"boards": 0}, {"boards": 1.5}, {"hours": -1}, {"hours": "many"}):
            self.assertEqual(hub.call("POST", "/bootstrap-tokens", wrong)[0], 422, wrong)
        status, made, _ = hub.call("POST", "/bootstrap-tokens", {"boards": 2, "hours": 1})
        self.assertEqual((status, made["boards"]), (201, 2))
        for name, expected in (("one", 201), ("two", 201), ("three", 401)):
            self.assertEqual(hub.call("POST", f"{AUTH}/bootstrap", {"org_id": "default", "device_identifier": name}, token=made["token"])[0], expected)
        status, code, _ = hub.call("POST", "/qr-codes", {"text": "sudo gaitway register --token " + made["token"]})
        self.assertEqual(status, 200)
        self.assertEqual({len(row) for row in code["rows"]}, {len(code["rows"])})
        self.assertEqual([row[:7] for row in code["rows"][:7]], ["1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111"])
        for wrong in ({}, {"text": ""}, {"text": "a" * 801}, {"text": {}}):
            self.assertEqual(hub.call("POST", "/qr-codes", wrong)[0], 422, wrong)
        self.assertEqual(hub.call("POST", "/qr-codes", {"text": "a"}, token="gwp_none")[0], 401)
        entries = hub.get("/audit")["entries"]
        self.assertEqual([(entry["who"], entry["action"].split("/")[-1], entry["status"]) for entry in entries],
                         [("test", "bootstrap-tokens", 201), ("operator", "bootstrap-tokens", 403)])

    def test_what_boards_are_called(self):
        hub = self.hub()
        board, tokens = self.board(hub, "gait-7")
        path = f"/devices/{board}"
        status, found, _ = hub.call("PATCH", path, {"name": "Kitchen", "tags": ["ward-3", "night", "night"]})
        self.assertEqual((status, found["name"], found["device_identifier"], found["tags"]), (200, "Kitchen", "gait-7", ["ward-3", "night"]))
        self.assertEqual([one["id"] for one in hub.get("/devices?search=kitch&tag=night")["devices"]], [board])
        self.assertEqual(hub.get("/devices?tag=nigh")["total"], 0)
        self.assertEqual(hub.get("/tags")["tags"], ["night", "ward-3"])
        for body in ({}, {"name": {}}, {"tags": "night"}, {"tags": [3]}, {"tags": ["a b"]}, {"name": "x" * 101}, {"name": "a\nb"}):
            self.assertIn(hub.call("PATCH", path, body)[0], (400, 422), body)
        self.assertEqual(hub.call("PATCH", path, {"name": "mine"}, token=tokens["access_token"])[0], 403, "a board has its own name")
        self.assertEqual(hub.call("PATCH", "/devices/none", {"name": "x"})[0], 404)
        hub.call("PUT", path + "/heartbeat", {"metadata": {"battery_level": 50}}, token=tokens["access_token"])
        self.assertEqual(hub.get(path + "/history", token=tokens["access_token"]).keys(), {"history"})
        hub.run("devices", "name", "Kitchen", "Attic", "--tags", "a,b")
        self.assertEqual(hub.get(path)["tags"], ["a", "b"])
        self.assertIn("Attic", hub.run("devices", "list", "--tag", "a"))
        hub.run("devices", "name", "Attic", "")
        self.assertEqual(hub.get(path)["name"], "gait-7")

    def test_a_name_that_is_mistyped_makes_no_hub(self):
        hub = self.hub()
        data, hub.data = hub.data, self.directory / "typo.sqlite"
        self.assertIn("there is no hub's file", hub.run("devices", "list", code=66))
        self.assertFalse(hub.data.exists())
        hub.data = data
        self.assertEqual(hub.run("devices", "list", "--json"), "")

    def test_what_typed_clients_decode(self):
        """EdgeML's iOS and Android SDKs decode into types: what they require is there, and times have no fraction (Apple's decoders take none)."""
        hub = self.hub()
        hub.run("models", "add", "activity", MODEL)
        hub.call("POST", "/models/activity/versions/upload", raw=b"\x1c\0\0\0TFL3" + bytes(40))
        hub.run("rollouts", "start", "activity", 1, "--unsigned", "--percent", 100)
        _, tokens, _ = hub.call("POST", f"{AUTH}/bootstrap", {"org_id": "default", "device_identifier": 'a "phone"'}, token=hub.bootstrap())
        token = tokens["access_token"]
        told = {"device_identifier": 'a "phone"', "org_id": "default", "platform": "ios", "os_version": "18.1", "device_info": {"manufacturer": "Apple", "gpu_available": True, "total_memory_mb": 7000}, "capabilities": {"supports_training": True}}
        _, made, _ = hub.call("POST", "/devices/register", told, token=token)
        device, time_, group = made["id"], re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"), hub.call("POST", "/groups", {"name": "left"}, token=hub.token)[1]["id"]
        self.assertEqual(hub.call("PUT", f"/groups/{group}/devices/{device}", token=hub.token)[0], 204)
        common = {"id": str, "device_identifier": str, "org_id": str, "status": str, "platform": str, "created_at": time_, "updated_at": time_}
        model, version = "/models/activity", "/models/activity/versions/1"
        expected = [
            ("POST", "/devices/register", {**common, "registered_at": time_}),
            ("PUT", f"/devices/{device}/heartbeat", {"id": str, "device_identifier": str, "status": str, "last_heartbeat": time_, "acknowledged": bool, "server_time": time_}),
            ("GET", f"/devices/{device}", {**common, "gpu_available": bool, "heartbeat_interval_seconds": int, "last_heartbeat": time_, "manufacturer": str, "os_version": str, "total_memory_mb": int}),
            ("GET", f"/devices/{device}/groups", {"groups": list, "memberships": list, "count": int}),
            ("GET", f"/devices/{device}/models/activity/version?include_bucket=true", {"version": str, "source": str, "rollout_id": int, "device_bucket": int}),
            ("GET", model, {"id": str, "org_id": str, "name": str, "framework": str, "use_case": str, "version_count": int, "created_at": time_, "updated_at": time_}),
            ("GET", f"{version}", {"id": str, "model_id": str, "version": str, "status": str, "storage_path": str, "format": str, "checksum": str, "size_bytes": int, "created_at": time_, "updated_at": time_}),
            ("GET", f"{model}/versions/latest?status=published", {"version": str, "checksum": str}),
            ("GET", f"{version}/download-url?format=auto", {"url": str, "expires_at": time_, "checksum": str, "file_size": int}),
            ("GET", f"{model}/versions/2/download?format=tensorflow_lite", {"download_url": str, "expires_at": time_, "checksum": str, "size_bytes": int}),
            ("POST", f"{version}/resolve", {"model_id": str, "version": str, "format": str, "download_url": str, "available_formats": list}),
            ("GET", f"{model}/updates?current_version=0", {"new_version": str, "current_version": str, "is_required": bool, "update_size": int}),
            ("GET", "/settings/org/default/device-policy", {"battery_threshold": int, "network_policy": str}),
            ("POST", "/inference/events", {"status": str, "session_id": str}),
        ]
        def holds(answer, members):
            for name, kind in members.items():
                if kind is time_:
                    self.assertRegex(answer[name], time_, name)
                else:
                    self.assertIs(type(answer[name]), kind, f"{name}: {answer[name]}")

        for method, path, members in expected:
            status, answer, _ = hub.call(method, path, told if method != "GET" else None, token=token)
            self.assertIn(status, (200, 201), (path, answer))
            holds(answer, members)
        holds(hub.call("POST", "/devices/register", {**told, "platform": "android"}, token=token)[1], {**common, "heartbeat_interval_seconds": int})
        group = hub.call("GET", f"/devices/{device}/groups", token=token)[1]["groups"][0]
        holds(group, {"id": str, "name": str, "group_type": str, "is_active": bool, "device_count": int, "created_at": time_, "updated_at": time_})
        self.assertEqual(hub.call("GET", f"/devices/{device}", token=token)[1]["device_identifier"], 'a "phone"')
        with urllib.request.urlopen(f"{hub.address}/health") as answer:
            holds(json.load(answer), {"status": str, "timestamp": time_})

    def test_a_boards_tokens(self):
        hub = self.hub()
        token = hub.bootstrap()
        device, tokens = self.board(hub, token=token)
        self.assertEqual(set(tokens), {"access_token", "refresh_token", "token_type", "expires_at", "expires_in", "org_id", "device_identifier", "scopes"})
        self.assertEqual(hub.call("POST", f"{AUTH}/bootstrap", {"org_id": "default", "device_identifier": "other"}, token=token)[0], 401)
        for method in ("PUT", "POST"):
            status, answer, _ = hub.call(method, f"/devices/{device}/heartbeat", {"metadata": {"network_type": "wifi"}}, token=tokens["access_token"])
            self.assertEqual((status, answer["status"], answer["acknowledged"]), (200, "ok", True))
        status, newer, _ = hub.call("POST", f"{AUTH}/refresh", {"refresh_token": tokens["refresh_token"]}, token="x")
        self.assertEqual(status, 200)
        self.assertNotEqual(newer["refresh_token"], tokens["refresh_token"])
        self.assertEqual(hub.call("PUT", f"/devices/{device}/heartbeat", {}, token=newer["access_token"])[0], 200)
        # Whoever brings the first one again is a thief, or was robbed.
        self.assertEqual(hub.call("POST", f"{AUTH}/refresh", {"refresh_token": tokens["refresh_token"]}, token="x")[0], 401)
        self.assertEqual(hub.call("PUT", f"/devices/{device}/heartbeat", {}, token=newer["access_token"])[0], 401)
        # No token is in the file as its holder has it.
        hub.close()
        kept = hub.data.read_bytes()
        for text in (token, tokens["access_token"], tokens["refresh_token"], newer["access_token"], hub.token):
            self.assertNotIn(text.encode(), kept)
        self.assertEqual(os.stat(hub.data).st_mode & 0o777, 0o600)

    def test_who_may_what(self):
        hub = self.hub()
        token = hub.bootstrap(2)
        first, one = self.board(hub, "one", token)
        second, two = self.board(hub, "two", token)
        stranger = hub.run("tokens", "create", "--name", "other", "--org", "elsewhere").strip()
        for method, path, body, bearer, expected in (
            ("PUT", f"/devices/{second}/heartbeat", {}, one["access_token"], 403),
            ("GET", f"/devices/{second}", None, one["access_token"], 403),
            ("POST", "/devices/register", {"device_identifier": "two"}, one["access_token"], 403),
            ("GET", "/devices", None, one["access_token"], 403),
            ("POST", "/models", {"name": "m"}, one["access_token"], 403),
            ("POST", f"/devices/{first}/revoke", {}, one["access_token"], 403),
            ("GET", "/devices", None, "nonsense", 401),
            ("GET", f"/devices/{first}", None, stranger, 404),
            ("PUT", f"/devices/{first}/heartbeat", {}, stranger, 404),
            ("GET", f"/devices/{first}", None, None, 200),
            ("GET", f"/devices/{first}", None, one["access_token"], 200),
        ):
            self.assertEqual(hub.call(method, path, body, token=bearer)[0], expected, (method, path))
        self.assertEqual(hub.get("/devices", token=stranger)["total"], 0)
        self.assertEqual(hub.call("POST", f"/devices/{first}/revoke", {})[0], 200)
        self.assertEqual(hub.call("PUT", f"/devices/{first}/heartbeat", {}, token=one["access_token"])[0], 401)
        self.assertEqual(hub.call("PUT", f"/devices/{second}/heartbeat", {}, token=two["access_token"])[0], 200)
        # The command line works beside the server, which hears of it.
        hub.run("tokens", "revoke", "test")
        until(lambda: hub.call("GET", "/devices")[0] == 401, 5, "a revoked token ends")

    def test_metrics(self):
        hub = self.hub()
        device, tokens = self.board(hub)
        hub.call("PUT", f"/devices/{device}/heartbeat", {"active_model_version": "3"}, token=tokens["access_token"])

        def scrape(token):
            request = urllib.request.Request(f"{hub.address}/metrics", headers={"Authorization": f"Bearer {token}"} if token else {})
            try:
                with urllib.request.urlopen(request, timeout=10) as answer:
                    return answer.status, answer.read().decode()
            except urllib.error.HTTPError as error:
                return error.code, ""
        self.assertEqual([scrape(token)[0] for token in (None, "wrong", tokens["access_token"])], [401, 401, 403])
        status, text = scrape(hub.run("tokens", "create", "--name", "prometheus", "--role", "viewer").strip())
        self.assertEqual(status, 200)
        for line in ('gaitway_hub_boards{state="online"} 1', 'gaitway_hub_boards_running{version="3"} 1', "gaitway_hub_heartbeats_total 1", 'gaitway_hub_responses_total{code="4xx"} 3'):
            self.assertIn(line + "\n", text)
        if tool := shutil.which("promtool"):
            checked = subprocess.run([tool, "check", "metrics"], input=text, capture_output=True, text=True)
            self.assertEqual((checked.returncode, checked.stdout + checked.stderr), (0, ""))

    def test_files_come_in_parts(self):
        hub = self.hub()
        data = MODEL.read_bytes()
        self.assertEqual(hub.call("POST", "/models", {"name": "activity"})[0], 201)
        status, made, _ = hub.call("POST", "/models/activity/versions/upload?description=first", raw=data)
        self.assertEqual((status, made["version"], made["checksum"], made["signed"]), (201, "1", hashlib.sha256(data).hexdigest(), False))
        path = "/models/activity/versions/latest/download"
        status, body, headers = hub.call("GET", path)
        self.assertEqual((status, body), (200, data))
        tag = headers["ETag"]
        for given, expected, part in (("bytes=100-199", 206, data[100:200]), ("bytes=-7", 206, data[-7:]), (f"bytes={len(data) - 1}-", 206, data[-1:]), ("bytes=5-3", 200, data), ("bytes=a-", 200, data), ("bytes=0-1,5-9", 200, data)):
            status, body, headers = hub.call("GET", path, headers={"Range": given})
            self.assertEqual((status, body if isinstance(body, bytes) else body), (expected, part), given)
        self.assertEqual(hub.call("GET", path, headers={"Range": f"bytes={len(data)}-"})[0], 416)
        self.assertEqual(hub.call("GET", path, headers={"Range": "bytes=9-", "If-Range": '"another"'})[0], 200)
        self.assertEqual(hub.call("GET", path, headers={"Range": "bytes=9-", "If-Range": tag})[0], 206)
        self.assertEqual(hub.call("GET", path, headers={"If-None-Match": tag})[0], 304)
        address = hub.get("/models/activity/versions/1/download-url")
        with urllib.request.urlopen(address["url"]) as answer:
            self.assertEqual(hashlib.sha256(answer.read()).hexdigest(), address["checksum"])
        for broken in (address["url"].replace("expires=", "expires=9"), address["url"][:-1] + ("0" if address["url"][-1] != "0" else "1")):
            with self.assertRaises(urllib.error.HTTPError) as caught:
                urllib.request.urlopen(broken)
            self.assertEqual(caught.exception.code, 403)
        # A version never changes, and a file that is no model is none.
        self.assertEqual(hub.call("POST", "/models/activity/versions/upload", raw=data)[0], 201)
        torn = bytearray(data)
        torn[-1] ^= 1
        status, said, _ = hub.call("POST", "/models/activity/versions/upload", raw=bytes(torn))
        self.assertEqual(status, 422)
        self.assertIn("checksum", said["detail"])
        self.assertEqual(hub.call("POST", "/models/activity/versions/upload?version=9", raw=data)[0], 422)
        self.assertEqual(hub.call("POST", "/models/activity/rollouts", {"version": "1"})[0], 409)
        self.assertEqual(hub.call("POST", "/models/activity/rollouts", {"version": "1", "allow_unsigned": True})[0], 201)

    def test_too_much_is_refused(self):
        hub = self.hub("--rate", 20, "--strangers-rate", 5)
        for _ in range(5):
            self.assertEqual(hub.call("GET", "/fleet", token="none")[0], 401)
        status, body, headers = hub.call("GET", "/fleet", token="none")
        self.assertEqual((status, body["code"]), (429, "rate_limited"))
        self.assertGreaterEqual(int(headers["Retry-After"]), 1)
        answers = [hub.call("GET", "/fleet")[0] for _ in range(25)]
        self.assertEqual((answers[:19], answers[-1]), ([200] * 19, 429))
        other = self.directory / "other"
        other.mkdir()
        hub = Hub(other)
        self.addCleanup(hub.close)
        self.assertEqual(hub.call("POST", "/models", {"name": "x" * 300_000})[0], 413)
        self.assertEqual(hub.call("POST", "/models", raw=b"[" * 100_000)[0], 422)
        self.assertEqual(hub.call("POST", "/models", raw=b"\xff\xfe{}")[0], 422)

    def test_what_was_acknowledged_outlives_a_kill(self):
        hub = self.hub("--rate", 0, "--strangers-rate", 0)
        token = hub.bootstrap(10_000)
        hub.call("POST", "/models", {"name": "activity"})
        known, versions, stop = [], [], threading.Event()

        def register(worker):
            index = 0
            while not stop.is_set():
                name = f"{worker}-{index}"
                try:
                    status, tokens, _ = hub.call("POST", f"{AUTH}/bootstrap", {"org_id": "default", "device_identifier": name}, token=token)
                    status, made, _ = hub.call("POST", "/devices/register", {"device_identifier": name}, token=tokens["access_token"])
                    if status == 201:
                        known.append((made["id"], tokens))
                except OSError:
                    return
                index += 1

        def upload():
            import shutil
            from support import gaitway
            from test_api import key
            private = key(self.directory)
            for version in range(2, 40):
                path = self.directory / f"{version}.safetensors"
                shutil.copy(MODEL, path)
                assert gaitway("model", "sign", path, "--key", private, "--model-version", version).returncode == 0
                if stop.is_set():
                    return
                try:
                    status, made, _ = hub.call("POST", "/models/activity/versions/upload", raw=path.read_bytes())
                    if status == 201:
                        versions.append((made["version"], made["checksum"]))
                except OSError:
                    return

        threads = [threading.Thread(target=register, args=(worker,)) for worker in range(6)] + [threading.Thread(target=upload)]
        for thread in threads:
            thread.start()
        until(lambda: len(known) > 100 and len(versions) > 3, 60, "some of each")
        hub.kill()
        stop.set()
        for thread in threads:
            thread.join()
        hub.start()
        there = {device["id"] for device in hub.get("/devices?limit=500")["devices"]}
        for offset in range(500, len(known) + 20, 500):
            there |= {device["id"] for device in hub.get(f"/devices?limit=500&offset={offset}")["devices"]}
        self.assertLessEqual({device for device, _ in known}, there)
        self.assertEqual(dict(versions), {version: checksum for version, checksum in ((v["version"], v["checksum"]) for v in hub.get("/models/activity/versions")["versions"]) if version in dict(versions)})
        for device, tokens in known[-3:]:
            self.assertEqual(hub.call("PUT", f"/devices/{device}/heartbeat", {}, token=tokens["access_token"])[0], 200)

    @needs("openssl")
    def test_tls(self):
        files = [str(self.directory / name) for name in ("key.pem", "certificate.pem")]
        command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", files[0], "-out", files[1]]
        subprocess.run(command, check=True, capture_output=True)
        hub = self.hub("--certificate", files[1], "--key", files[0])
        self.assertTrue(hub.address.startswith("https://"))
        with urllib.request.urlopen(hub.address + "/api/v1/health", context=ssl.create_default_context(cafile=files[1])) as answer:
            self.assertEqual(json.loads(answer.read())["status"], "ok")
        with self.assertRaises(urllib.error.URLError):
            urllib.request.urlopen(hub.address + "/api/v1/health", context=ssl.create_default_context())
        self.assertIn("no certificate and its key", hub.run("serve", "--port", 0, "--certificate", MODEL, "--key", files[0], code=78, data=self.directory / "other.sqlite"))

    def test_wrong_command_lines(self):
        hub = self.hub()
        self.assertIn("no hub's database", subprocess.run([hub.process.args[0], "devices", "--data", str(MODEL)], capture_output=True, text=True).stderr)
        self.assertIn("no model", hub.run("rollouts", "start", "nothing", 1, code=66))
        self.assertIn("not signed", hub.run("models", "add", "m", MODEL) and hub.run("rollouts", "start", "m", 1, code=64))
        self.assertIn("cannot listen", hub.run("serve", "--port", hub.port, code=1, data=self.directory / "other.sqlite"))
        self.assertIn("no board", hub.run("devices", "revoke", "x", code=66))


class OurClient(HubCase):
    @unittest.skipUnless((ROOT / ".build-test").is_dir(), "no test build in .build-test (board/test makes it)")
    def test_every_call_of_fleet_client(self):
        hub = self.hub()
        hub.run("models", "add", "activity", MODEL)
        hub.run("groups", "create", "left")
        registered = self.directory / "registered"
        command = swift_test("FleetTests.LiveServerHubTests")
        environment = {**os.environ, "GAITWAY_STRICT": "1", "GAITWAY_HUB_ADDRESS": hub.address, "GAITWAY_HUB_BOOTSTRAP": hub.bootstrap(), "GAITWAY_HUB_REGISTERED": str(registered)}
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
        until(lambda: registered.exists() or process.poll() is not None, 200, "the board registers")
        if registered.exists():
            hub.run("groups", "add", "left", "swift-1")
            hub.run("rollouts", "start", "activity", 1, "--unsigned", "--group", "left", "--percent", 100)
        said, _ = process.communicate(timeout=100)
        self.assertEqual(process.returncode, 0, said[-3000:])
        self.assertIn("1 test in 1 suite passed", said)
        self.assertEqual(len(hub.get(f"/devices/{registered.read_text()}/events?limit=5000")["events"]), 700)
        until(lambda: hub.get("/rollouts")["rollouts"][0]["status"] == "completed", 10, "the roll-out is complete")


def key(directory):
    private = directory / "key.pem"
    subprocess.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", private], check=True, capture_output=True)
    return private


if __name__ == "__main__":
    unittest.main()
