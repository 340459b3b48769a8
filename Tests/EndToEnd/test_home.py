"""The board at an MQTT broker, Debian's mosquitto: what Home Assistant reads there, and what happens when broker or board go."""
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import threading
import time
import unittest

from support import GAITWAY, MODEL, TestCase, free_port, gaitway, needs

# Debian puts the broker where only root's PATH looks.
BROKER = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin")


@unittest.skipUnless(BROKER and shutil.which("mosquitto_sub"), "not installed: mosquitto mosquitto-clients")
class Home(TestCase):
    def setUp(self):
        super().setUp()
        self.port, self.seen, self.broker = free_port(), [], None
        self.start_broker()
        self.environment = {**os.environ, "STATE_DIRECTORY": str(self.directory / "state"), "GAITWAY_MQTT_HOST": "127.0.0.1", "GAITWAY_MQTT_PORT": str(self.port)}

    def start_broker(self, *lines):
        settings = self.directory / "mosquitto.conf"
        settings.write_text("\n".join([f"listener {self.port} 127.0.0.1", *(lines or ["allow_anonymous true"]), ""]))
        self.broker = subprocess.Popen([BROKER, "-c", settings], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(lambda broker=self.broker: (broker.kill(), broker.wait()))
        for _ in range(100):
            with socket.socket() as connection:
                if connection.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        self.fail("the broker does not start")

    def watch(self, *options):
        """Everything at the broker from now on; retained messages first."""
        seen = []
        process = subprocess.Popen(["mosquitto_sub", "-h", "127.0.0.1", "-p", str(self.port), "-t", "#", "-F", "%r %t %p", *options], stdout=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        threading.Thread(target=lambda: [seen.append(line.rstrip("\n").split(" ", 2)) for line in process.stdout], daemon=True).start()
        return seen

    def run_board(self, script, **settings):
        process = subprocess.Popen([GAITWAY, "run", "--source", f"simulated:{script}"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env={**self.environment, **settings})
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        return process

    def say(self, topic, text):
        subprocess.run(["mosquitto_pub", "-h", "127.0.0.1", "-p", str(self.port), "-t", topic, "-m", text], check=True)

    def until(self, condition, what, seconds=40):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            found = condition()
            if found:
                return found
            time.sleep(0.1)
        self.fail(what)

    @staticmethod
    def last(seen, suffix):
        return next((payload for _, topic, payload in reversed([one for one in seen if len(one) == 3]) if topic.endswith(suffix)), None)

    @staticmethod
    def base(seen):
        return next(topic.rsplit("/", 1)[0] for _, topic, _ in [one for one in seen if len(one) == 3] if topic.endswith("/state"))

    def state(self, seen):
        return json.loads(self.last(seen, "/state") or "{}")

    def test_a_board_shows_what_its_wearer_does(self):
        seen = self.watch()
        board = self.run_board("walk=12,fall=90", GAITWAY_FALLS_CONFIRM_SECONDS="4", GAITWAY_FALLS_CANCEL_SECONDS="3")
        config = json.loads(self.until(lambda: self.last(seen, "/config"), "it was not announced"))
        self.assertEqual(config["cmps"]["activity"]["p"], "sensor")
        self.assertEqual(self.until(lambda: self.last(seen, "/status"), "no status"), "online")
        self.until(lambda: self.state(seen).get("moving") == "ON" and self.state(seen)["activity"] == "WALKING", "walking is not shown")
        self.until(lambda: self.state(seen).get("fallen") == "ON", "the fall is not shown")
        falls = lambda: [json.loads(one[2])["event_type"] for one in seen if len(one) == 3 and one[1].endswith("/fall")]
        self.until(lambda: falls() == ["impact", "fallen", "alarm"], "the fall's events")
        # Whoever looks later sees no fall again, and everything else.
        later = self.watch()
        self.until(lambda: self.last(later, "/status") == "online" and self.state(later).get("fallen") == "ON", "what is retained")
        self.assertIsNone(self.last(later, "/fall"))
        self.say(config["cmps"]["cancel"]["cmd_t"], "cancel")
        self.until(lambda: falls()[-1] == "cancelled" and self.state(seen)["fallen"] == "OFF", "the alarm was not cancelled")
        self.say(config["cmps"]["label"]["cmd_t"], "SITTING")
        self.until(lambda: self.state(seen)["label"] == "SITTING", "the label was not set")
        self.say(config["cmps"]["label"]["cmd_t"], "DANCING")
        self.say(config["cmps"]["label"]["cmd_t"], "none")
        self.until(lambda: self.state(seen)["label"] == "none", "the label was not taken away")
        # Home Assistant has started anew.
        before = sum(1 for one in seen if len(one) == 3 and one[1].endswith("/config"))
        self.say("homeassistant/status", "online")
        self.until(lambda: sum(1 for one in seen if len(one) == 3 and one[1].endswith("/config")) > before, "it was not announced again")
        board.send_signal(signal.SIGTERM)
        self.assertEqual(board.wait(timeout=10), 0)
        self.until(lambda: self.last(seen, "/status") == "offline", "it did not say goodbye")
        # What was said here of the wearer is counted.
        counted = json.loads(gaitway("privacy", "--json", env=self.environment).stdout)["left"]
        self.assertEqual([(one["way"], one["to"]) for one in counted], [("broker", f"mqtt://127.0.0.1:{self.port}")])
        said = [one for one in seen if len(one) == 3 and (one[1].endswith("/fall") or one[1].endswith("/state") and json.loads(one[2])["activity"])]
        self.assertEqual(counted[0]["items"], len(said))
        # Erased, the broker keeps nothing of the board.
        receipt = gaitway("privacy", "--erase", "--yes", env=self.environment)
        self.assertEqual(receipt.returncode, 0, receipt.stderr)
        self.assertIn("erased  the broker 127.0.0.1", receipt.stdout)
        last = self.watch("-W", "2")
        time.sleep(2.5)
        self.assertEqual([one for one in last if one[0] == "1"], [])

    def test_a_board_that_is_killed_is_offline(self):
        seen = self.watch()
        board = self.run_board("stand=60")
        self.until(lambda: self.last(seen, "/status") == "online", "it is not there")
        board.kill()
        self.until(lambda: self.last(seen, "/status") == "offline", "nobody noticed")

    def test_a_broker_that_goes_and_comes(self):
        seen = self.watch()
        self.run_board("stand=120")
        self.until(lambda: self.last(seen, "/status") == "online", "it is not there")
        self.broker.kill()
        self.broker.wait()
        time.sleep(1)
        self.start_broker()
        again = self.watch()
        self.until(lambda: self.last(again, "/status") == "online" and self.last(again, "/config") and self.state(again).get("activity"), "it did not come back")

    def test_a_fall_that_a_frozen_broker_did_not_take_comes_later(self):
        seen = self.watch()
        self.run_board("walk=8,fall=90", GAITWAY_FALLS_CONFIRM_SECONDS="4", GAITWAY_FALLS_CANCEL_SECONDS="3")
        self.until(lambda: self.last(seen, "/status") == "online", "it is not there")
        self.broker.send_signal(signal.SIGSTOP)
        time.sleep(25)
        self.broker.kill()
        self.broker.wait()
        self.start_broker()
        again = self.watch()
        self.until(lambda: '"alarm"' in (self.last(again, "/fall") or ""), "the alarm is lost")

    @needs("openssl")
    def test_install_takes_a_signed_model_and_no_other(self):
        private, public = self.directory / "key.pem", self.directory / "key.pub"
        subprocess.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", private], check=True, capture_output=True)
        subprocess.run(["openssl", "ec", "-in", private, "-pubout", "-out", public], check=True, capture_output=True)

        def model(path, version, signed=True):
            shutil.copy(MODEL, path)
            self.assertEqual(gaitway("model", "sign", path, "--key", private, "--model-version", version).returncode, 0)
            if not signed:
                (path.parent / (path.name + ".sig")).unlink()
            return path
        base, offered = model(self.directory / "base.safetensors", 1), model(self.directory / "offered.safetensors", 7)
        seen = self.watch()
        self.run_board(
            "walk=600", GAITWAY_TRUSTED_KEY=str(public), GAITWAY_MODEL=str(base), GAITWAY_UPDATES_SOURCE=str(offered), GAITWAY_UPDATES_ASK="true",
            GAITWAY_UPDATES_INTERVAL="1", GAITWAY_UPDATES_SHADOW_WINDOWS="4", GAITWAY_UPDATES_PROBATION_WINDOWS="4")

        def update():
            return json.loads(self.last(seen, "/update") or "{}")
        found = self.until(lambda: update() if update().get("latest_version") not in (None, "1") else None, "nothing is offered")
        self.assertEqual((found["installed_version"], found["in_progress"]), ("1", False))
        time.sleep(3)
        self.assertFalse(update()["in_progress"], "nobody asked for it")
        self.say(f"{self.base(seen)}/update/set", "anything")
        self.say(f"{self.base(seen)}/update/set", "install")
        self.until(lambda: update()["in_progress"] and update()["latest_version"] == "7", "it is not tried")
        self.until(lambda: (update()["update_percentage"] or 0) >= 50, "there is no progress")
        self.until(lambda: update()["installed_version"] == "7" and not update()["in_progress"], "it is not this board's model", 60)
        model(offered, 8, signed=False)
        self.until(lambda: update()["latest_version"] != "7", "nothing is offered")
        # What is asked for before anybody can have read what is offered means the one before.
        self.say(f"{self.base(seen)}/update/set", "install")
        time.sleep(2)
        self.assertEqual(update()["release_summary"], "")
        self.say(f"{self.base(seen)}/update/set", "install")
        self.until(lambda: "refused" in update()["release_summary"] or "trusted_key asks for it" in update()["release_summary"], "the reason is not shown")
        self.assertEqual(update()["installed_version"], "7")

    def test_commands_that_a_broker_kept_are_none(self):
        seen = self.watch()
        first = self.run_board("stand=60")
        config = json.loads(self.until(lambda: self.last(seen, "/config"), "it was not announced"))
        first.kill()
        self.until(lambda: self.last(seen, "/status") == "offline", "nobody noticed")
        label = config["cmps"]["label"]["cmd_t"]
        subprocess.run(["mosquitto_pub", "-h", "127.0.0.1", "-p", str(self.port), "-r", "-t", label, "-m", "SITTING"], check=True)
        self.run_board("stand=60")
        self.until(lambda: self.last(seen, "/status") == "online", "it is not there again")
        time.sleep(3)
        self.assertEqual(self.state(seen)["label"], "none")
        self.say(label, "STANDING")
        self.until(lambda: self.state(seen)["label"] == "STANDING", "a new one was not taken")

    def test_settings_that_do_not_go_together(self):
        for name, value, message in [
            ("PASSWORD_FILE", "/dev/null", "needs mqtt.user"), ("CA_FILE", "/nowhere", "needs mqtt.tls"), ("PREFIX", "$SYS", "cannot begin a topic"),
        ]:
            result = gaitway("run", "--source", "simulated:stand=3", env={**self.environment, f"GAITWAY_MQTT_{name}": value})
            self.assertRefused(result, 78, message)

    def test_no_broker_and_a_silent_one_hold_up_nothing(self):
        self.broker.kill()
        self.broker.wait()
        result = gaitway("run", "--source", "simulated:stand=5", "--duration", "4", "--json", env=self.environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("broker", result.stderr)
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen(1)
            began = time.monotonic()
            result = gaitway("run", "--source", "simulated:stand=9", "--duration", "4", "--json", env={**self.environment, "GAITWAY_MQTT_PORT": str(silent.getsockname()[1])})
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertLess(time.monotonic() - began, 12)
        self.assertEqual(len(result.stdout.splitlines()), 2)

    @needs("openssl")
    def test_both_show_a_certificate(self):
        def openssl(*arguments):
            subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, cwd=self.directory)

        for authority in ("ca", "other"):
            openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", f"{authority}.key", "-out", f"{authority}.pem",
                    "-days", 2, "-subj", f"/CN={authority}")
        (self.directory / "names").write_text("subjectAltName=IP:127.0.0.1")
        for name, authority in (("broker", "ca"), ("board", "ca"), ("stranger", "other")):
            openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
            openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{authority}.pem", "-CAkey", f"{authority}.key", "-CAcreateserial", "-out", f"{name}.pem",
                    "-days", 2, "-extfile", "names")
        self.broker.kill()
        self.broker.wait()
        path = self.directory
        path.chmod(0o755)
        (path / "broker.key").chmod(0o644)
        self.start_broker(
            "require_certificate true", f"cafile {path}/ca.pem", f"certfile {path}/broker.pem", f"keyfile {path}/broker.key", "use_identity_as_username true")
        own = {"GAITWAY_MQTT_TLS": "true", "GAITWAY_MQTT_CA_FILE": str(path / "ca.pem")}

        def certificate(name):
            return {**own, "GAITWAY_MQTT_CERTIFICATE": str(path / f"{name}.pem"), "GAITWAY_MQTT_KEY": str(path / f"{name}.key")}

        seen = self.watch("--cafile", str(path / "ca.pem"), "--cert", str(path / "board.pem"), "--key", str(path / "board.key"))
        for settings in (own, certificate("stranger"), {**certificate("board"), "GAITWAY_MQTT_CA_FILE": str(path / "other.pem")}):
            refused = self.run_board("walk=60", **settings)
            line = next(line for line in refused.stderr if "broker" in line)
            self.assertRegex(line, "gone|reached|no connection")
            self.assertIsNone(refused.poll())
            refused.kill()
            refused.wait()  # beside one that still ends, the next would run without services
        self.assertEqual(seen, [])
        self.run_board("walk=60", **certificate("board"))
        self.until(lambda: self.state(seen).get("activity") == "WALKING", "the board with its certificate is not shown")

    def test_a_password(self):
        self.broker.kill()
        self.broker.wait()
        users, secret = self.directory / "users", self.directory / "secret"
        subprocess.run(["mosquitto_passwd", "-b", "-c", str(users), "board", "right"], check=True, capture_output=True)
        users.chmod(0o644)
        self.directory.chmod(0o755)
        self.start_broker("allow_anonymous false", f"password_file {users}")
        secret.write_text("right\n")
        named = {"GAITWAY_MQTT_USER": "board", "GAITWAY_MQTT_PASSWORD_FILE": str(secret)}
        result = gaitway("run", "--source", "simulated:stand=3", "--speed", "max", env={**self.environment, **named})
        self.assertRefused(result, 78, "others may read")
        secret.chmod(0o600)
        seen = self.watch("-u", "board", "-P", "right")
        board = self.run_board("stand=60", **named)
        self.until(lambda: self.last(seen, "/status") == "online", "the password was not taken")
        board.kill()
        # One that began before its end would run beside it, without a connection of its own.
        board.wait()
        secret.write_text("wrong")
        board = self.run_board("stand=60", **named)
        lines = []
        threading.Thread(target=lambda: lines.extend(board.stderr), daemon=True).start()
        self.until(lambda: any("takes no connection" in line for line in lines), "nothing was said of the wrong password")
        self.assertNotIn("wrong", "".join(lines))


if __name__ == "__main__":
    unittest.main()
