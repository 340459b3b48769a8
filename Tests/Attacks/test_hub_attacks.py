"""What is tried against a hub and against the boards that it keeps, by whoever has a token, an address or a file of it."""
import http.client
import json
import os
import socket
import sqlite3
import ssl
import subprocess
import time
import unittest
import urllib.error
import urllib.request

from hub import HUB, Hub
from support import GAITWAY, TestCase, needs

AUTH = "/device-auth"


class Attack(TestCase):
    def hub(self, *options):
        hub = Hub(self.directory, *options)
        self.addCleanup(hub.close)
        return hub

    def board(self, name, *arguments):
        """`gaitway` as a board of that name."""
        return subprocess.run([GAITWAY, *map(str, arguments)], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "STATE_DIRECTORY": str(self.directory / "boards" / name)})

    def register(self, hub, name, token=None):
        result = self.board(name, "register", "--hub", hub.address, "--token", token or hub.bootstrap(), "--name", name)
        self.assertEqual(result.returncode, 0, result.stderr)

    def bootstrap(self, hub, name, token, **more):
        """Status and body, as a client without a key asks."""
        return hub.call("POST", f"{AUTH}/bootstrap", {"org_id": "default", "device_identifier": name, **more}, token=token)[:2]


class TakeOver(Attack):
    """Finding 1."""

    def test_a_bootstrap_token_takes_no_board_over(self):
        hub = self.hub()
        self.register(hub, "victim")
        before = hub.devices()[0]
        self.assertEqual(before["identity"], "key")
        for token in (hub.bootstrap(), hub.bootstrap(10)):
            status, body = self.bootstrap(hub, "victim", token)
            self.assertEqual((status, body["code"]), (409, "device_exists"))
        # A key of its own does not help.
        result = self.board("thief", "register", "--hub", hub.address, "--token", hub.bootstrap(), "--name", "victim")
        self.assertEqual(result.returncode, 77, result.stderr)
        self.assertIn("reopen", result.stderr)
        # The victim notices nothing.
        self.assertEqual(self.board("victim", "register", "--hub", hub.address).returncode, 0)
        self.assertEqual([device["id"] for device in hub.devices()], [before["id"]])

    def test_the_same_board_may_come_back_and_another_where_the_name_was_reopened(self):
        hub = self.hub()
        self.register(hub, "board")
        self.register(hub, "board")
        hub.run("devices", "reopen", "board")
        self.assertEqual(self.board("new-card", "register", "--hub", hub.address, "--token", hub.bootstrap(), "--name", "board").returncode, 0)
        self.assertEqual(len(hub.devices()), 1)
        # Once: the next one is refused, and so is the first card.
        self.assertEqual(self.bootstrap(hub, "board", hub.bootstrap())[0], 409)
        self.assertEqual(self.board("board", "register", "--hub", hub.address, "--token", hub.bootstrap(), "--name", "board").returncode, 77)

    def test_tokens_that_were_replaced_end_at_once(self):
        hub = self.hub()
        token = hub.bootstrap()
        _, first = self.bootstrap(hub, "a", token)
        self.assertEqual(hub.call("POST", "/devices/register", {"device_identifier": "a"}, token=first["access_token"])[0], 201)
        hub.run("devices", "reopen", "a")
        _, second = self.bootstrap(hub, "a", token)
        self.assertEqual(hub.call("GET", "/models", token=first["access_token"])[0], 401)
        self.assertEqual(hub.call("GET", "/models", token=second["access_token"])[0], 200)

    def test_a_stolen_refresh_token_is_worth_nothing_without_the_key(self):
        hub = self.hub()
        self.register(hub, "board")
        kept = next((self.directory / "boards/board/ai.edgeml").glob("*.json"))
        stolen = json.loads(kept.read_text())["refresh_token"]
        for body in ({}, {"nonce": "1.2.3", "proof": "00"}, {"public_key": "x"}):
            status, answer, _ = hub.call("POST", f"{AUTH}/refresh", {"refresh_token": stolen, **body})
            self.assertEqual((status, answer["code"]), (401, "proof_required"), body)
        self.assertEqual(self.board("board", "register", "--hub", hub.address).returncode, 0)

    @needs("systemd-creds")
    def test_a_key_may_be_a_sealed_credential(self):
        """Who copies the card has no key: systemd decrypts it for the service alone."""
        hub, state, service = self.hub(), self.directory / "boards" / "one", self.directory / "credentials"
        self.register(hub, "one")
        service.mkdir()
        sealed, key = self.directory / "board-key.cred", state / "board-key.pem"
        for command in (["encrypt", "--with-key=host", "--name=board-key", key, sealed], ["decrypt", "--name=board-key", sealed, service / "board-key"]):
            subprocess.run(["systemd-creds", *command], check=True, capture_output=True)
        key.unlink()
        tokens, = state.glob("ai.edgeml/*.json")

        def renew(**more):
            tokens.write_text(json.dumps({**json.loads(tokens.read_text()), "expires_at": "2026-01-01T00:00:00.000Z"}))
            return subprocess.run([GAITWAY, "register", "--hub", hub.address], capture_output=True, text=True, timeout=60,
                                  env={**os.environ, "STATE_DIRECTORY": str(state), **more})

        renewed = renew(CREDENTIALS_DIRECTORY=str(service))
        self.assertEqual(renewed.returncode, 0, renewed.stderr)
        self.assertFalse(key.exists())
        self.assertEqual(renew().returncode, 77)

    def test_a_hub_may_ask_for_keys(self):
        hub = self.hub("--require-keys")
        self.assertEqual(self.bootstrap(hub, "phone", hub.bootstrap())[0], 403)
        self.register(hub, "board")


