"""hawkBit's Direct Device Integration API: boards of other makes get images of their system, asked by Debian's SWUpdate and by hand."""
import hashlib
import http.server
import json
import shutil
import subprocess
import threading
import time
import unittest
import urllib.error
import urllib.request

from hub import Hub
from support import TestCase


class Files(http.server.SimpleHTTPRequestHandler):
    """A web server with the images; keeps what it was sent of tokens."""
    tokens = []

    def do_GET(self):
        self.tokens.append(self.headers.get("Authorization"))
        super().do_GET()

    def log_message(self, *arguments):
        pass


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *arguments):
        return None


class Targets(TestCase):
    def setUp(self):
        super().setUp()
        self.hub = Hub(self.directory, "--rate", 0, "--strangers-rate", 0, "--heartbeat", 3700)
        self.addCleanup(self.hub.close)
        self.files = http.server.ThreadingHTTPServer(("127.0.0.1", 0), lambda *arguments: Files(*arguments, directory=self.directory))
        threading.Thread(target=self.files.serve_forever, daemon=True).start()
        self.addCleanup(self.files.server_close)
        self.addCleanup(self.files.shutdown)
        self.place = f"http://127.0.0.1:{self.files.server_address[1]}"
        self.token = self.hub.run("tokens", "create", "--target", "--name", "board-1").strip()

    def ask(self, path="", body=None, token=None, method=None, kind="TargetToken", name="board-1", tenant="DEFAULT"):
        address = path if path.startswith("http") else f"{self.hub.address}/{tenant}/controller/v1/{name}{path}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(address, data, {"Authorization": f"{kind} {token or self.token}", "Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.build_opener(NoRedirect).open(request) as answer:
                text = answer.read()
                return answer.status, json.loads(text) if text else None, answer.headers
        except urllib.error.HTTPError as error:
            with error:
                text = error.read()
                return error.code, json.loads(text) if text else None, error.headers

    def add(self, name, content, version):
        image = self.directory / name
        image.write_bytes(content)
        self.hub.run("models", "add", "system", image, "--url", f"{self.place}/{name}", "--version", version)
        return image

    def state(self, rollout):
        found = self.hub.get(f"/models/system/rollouts/{rollout}")
        return found["status"], found["progress"]

    def test_an_image_from_offer_to_installed(self):
        self.assertEqual(self.ask()[1]["config"], {"polling": {"sleep": "01:01:40"}})
        self.assertNotIn("deploymentBase", self.ask()[1]["_links"])
        content = bytes(range(256)) * 5000
        self.add("os-1.2.swu", content, "1.2")
        self.hub.run("rollouts", "start", "system", "1.2", "--percent", 100, "--error", 1)
        status, found, _ = self.ask(tenant="default")
        where = found["_links"]["deploymentBase"]["href"]
        status, deployment, _ = self.ask(where)
        self.assertEqual((status, deployment["id"]), (200, "1"))
        chunk, = deployment["deployment"]["chunks"]
        artifact, = chunk["artifacts"]
        self.assertEqual((chunk["name"], chunk["version"], artifact["filename"], artifact["size"]), ("system", "1.2", "os-1.2.swu", len(content)))
        self.assertEqual(artifact["hashes"], {name: hashlib.new(name, content).hexdigest() for name in ("sha1", "md5", "sha256")})
        self.assertEqual(self.ask("/deploymentBase/1/feedback", {"status": {"execution": 3}})[0], 422)
        status, _, headers = self.ask(artifact["_links"]["download-http"]["href"])
        self.assertEqual((status, headers["Location"]), (302, f"{self.place}/os-1.2.swu"))

        def say(execution, finished, *details):
            return self.ask("/deploymentBase/1/feedback", {"id": "1", "status": {"execution": execution, "result": {"finished": finished}, "details": details}})[0]
        self.assertEqual(say("proceeding", "none", "downloading"), 200)
        self.assertEqual(self.state(1)[1]["trying"], 1)
        self.assertEqual(self.ask(where)[0], 200)
        self.assertEqual(say("closed", "success"), 200)
        self.assertNotIn("deploymentBase", self.ask()[1]["_links"])
        self.assertEqual(self.ask(where)[0], 404)
        board = next(board for board in self.hub.get("/devices")["devices"] if board["device_identifier"] == "board-1")
        self.assertEqual(board["connectivity_status"], "online")
        # What the board tells of itself is asked for once.
        self.assertEqual(self.ask("/configData", {"mode": "merge", "data": {"HwRevision": "2"}}, method="PUT")[0], 200)
        self.assertEqual(self.ask()[1]["_links"], {})
        info = lambda: self.hub.get(f"/devices/{board['id']}")["info"]
        self.assertEqual(info(), {"metadata": {"HwRevision": "2"}, "target": True})
        for mode, data, kept in (("merge", {"b": "1"}, {"HwRevision": "2", "b": "1"}), ("remove", {"HwRevision": ""}, {"b": "1"}), ("replace", {"c": "x"}, {"c": "x"})):
            self.assertEqual(self.ask("/configData", {"mode": mode, "data": data}, method="PUT")[0], 200)
            self.assertEqual(info()["metadata"], kept)
        self.assertEqual(self.ask("/configData", {"mode": "other", "data": {}}, method="PUT")[0], 422)
        self.assertEqual(self.ask("/configData", {"mode": "merge", "data": {"d": "x" * 20000}}, method="PUT")[0], 413)
        # What comes late does not have it installed again; a new system says anew what it is.
        self.assertEqual(say("proceeding", "none"), 200)
        self.assertNotIn("deploymentBase", self.ask()[1]["_links"])
        self.add("os-1.3.swu", content, "1.3")
        self.hub.run("rollouts", "start", "system", "2", "--percent", 100)
        self.assertEqual(self.ask("/deploymentBase/2/feedback", {"status": {"execution": "closed", "result": {"finished": "success"}}})[0], 200)
        self.assertEqual(list(self.ask()[1]["_links"]), ["configData"])

    def test_an_image_that_fails_is_not_offered_again(self):
        self.add("os.raucb", b"1", "5")
        self.hub.run("rollouts", "start", "system", "5", "--percent", 100, "--minimum", 1)
        for wrong in ({}, {"status": {}}, {"status": {"execution": {}}}, {"status": 3}, {"status": {"execution": "CLOSED"}},
                      {"status": {"execution": "closed", "result": "failure"}}, {"status": {"execution": "closed", "result": {"finished": "FAILURE"}}}):
            self.assertEqual(self.ask("/deploymentBase/1/feedback", wrong)[0], 422, wrong)
        for action in ("2", "x", "01", "+1", "99999999999999999999"):
            self.assertEqual(self.ask(f"/deploymentBase/{action}/feedback", {"status": {"execution": "closed"}})[0], 404, action)
        failure = {"status": {"execution": "closed", "result": {"finished": "failure"}, "details": ["a", "signature\nwrong" + "x" * 1000]}}
        self.assertEqual(self.ask("/deploymentBase/1/feedback", failure)[0], 200)
        self.assertNotIn("deploymentBase", self.ask()[1]["_links"])
        end = time.monotonic() + 20
        while self.state(1)[0] != "stopped" and time.monotonic() < end:
            time.sleep(0.2)
        self.assertEqual((self.state(1)[0], self.state(1)[1]["failed"]), ("stopped", 1))
        board = self.hub.get("/devices")["devices"][0]["id"]
        told, = self.hub.get(f"/devices/{board}")["models"]
        self.assertEqual((told["state"], told["reason"][:18], len(told["reason"])), ("refused", "a; signaturewrongx", 500))

    def test_what_was_never_offered_is_not_reported(self):
        self.add("os.swu", b"1", "5")
        group = self.hub.call("POST", "/groups", {"name": "others"})[1]["id"]
        self.hub.run("rollouts", "start", "system", "5", "--group", "others", "--percent", 100)
        closed = {"status": {"execution": "closed", "result": {"finished": "failure"}}}
        self.assertEqual(self.ask("/deploymentBase/1/feedback", closed)[0], 404)
        self.assertEqual(self.ask("/softwaremodules/1/artifacts/os.swu")[0], 404)
        board = self.hub.get("/devices")["devices"][0]["id"]
        self.hub.run("groups", "add", group, board)
        self.assertEqual(self.ask("/deploymentBase/1/feedback", {"status": {"execution": "proceeding"}})[0], 200)
        # A pause does not cut a download off.
        self.assertEqual(self.hub.call("POST", "/models/system/rollouts/1/pause", {})[0], 200)
        self.assertEqual(self.ask("/deploymentBase/1")[0], 404)
        self.assertEqual(self.ask("/softwaremodules/1/artifacts/os.swu")[0], 302)
        self.assertEqual(self.ask("/deploymentBase/1/feedback", closed)[0], 200)
        self.assertEqual(self.ask("/softwaremodules/1/artifacts/else.swu")[0], 404)

    def test_names_of_others(self):
        token = self.hub.bootstrap(2)
        for name in ("gaitways", "bootstrapped"):
            own = self.hub.call("POST", "/device-auth/bootstrap", {"org_id": "default", "device_identifier": name}, token=token)[1]["access_token"]
            if name == "gaitways":
                self.assertEqual(self.hub.call("POST", "/devices/register", {"device_identifier": name}, token=own)[0], 201)
            self.assertIn(name, self.hub.run("tokens", "create", "--target", "--name", name, code=64))
        board = next(board for board in self.hub.get("/devices")["devices"] if board["device_identifier"] == "gaitways")
        self.assertEqual(board["info"]["device_identifier"], "gaitways")
        # A second token ends the first; a board that is revoked and back has none.
        again = self.hub.run("tokens", "create", "--target", "--name", "board-1").strip()
        self.assertEqual(self.ask(token=again)[0], 200)
        self.until(lambda: self.ask()[0] == 401)
        board = next(board["id"] for board in self.hub.get("/devices")["devices"] if board["device_identifier"] == "board-1")
        self.hub.run("devices", "revoke", board)
        self.hub.run("devices", "revoke", board, "--undo")
        self.until(lambda: self.ask(token=again)[0] == 401)
        # The name of a model is no exception from the audit.
        self.assertEqual(self.hub.call("POST", "/models", {"name": "qr-codes"})[0], 201)
        self.assertEqual(self.hub.call("DELETE", "/models/qr-codes")[0], 204)
        self.assertIn("DELETE /api/v1/models/qr-codes", [entry["action"] for entry in self.hub.get("/audit")["entries"]])

    def test_whose_token_it_is(self):
        other = self.hub.run("tokens", "create", "--target", "--name", "board-2").strip()
        self.assertEqual(self.ask(token=other)[0], 403)
        self.assertEqual(self.ask(token=other, name="board-2")[0], 200)
        self.assertEqual(self.ask(tenant="acme")[0], 403)
        self.assertEqual(self.ask(token="gwt_" + "0" * 64)[0], 401)
        self.assertEqual(self.ask(kind="GatewayToken")[0], 401)
        # Nothing else is open to it, and images are to no other token.
        self.assertEqual(self.hub.call("GET", "/devices", token=self.token)[0], 401)
        self.assertEqual(self.ask(token=self.hub.token)[0], 403)
        board = next(board["id"] for board in self.hub.get("/devices")["devices"] if board["device_identifier"] == "board-2")
        self.assertEqual(self.hub.call("POST", f"/devices/{board}/revoke", {})[0] // 100, 2)
        self.assertEqual(self.ask(token=other, name="board-2")[0], 401)
        self.assertIn("letters", self.hub.run("tokens", "create", "--target", "--name", "a b", code=64))
        for url, version in (("ftp://x/y", "1"), ("http://x/ y", "1"), ("http://x/y", "1/2")):
            self.assertIn("its ", self.hub.run("models", "add", "system", __file__, "--url", url, "--version", version, code=64))
        self.assertIn("does not exist", self.hub.run("models", "add", "system", "/nowhere", "--url", "http://x/y", "--version", "1", code=66))

    @unittest.skipUnless(shutil.which("swupdate"), "not installed: swupdate")
    def test_swupdate(self):
        work, installed = self.directory / "swu", self.directory / "installed"
        work.mkdir()
        (work / "system.txt").write_text("system 1.2\n")
        digest = hashlib.sha256((work / "system.txt").read_bytes()).hexdigest()
        (work / "sw-description").write_text(f"""software = {{ version = "1.2"; hardware-compatibility = [ "1.0" ];
            files: ( {{ filename = "system.txt"; path = "{installed}"; sha256 = "{digest}"; }} ); }}""")

        def run(*command, **options):
            return subprocess.run([str(word) for word in command], cwd=work, check=True, capture_output=True, **options)
        run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem", "-days", 2, "-subj", "/CN=test", "-addext", "extendedKeyUsage=emailProtection")
        run("openssl", "cms", "-sign", "-in", "sw-description", "-out", "sw-description.sig", "-signer", "cert.pem", "-inkey", "key.pem", "-outform", "DER", "-nosmimecap", "-binary")
        image = run("cpio", "-o", "-H", "crc", input=b"sw-description\nsw-description.sig\nsystem.txt\n").stdout
        self.add("os.swu", image, "1.2")
        self.hub.run("rollouts", "start", "system", "1", "--percent", 100, "--error", 1)

        def client(until, *more):
            """Runs until that is so, at most half a minute."""
            options = f"-t default -u {self.hub.address} -i board-1 -k {self.token} -p 1 {' '.join(more)}"
            with open(work / "log", "w") as log:
                process = subprocess.Popen(["swupdate", "-H", "board:1.0", "-M", "-m", "-k", "cert.pem", "-u", options], cwd=work, stdout=log, stderr=log, start_new_session=True)
            # With its children, whatever comes of it.
            self.addCleanup(lambda: subprocess.run(["pkill", "-KILL", "-s", str(process.pid)]))
            end = time.monotonic() + 30
            while not until() and time.monotonic() < end:
                time.sleep(0.1)
            process.terminate()
            process.wait()
            self.assertTrue(until(), (work / "log").read_text()[-3000:])
        client(lambda: installed.exists() and self.state(1)[1]["trying"] == 1)
        self.assertEqual(installed.read_text(), "system 1.2\n")
        # The web server is another one: the hub's token is not for it.
        self.assertEqual(set(Files.tokens), {None})
        # After the board began anew it says that all is well.
        client(lambda: self.state(1)[0] == "completed", "-c 2")
        self.assertEqual(self.state(1)[1]["committed"], 1)
