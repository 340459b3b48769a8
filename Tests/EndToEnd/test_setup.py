"""`gaitway setup`: answers of a person, and a file on a new card."""
import os
import subprocess
import unittest

import support
from support import GAITWAY, TestCase


class Setup(TestCase):
    def setUp(self):
        super().setUp()
        self.main = self.directory / "gaitway.toml"
        self.main.write_text('source = "simulated:stand=4,walk=8"\n')
        self.written = self.directory / "conf.d/setup.toml"
        self.card = self.directory / "card.toml"

    def setup(self, *arguments, answers=""):
        return subprocess.run(
            [GAITWAY, "setup", "--config", self.main, *arguments], input=answers, capture_output=True, text=True, timeout=120,
            env=os.environ | {"STATE_DIRECTORY": str(self.directory / "state")})

    def test_answers_end_with_decisions(self):
        # A beginning of a word is enough, another word is asked again, Enter takes what stands there, and there is neither hub nor broker.
        result = self.setup(answers="knee\npo\n\n\n")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn('"knee" is none of them', result.stderr)
        self.assertIn('placement = "pocket"', self.written.read_text())
        self.assertIn("setup.toml", result.stdout, "doctor names where a setting is from")
        self.assertRegex(result.stdout, r"7\.68  WALKING")
        self.assertEqual(self.main.read_text(), 'source = "simulated:stand=4,walk=8"\n')

    def test_nobody_answers(self):
        self.assertRefused(self.setup(answers="\n"), 64, "the input ended")
        self.assertFalse(self.written.exists(), "half of the answers are none")
        self.assertRefused(self.setup(answers="knee\n" * 12), 64, "ten answers")
        self.assertRefused(self.setup(answers="waist\n\nhost\x07name\n"), 64, "control characters")

    def test_a_new_card_is_taken_once(self):
        self.card.write_text('placement = "wrist"\n[mqtt]\nhost = "127.0.0.1"\nuser = "board"\n[setup]\nbroker_password = "geheim"\n')
        result = self.setup("--from", self.card, "--first-start")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertFalse(self.card.exists(), "it has a password in it")
        self.assertNotIn("geheim", self.written.read_text() + result.stdout + result.stderr)
        password = self.directory / "state/mqtt-password"
        self.assertEqual((password.read_text(), password.stat().st_mode & 0o777), ("geheim", 0o600))
        shown = subprocess.run([GAITWAY, "config", "show", "--config", self.main], capture_output=True, text=True).stdout
        self.assertRegex(shown, r"placement +wrist")

    def test_a_card_that_cannot_be_taken_stays(self):
        for text, code, words in [
            ("placement = knee\n", 78, "card.toml:1"),
            ("[setup]\nsensor = \"lis3dh\"\n", 78, "no Raspberry Pi"),
            # Nobody is at that port: the next start tries again.
            ('placement = "wrist"\n[setup]\nhub = "https://127.0.0.1:9"\ntoken = "t"\n', 75, "127.0.0.1"),
        ]:
            with self.subTest(text):
                self.card.write_text(text)
                self.assertRefused(self.setup("--from", self.card, "--first-start"), code, words)
                self.assertEqual(self.card.read_text(), text)
        self.assertRefused(self.setup("--from", self.directory / "away.toml"), 66, "away.toml")
        self.assertRefused(self.setup("--first-start"), 64, "--from")

    def test_what_the_service_would_refuse_is_taken_back(self):
        self.card.write_text('placement = "wrist"\n[mqtt]\nhost = "a"\n')
        self.assertEqual(self.setup("--from", self.card, "--first-start").returncode, 0)
        before = self.written.read_text()
        for text, code, words in [
            ('placement = "ankle"\n', 78, "ankle"),
            ('model = "/nope"\n', 66, "/nope"),
            ('falls.model = "/nope"\n', 66, "/nope"),
            ('[mqtt]\nhost = "b"\n[setup]\nbroker_password = "p"\n', 78, "mqtt.user"),
            ('[upload]\nenabled = true\nuser = "a b/c"\n', 78, "user"),
            ('"mqtt.host" = "a"\nmqtt.host = "b"\n', 78, "twice"),
            ('[setup]\nhub = "http://hub.example.org"\n', 78, "https://"),
            (".".join("a" * 200000) + " = 1\n", 78, "card.toml:1"),
        ]:
            with self.subTest(text[:40]):
                self.card.write_text(text)
                self.assertRefused(self.setup("--from", self.card, "--first-start"), code, words)
                self.assertEqual((self.card.read_text(), self.written.read_text()), (text, before))
        # A second card adds to the first one's settings.
        self.card.write_text('placement = "chest"\n')
        self.assertEqual(self.setup("--from", self.card, "--first-start").returncode, 0)
        self.assertIn('placement = "chest"', self.written.read_text())
        self.assertIn('mqtt.host = "a"', self.written.read_text())
        # A file of before that is spoilt does not keep a board from being set up.
        self.written.write_text("mqtt.host = \n")
        self.card.write_text('placement = "thigh"\n')
        self.assertEqual(self.setup("--from", self.card, "--first-start").returncode, 0)
        self.assertIn('placement = "thigh"', self.written.read_text())

    def test_only_a_card_is_deleted(self):
        self.assertRefused(self.setup("--from", self.main, "--first-start"), 64, "configuration")
        self.assertTrue(self.main.exists())
        pipe = self.directory / "pipe"
        os.mkfifo(pipe)
        self.assertRefused(self.setup("--from", pipe, "--first-start"), 66, "no file")

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_root_is_led_nowhere_by_the_services_user(self):
        state, victim = self.directory / "state", self.directory / "victim"
        state.mkdir()
        victim.mkdir(mode=0o755)
        os.chmod(self.directory, 0o755)
        os.chown(state, 65534, 65534)
        os.symlink(victim / "taken", state / "mqtt-password")
        self.card.write_text('[mqtt]\nhost = "127.0.0.1"\nuser = "board"\n[setup]\nbroker_password = "geheim"\n')
        self.assertEqual(self.setup("--from", self.card).returncode, 0)
        self.assertEqual(list(victim.iterdir()), [])
        status = os.lstat(state / "mqtt-password")
        self.assertEqual((status.st_uid, status.st_mode & 0o777), (65534, 0o600))
        # A directory of tokens that leads elsewhere is not followed with root's rights.
        os.symlink(victim, state / "ai.edgeml")
        self.card.write_text('[setup]\nhub = "https://127.0.0.1:9"\ntoken = "t"\n')
        self.assertNotEqual(self.setup("--from", self.card).returncode, 0)
        self.assertEqual((list(victim.iterdir()), victim.stat().st_mode & 0o777), ([], 0o755))

    def test_the_service_takes_the_card_before_it_starts(self):
        script = (support.ROOT / "board/service/first-start").read_text()
        card = self.directory / "gaitway-card.toml"
        card.write_text('placement = "chest"\n')
        # The card's places are fixed, and a test has none.
        script = script.replace("/boot/firmware/gaitway.toml", str(card)).replace("exec gaitway setup", f"exec {GAITWAY} setup --config {self.main}")
        subprocess.run(["sh", "-c", script], check=True, timeout=60, env=os.environ | {"STATE_DIRECTORY": str(self.directory / "state")})
        self.assertFalse(card.exists())
        self.assertIn("chest", self.written.read_text())
        unit = (support.ROOT / "board/service/gaitway-setup.service").read_text()
        self.assertIn("Before=gaitway.service", unit)


if __name__ == "__main__":
    unittest.main()