class Sybils(Attack):
    """Finding 2."""

    def test_a_one_board_token_registers_one_board(self):
        hub = self.hub()
        token = hub.bootstrap()
        for number in range(3):
            status, tokens = self.bootstrap(hub, "first", token)
            if number == 0:
                registered = hub.call("POST", "/devices/register", {"device_identifier": "sybil-0"}, token=tokens["access_token"])[0]
                self.assertEqual(registered, 201)
            else:
                self.assertEqual(status, 401, "the token was used up under another name")
        self.assertEqual(len(hub.devices()), 1)


class Poison(Attack):
    """Finding 8."""

    def test_one_gradient_destroys_nothing(self):
        hub = self.hub("--strangers-rate", 0)
        hub.run("crowd", "start", "--features", 3, "--classes", 2, "--open")
        time.sleep(1.5)
        self.register(hub, "evil")
        token = json.loads(next((self.directory / "boards/evil/ai.edgeml").glob("*.json")).read_text())["access_token"]
        uid = hub.devices()[0]["id"]

        def write(vector):
            request = urllib.request.Request(f"{hub.crowd}/users/{uid}.json?auth={token}", method="PATCH", data=json.dumps(
                {"gradients": vector, "gradIter": 1, "weightIter": 1, "paramIter": 1, "gradientProcessed": False}).encode())
            try:
                with urllib.request.urlopen(request, timeout=20) as answer:
                    return answer.status
            except urllib.error.HTTPError as error:
                return error.code
        for value in (1e200, 1e76, -1e300):
            self.assertEqual(write([value] * 6), 400)
        self.assertEqual(write([1e70] * 6), 200)
        with urllib.request.urlopen(f"{hub.crowd}/trainingWeights/weights.json?auth={token}", timeout=20) as answer:
            self.assertLess(max(abs(float(weight)) for weight in json.load(answer)), 10)
        hub.close()
        hub.start()
        self.assertEqual(json.loads(hub.run("crowd", "status", "--json"))["iteration"], "2")


