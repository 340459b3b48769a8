"""The README's examples: every `$ gaitway` command prints just what the README shows."""
import re
import shlex
import unittest

from support import ROOT, TestCase, gaitway


class Readme(TestCase):
    def test_examples(self):
        text = (ROOT / "README.md").read_text()
        examples = re.findall(r"```console\n\$ gaitway ([^\n]*)\n(.*?)```", text, re.S)
        self.assertGreaterEqual(len(examples), 3)
        for command, printed in examples:
            with self.subTest(command):
                result = gaitway(*shlex.split(command), cwd=ROOT)
                self.assertEqual((result.returncode, result.stdout), (0, printed))

    def test_every_option_named_exists(self):
        text = (ROOT / "README.md").read_text() + (ROOT / "board/models/README.md").read_text()
        for verb, rest in re.findall(r"gaitway (run|train|record|guess|recordings list|recordings import|recordings export|evaluate|devices|bench|doctor|config show|model import|model predict|model inspect|model sign|model verify|upload now|upload retry|upload clear|upload delete-remote|label|register|unregister|crowd train|crowd once|crowd simulate)\b([^\n`]*)", text):
            usage = gaitway(*verb.split(), "--help").stdout
            for option in re.findall(r"--[a-z-]+", rest):
                self.assertIn(option, usage, f"gaitway {verb} {option}")

    def test_files_named_exist(self):
        for name in re.findall(r"`((?:Tests|Sources|CSources|board)/[^`\s]*)`", (ROOT / "README.md").read_text()):
            self.assertTrue((ROOT / name).exists(), name)


if __name__ == "__main__":
    unittest.main()
