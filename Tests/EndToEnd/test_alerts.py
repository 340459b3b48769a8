"""A hub's alerts at a webhook and as mail: what began and ended is told once, over outages and restarts."""
import email.policy
import http.server
import json
import shutil
import subprocess
import threading
import time
import unittest

from hub import HUB, Hub
from support import TestCase, free_port


BROKER = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin")


class Webhook:
    """Takes JSON; `status` is what it answers."""

    def __init__(self):
        webhook = self
        self.status, self.alerts, self.texts = 200, [], []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                told = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if webhook.status == 200:
                    webhook.texts.append(told["text"])
                    webhook.alerts += [(one["device_identifier"], one["reason"], one["state"]) for one in told["alerts"]]
                self.send_response(webhook.status)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}/hook?secret=1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Alerts(TestCase):
    def setUp(self):
        super().setUp()
        self.webhook = Webhook()
        self.addCleanup(self.webhook.close)
        self.file = self.directory / "webhook"
        self.file.write_text(self.webhook.address + "\n")

    def hub(self, *options):
        hub = Hub(self.directory, "--heartbeat", 2, "--rate", 0, "--strangers-rate", 0, "--alert-webhook-file", self.file, *options)
        self.addCleanup(hub.close)
        return hub

    def board(self, hub, name):
        _, tokens, _ = hub.call("POST", "/device-auth/bootstrap", {"org_id": "default", "device_identifier": name}, token=hub.bootstrap())
        _, made, _ = hub.call("POST", "/devices/register", {"device_identifier": name}, token=tokens["access_token"])
        return lambda metadata: self.assertEqual(hub.call("PUT", f"/devices/{made['id']}/heartbeat", {"metadata": metadata}, token=tokens["access_token"])[0], 200)

    def told(self, *alerts):
        self.until(lambda: set(alerts) <= set(self.webhook.alerts))
        self.assertEqual(len(self.webhook.alerts), len(set(self.webhook.alerts)), "each of them once")

    def test_a_fall_and_its_end(self):
        hub = self.hub()
        beat = self.board(hub, "grandpa")
        beat({"fall": "alarm", "battery_level": 3})
        self.told(("grandpa", "fall", "begun"))
        self.assertEqual(self.webhook.texts, ["grandpa: fall"], "batteries were not asked for")
        hub.close()
        hub.start()
        beat({"fall": "alarm"})
        beat({"fall": "recovered"})
        self.told(("grandpa", "fall", "begun"), ("grandpa", "fall", "ended"))
        self.assertIn("grandpa: fall, no more", self.webhook.texts[-1])

    def test_a_board_that_is_away_and_a_webhook_that_is(self):
        self.webhook.status = 503
        hub = self.hub("--alert-on", "offline")
        beat = self.board(hub, "attic")
        beat({})
        self.until(lambda: hub.get("/attention")["counts"].get("offline"))
        self.assertEqual(self.webhook.alerts, [])
        self.webhook.status = 200
        self.told(("attic", "offline", "begun"))
        beat({})
        self.told(("attic", "offline", "begun"), ("attic", "offline", "ended"))

    def test_mail_beside_a_webhook_that_is_away(self):
        letters, program = self.directory / "letters", self.directory / "sendmail"
        letters.mkdir()
        program.write_text(f"#!/bin/sh\n[ -e {letters}/away ] && exit 75\necho \"$*\" > {letters}/arguments\npart=$(mktemp {letters}/part.XXXXXX)\n"
                           f"cat > $part && mv $part {letters}/letter.${{part##*.}}\n")
        program.chmod(0o755)
        hub = self.hub("--alert-mail", "nurse@example.org", "--sendmail", program)
        beat = self.board(hub, "grandpa <3>\u2028Bcc: x@example.org")
        self.webhook.status = 503
        beat({"fall": "alarm", "fall_at": "one"})
        self.until(lambda: len(list(letters.glob("letter.*"))) == 1)
        letter = email.message_from_string(next(letters.glob("letter.*")).read_text(), policy=email.policy.default)
        self.assertEqual((letter["To"], letter["Bcc"], letter["Auto-Submitted"]), ("nurse@example.org", None, "auto-generated"))
        self.assertIn("grandpa <3>", letter["Subject"])
        self.assertRegex(letter.get_content(), r"grandpa <3>.*: fall \(2\d{3}-\d\d-\d\dT.*Z\)")
        self.assertEqual((letters / "arguments").read_text().split(), ["-t", "-i"])
        # What the webhook missed it is told once it is back, also after a restart, and each of them what is over.
        (letters / "away").touch()
        time.sleep(1.5)
        hub.kill()
        hub.start()
        beat({"fall": "alarm", "fall_at": "one"})
        self.webhook.status = 200
        beat({"fall": "recovered", "fall_at": "one"})
        self.until(lambda: [state for _, _, state in self.webhook.alerts] == ["begun", "ended"], 60)
        self.assertEqual(len(list(letters.glob("letter.*"))), 1)
        (letters / "away").unlink()
        self.until(lambda: len(list(letters.glob("letter.*"))) == 2, 60)
        time.sleep(8)
        self.assertEqual((len(self.webhook.alerts), len(list(letters.glob("letter.*")))), (2, 2), "each of them once")

    @unittest.skipUnless(BROKER and shutil.which("mosquitto_sub"), "not installed: mosquitto mosquitto-clients")
    def test_a_broker(self):
        users, settings, port = self.directory / "users", self.directory / "mosquitto.conf", free_port()
        subprocess.run(["mosquitto_passwd", "-b", "-c", users, "the hub", "s:cret/"], check=True, capture_output=True)
        users.chmod(0o644)
        settings.write_text(f"listener {port} 127.0.0.1\nallow_anonymous false\npassword_file {users}\nuser root\n")
        login = ["-h", "127.0.0.1", "-p", str(port), "-u", "the hub", "-P", "s:cret/"]
        place = self.directory / "broker"
        place.write_text(f"mqtt://the%20hub:wrong@127.0.0.1:{port}/homes/alerts\n")
        hub = Hub(self.directory, "--heartbeat", 2, "--rate", 0, "--strangers-rate", 0, "--alert-mqtt-file", place)
        beat = self.board(hub, "grandpa")
        beat({"fall": "alarm", "fall_at": "one"})
        # No broker, then one that does not take this password, then all is well.
        time.sleep(8)
        broker = subprocess.Popen([BROKER, "-c", settings], stderr=subprocess.DEVNULL)
        self.addCleanup(broker.wait)
        self.addCleanup(broker.terminate)
        self.until(lambda: subprocess.run(["mosquitto_pub", *login, "-t", "x", "-m", "x"], capture_output=True).returncode == 0)
        listener = subprocess.Popen(["mosquitto_sub", *login, "-t", "homes/alerts/#", "-F", "%t %p", "-C", "2", "-W", "90"], stdout=subprocess.PIPE, text=True)
        time.sleep(8)
        hub.close()
        place.write_text(f"mqtt://the%20hub:s%3Acret%2F@127.0.0.1:{port}/homes/alerts\n")
        hub.start()
        self.addCleanup(hub.close)
        beat({"fall": "alarm", "fall_at": "one"})
        topic, told = listener.stdout.readline().split(" ", 1)
        told = json.loads(told)
        self.assertEqual(topic, f"homes/alerts/default/{told['device_id']}/fall")
        self.assertEqual((told["name"], told["reason"], told["state"]), ("grandpa", "fall", "begun"))
        beat({"fall": "recovered", "fall_at": "one"})
        self.assertEqual(json.loads(listener.stdout.readline().split(" ", 1)[1])["state"], "ended")
        listener.wait()
        listener.stdout.close()

    def test_an_address_that_is_none(self):
        for text in ("", "http://example.org/hook", "ftp://example.org", "https://exa mple\x01"):
            self.file.write_text(text)
            result = subprocess.run([HUB, "serve", "--data", self.directory / "hub.sqlite", "--port", "0", "--alert-webhook-file", self.file],
                                    capture_output=True, text=True, timeout=30)
            self.assertEqual(result.returncode, 78, (text, result.stderr))
            self.assertNotIn("example.org", result.stderr, "it may hold a secret")
        for text in ("", "mqtt://", "https://secret@host", "mqtt://secret@host:0", "mqtt://secret@host:x/a", "mqtt://secret@host/a/#", "mqtts://secret@/a"):
            self.file.write_text(text)
            result = subprocess.run([HUB, "serve", "--data", self.directory / "hub.sqlite", "--port", "0", "--alert-mqtt-file", self.file], capture_output=True, text=True, timeout=30)
            self.assertEqual((result.returncode, "secret" in result.stderr), (78, False), (text, result.stderr))
        for wrong in (["--alert-mail", "nobody"], ["--alert-mail", "a@b,c@d"], ["--alert-mail", "a@b\nBcc: c@d"], ["--alert-mail", "a@b", "--sendmail", "sendmail"], ["--alert-mail", "a@b", "--sendmail", "/nowhere"]):
            result = subprocess.run([HUB, "serve", "--data", self.directory / "hub.sqlite", "--port", "0", *wrong], capture_output=True, text=True, timeout=30)
            self.assertEqual(result.returncode, 78, (wrong, result.stderr))
        for wrong in (["--alert-on", "fall"], ["--alert-webhook-file", self.file, "--alert-on", "rain"]):
            result = subprocess.run([HUB, "serve", "--data", self.directory / "hub.sqlite", "--port", "0", *wrong], capture_output=True, text=True, timeout=30)
            self.assertEqual(result.returncode, 64, result.stderr)


if __name__ == "__main__":
    unittest.main()