class Approval(Attack):
    """A person approves each new board, with the key that it has shown."""

    def ask(self, name, token, hub, state=None):
        return self.board(state or name, "register", "--hub", hub.address, "--token", token, "--name", name)

    def test_nobody_registers_without_a_person(self):
        hub = self.hub("--approve")
        token = hub.bootstrap(2)
        asked = self.ask("new", token, hub)
        self.assertEqual(asked.returncode, 75, asked.stderr)
        self.assertIn("waits until a person approves it", asked.stderr)
        waiting = [json.loads(line) for line in hub.run("devices", "waiting", "--json").splitlines()]
        self.assertEqual([(one["device_identifier"], one["status"]) for one in waiting], [("new", "waiting")])
        self.assertIn(waiting[0]["key"], asked.stderr)
        # Asking again changes nothing; another key under the name is refused, before it is approved and after.
        self.assertEqual(self.ask("new", token, hub).returncode, 75)
        self.assertEqual(self.ask("new", token, hub, state="thief").returncode, 77)
        hub.run("devices", "approve", "new")
        self.assertEqual(self.ask("new", token, hub, state="thief").returncode, 77)
        self.assertEqual(self.bootstrap(hub, "new", token)[0], 409)
        self.assertEqual(hub.devices(), [])
        registered = self.ask("new", token, hub)
        self.assertEqual(registered.returncode, 0, registered.stderr)
        self.assertEqual([device["device_identifier"] for device in hub.devices()], ["new"])
        self.assertEqual(hub.run("devices", "waiting", "--json"), "")
        # A board that is known is asked nothing.
        self.assertEqual(self.ask("new", token, hub).returncode, 0)

    def test_a_token_keeps_no_more_boards_waiting_than_it_may_register(self):
        hub = self.hub("--approve")
        token = hub.bootstrap(2)
        self.assertEqual([self.ask(f"b{number}", token, hub).returncode for number in range(3)], [75, 75, 77])
        self.assertEqual(self.ask("b9", "no token", hub).returncode, 77)
        self.assertEqual(len(hub.get("/waiting-boards")["boards"]), 2)
        # One without a key is told apart by its token.
        other = hub.bootstrap()
        self.assertEqual(self.bootstrap(hub, "plain", other)[1]["code"], "approval_pending")
        hub.run("devices", "approve", "plain")
        self.assertEqual(self.bootstrap(hub, "plain", hub.bootstrap())[0], 409)
        self.assertEqual(self.bootstrap(hub, "plain", other)[0], 201)

    def test_owners_approve_over_the_api(self):
        hub = self.hub("--approve")
        self.ask("new", hub.bootstrap(), hub)
        board = hub.get("/waiting-boards")["boards"][0]
        viewer = hub.run("tokens", "create", "--name", "v", "--role", "viewer").strip()
        self.assertEqual(hub.call("POST", f"/waiting-boards/{board['id']}/approve", {}, token=viewer)[0], 403)
        self.assertEqual(hub.call("DELETE", f"/waiting-boards/{board['id']}", token=viewer)[0], 403)
        self.assertEqual(hub.call("POST", f"/waiting-boards/{board['id']}/approve", {})[1]["status"], "approved")
        self.assertEqual(hub.call("DELETE", f"/waiting-boards/{board['id']}")[0], 204)
        self.assertEqual(hub.call("DELETE", f"/waiting-boards/{board['id']}")[0], 404)

    def test_one_server_has_a_file(self):
        hub = self.hub()
        second = subprocess.run([HUB, "serve", "--data", str(hub.data), "--port", "0"], capture_output=True, text=True, timeout=20)
        self.assertEqual(second.returncode, 75, second.stderr)
        self.assertIn("another gaitway-hub", second.stderr)


class Silence(Attack):
    """Finding 10."""

    def test_idle_connections_and_a_dripping_body_lock_nobody_out(self):
        import resource
        server = subprocess.Popen([HUB, "serve", "--data", str(self.directory / "hub.sqlite"), "--port", "0"], stderr=subprocess.PIPE, text=True,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (400, 400)))
        self.addCleanup(lambda: (server.terminate(), server.communicate()))
        port = int(server.stderr.readline().split(",")[0].rsplit(":", 1)[1])
        drip = socket.create_connection(("127.0.0.1", port), timeout=100)
        self.addCleanup(drip.close)
        drip.sendall(b"POST /api/v1/device-auth/refresh HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
        began = time.monotonic()
        idle = [socket.create_connection(("127.0.0.1", port), timeout=20) for _ in range(1000)]
        self.addCleanup(lambda: [connection.close() for connection in idle])
        for _ in range(20):
            asked = time.monotonic()
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            connection.request("GET", "/api/v1/health")
            self.assertEqual(connection.getresponse().status, 200)
            connection.close()
            self.assertLess(time.monotonic() - asked, 5)
        # One byte in a few seconds keeps no connection for ever.
        while time.monotonic() - began < 90:
            try:
                drip.sendall(b" ")
                drip.settimeout(3)
                if not drip.recv(1):
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        self.assertLess(time.monotonic() - began, 75)


class Filling(Attack):
    """Finding 11."""

    def test_a_board_fills_no_disk(self):
        hub = self.hub("--rate", 0)
        token = hub.bootstrap()
        _, tokens = self.bootstrap(hub, "a", token)
        access = tokens["access_token"]
        _, device, _ = hub.call("POST", "/devices/register", {"device_identifier": "a"}, token=access)
        sent, status = 0, 200
        while status == 200 and sent < 20_000_000:
            events = [{"name": "x", "timestamp": 1e14, "attributes": {"a": "y" * 4000}} for _ in range(50)]
            status, _, headers = hub.call("POST", "/telemetry/batches", {"batchId": f"b{sent}", "events": events}, token=access)
            sent += 50 * 4000
        self.assertEqual(status, 429)
        self.assertLess(sent, 3_000_000)
        self.assertGreater(int(headers["retry-after"]), 60)
        # A stamp from the future ages.
        latest = hub.get(f"/devices/{device['id']}/events?limit=1")["events"][0]
        self.assertLess(latest["at"] if isinstance(latest.get("at"), float) else time.time(), time.time() + 90_000)
        self.assertEqual(hub.call("PUT", f"/devices/{device['id']}/heartbeat", {"metadata": {"a": "y" * 250_000}}, token=access)[0], 413)


@needs("openssl")
class Transport(Attack):
    """Finding 12."""

    def test_old_tls_is_refused(self):
        key, certificate = self.directory / "key.pem", self.directory / "cert.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=localhost"],
                       check=True, capture_output=True)
        # Its tools speak plain HTTP: the server is started by hand.
        server = subprocess.Popen([HUB, "serve", "--data", str(self.directory / "tls.sqlite"), "--port", "0", "--certificate", str(certificate), "--key", str(key)],
                                  stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (server.terminate(), server.communicate()))
        port = int(server.stderr.readline().split(",")[0].rsplit(":", 1)[1])

        def connect(version):
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            context.set_ciphers("ALL:@SECLEVEL=0")
            context.minimum_version = context.maximum_version = version
            with socket.create_connection(("127.0.0.1", port), timeout=10) as plain, context.wrap_socket(plain) as secured:
                return secured.version()
        self.assertEqual(connect(ssl.TLSVersion.TLSv1_2), "TLSv1.2")
        for version in (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1):
            with self.assertRaises((ssl.SSLError, ConnectionError)):
                connect(version)

    def test_tokens_do_not_leave_the_machine_unprotected_by_accident(self):
        result = subprocess.run([HUB, "serve", "--data", str(self.directory / "x.sqlite"), "--host", "0.0.0.0", "--port", "0"], capture_output=True, text=True, timeout=20)
        self.assertEqual(result.returncode, 78, result.stderr)
        self.assertIn("--allow-http", result.stderr)


class Limits(Attack):
    """Finding 15."""

    def test_whoever_asks_for_its_health_locks_nobody_out(self):
        hub = self.hub("--strangers-rate", 10)
        for _ in range(70):
            self.assertEqual(hub.call("GET", "/health")[0], 200)
        self.register(hub, "board")

    def test_behind_a_proxy_each_house_has_its_own_limit(self):
        hub = self.hub("--strangers-rate", 3, "--trusted-proxy", "127.0.0.1")

        def ask(address):
            return hub.call("POST", f"{AUTH}/bootstrap", {"org_id": "default", "device_identifier": "x"}, token="wrong", headers={"X-Forwarded-For": address})[0]
        self.assertEqual([ask("1.2.3.4") for _ in range(4)], [401, 401, 401, 429])
        self.assertEqual(ask("5.6.7.8"), 401)
        # All of a house's addresses are one; what stands before the proxy's word counts for nothing.
        self.assertEqual([ask(address) for address in ("2001:db8::1", "2001:db8::2", "9.9.9.9, 2001:db8:0:0:f::3", "2001:db8::4")], [401, 401, 401, 429])
        self.assertEqual(ask("2001:db8:0:1::1"), 401)


class Erasure(Attack):
    """Finding 16."""

    def test_nothing_stays_of_a_board_that_is_erased(self):
        hub = self.hub()
        self.register(hub, "board")
        device = hub.devices()[0]["id"]
        access = json.loads(next((self.directory / "boards/board/ai.edgeml").glob("*.json")).read_text())["access_token"]
        self.assertEqual(hub.call("PUT", f"/devices/{device}/heartbeat", {"metadata": {}}, token=access)[0], 200)
        batch = {"batchId": "b", "events": [{"name": "activity", "attributes": {"activity": "WALKING"}}]}
        self.assertEqual(hub.call("POST", "/telemetry/batches", batch, token=access)[0], 200)
        result = self.board("board", "unregister", "--erase")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertFalse([path for path in (self.directory / "boards/board").rglob("*") if path.is_file() and path.name != "lock"])
        self.assertEqual(hub.call("GET", "/models", token=access)[0], 401)
        hub.close()
        with sqlite3.connect(hub.data) as database:
            dump = "\n".join(database.iterdump())
        self.assertNotIn(device, dump)
        self.assertNotIn("WALKING", dump)

    def test_a_person_deletes_a_board(self):
        hub = self.hub()
        self.register(hub, "board")
        hub.run("devices", "delete", "board")
        self.assertEqual(hub.devices(), [])
        self.assertEqual(self.bootstrap(hub, "board", hub.bootstrap())[0], 201, "its name is free")


class People(Attack):
    """Finding 21."""

    def test_a_person_does_what_the_role_allows_and_it_is_written_down(self):
        hub = self.hub()
        self.register(hub, "board")
        device = hub.devices()[0]["id"]
        tokens = {role: hub.run("tokens", "create", "--name", role, "--role", role).strip() for role in ("viewer", "operator", "owner")}
        status = {role: [hub.call("GET", "/devices", token=token)[0], hub.call("POST", "/models", {"name": f"by-{role}"}, token=token)[0]]
                  for role, token in tokens.items()}
        self.assertEqual(status, {"viewer": [200, 403], "operator": [200, 201], "owner": [200, 201]})
        for role in ("viewer", "operator"):
            self.assertEqual(hub.call("POST", f"/devices/{device}/revoke", token=tokens[role])[0], 403)
            self.assertEqual(hub.call("DELETE", f"/devices/{device}", token=tokens[role])[0], 403)
        self.assertEqual(hub.call("DELETE", f"/devices/{device}", token=tokens["owner"])[0], 204)
        entries = [json.loads(line) for line in hub.run("audit", "--json").splitlines()]
        self.assertEqual(
            [(entry["who"], entry["action"].split()[0], int(entry["status"])) for entry in reversed(entries)],
            [("viewer", "POST", 403), ("operator", "POST", 201), ("owner", "POST", 201), *[(role, verb, 403) for role in ("viewer", "operator")
                                                                                         for verb in ("POST", "DELETE")], ("owner", "DELETE", 204)])


class Files(Attack):
    """Finding 19."""

    def test_a_backup_of_a_running_hub_has_all_of_it(self):
        hub, copy = self.hub(), self.directory / "copy.sqlite"
        self.register(hub, "before")
        hub.run("backup", copy)
        self.assertEqual(os.stat(copy).st_mode & 0o777, 0o600)
        self.assertIn("is there already", hub.run("backup", copy, code=64))
        self.register(hub, "after")
        self.assertIn("a server runs", hub.run("restore", copy, code=75))
        hub.close()
        self.assertIn("before-", hub.run("restore", copy))
        hub.start()
        self.assertEqual([device["device_identifier"] for device in hub.devices()], ["before"])
        self.assertEqual(self.board("before", "register", "--hub", hub.address).returncode, 0)

    def test_a_file_of_a_newer_version_is_refused_by_name(self):
        hub = self.hub()
        hub.close()
        with sqlite3.connect(hub.data) as database:
            database.execute("INSERT INTO grdb_migrations VALUES ('99')")
        said = hub.run("devices", "list", code=78)
        self.assertIn("schema 99", said)
        self.assertIn("newer", said)


if __name__ == "__main__":
    unittest.main()
