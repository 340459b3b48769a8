"""The README and the manual: every `$ gaitway` command prints just what the page shows, and what a page names exists."""
import json
import os
import re
import shlex
import struct
import subprocess
import unittest

from support import GAITWAY, ROOT, TestCase, gaitway, needs

GUIDE = sorted((ROOT / "board/guide").glob("*.md"))
COMMUNITY = [ROOT / name for name in ("CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "Tests/README.md")]
PAGES = [ROOT / "README.md", ROOT / "board/models/README.md", *GUIDE]
# Weights are packed as this processor's instructions want them.
PACKED = re.compile(r"^memory +\d+ bytes of weights", re.M)


def usage(words):
    """The help of the verb that some words of a page begin with; None where they name none."""
    while words:
        result = gaitway(*words, "--help")
        if result.returncode == 0:
            return result.stdout
        words = words[:-1]
    return None


class Readme(TestCase):
    def test_it_is_short_and_the_manual_is_whole(self):
        self.assertLessEqual(len((ROOT / "README.md").read_text().splitlines()), 150)
        named = re.findall(r"\(board/guide/([a-z-]+\.md)", (ROOT / "README.md").read_text())
        self.assertEqual(sorted(set(named)), [page.name for page in GUIDE])

    def test_examples(self):
        examples = [found for page in PAGES for found in re.findall(r"```console\n\$ gaitway ([^\n]*)\n(.*?)```", page.read_text(), re.S)]
        self.assertGreaterEqual(len(examples), 4)
        for command, printed in examples:
            with self.subTest(command):
                result = gaitway(*shlex.split(command), cwd=ROOT)
                self.assertEqual((result.returncode, PACKED.sub("memory", result.stdout)), (0, PACKED.sub("memory", printed)))

    def test_every_verb_and_option_named_exists(self):
        found = 0
        for page in PAGES:
            text = page.read_text().replace("\\\n", " ")
            for rest in re.findall(r"(?:^|[`$ /])gaitway ((?:[a-z][a-z-]*)[^\n`]*)", "\n".join(re.findall(r"```sh\n.*?```|`[^`\n]*`", text, re.S)), re.M):
                command = rest.split("#")[0].split("|")[0].split("&&")[0]
                verbs = re.match(r"(?:[a-z][a-z-]*(?: |$)){1,3}", command)
                verbs = verbs.group().split() if verbs else []
                help = usage(verbs)
                self.assertIsNotNone(help, f"{page.name}: gaitway {command}")
                for option in re.findall(r"(?<=\s)--[a-z-]+", command):
                    found += 1
                    self.assertIn(option, help, f"{page.name}: gaitway {command}")
        self.assertGreater(found, 30)

    def test_every_line_of_the_five_systems_has_its_test(self):
        tests = "".join(path.read_text() for kind in ("py", "swift") for path in (ROOT / "Tests").rglob(f"*.{kind}"))
        rows = re.findall(r"^\|.*\| `(\w+)` \|$", (ROOT / "board/guide/seeds.md").read_text(), re.M)
        lines = re.findall(r"^\| (?!\|)(?!-).+\|$", (ROOT / "board/guide/seeds.md").read_text(), re.M)
        self.assertGreater(len(rows), 35)
        self.assertEqual(len(rows), len(lines), "each line names one")
        for name in rows:
            self.assertRegex(tests, rf"(?:def|func) {name}\(", name)

    def test_what_is_named_exists(self):
        for page in PAGES + COMMUNITY:
            text = page.read_text()
            for name in re.findall(r"`((?:Tests|Sources|CSources|board)/[^`\s*]*)`", text):
                self.assertTrue((ROOT / name).exists() or name.isupper() or "TOPIC" in name, f"{page.name}: {name}")
            for link in re.findall(r"\]\((?!https?:)([^)#]+)", text):
                self.assertTrue((page.parent / link).exists(), f"{page.name}: {link}")

    def test_the_program_in_swift(self):
        page, source = (ROOT / "board/guide/swift-and-c.md").read_text(), (ROOT / "Tests/Examples/Activities/main.swift").read_text()
        self.assertIn(f"```swift\n{source}```", page)
        program = os.path.join(os.path.dirname(GAITWAY), "example-activities")
        if not os.path.exists(program):
            self.skipTest(f"not built: {program}")
        printed = subprocess.run([program], capture_output=True, text=True, timeout=60, check=True).stdout
        table = re.findall(r"^ +(\d+\.\d\d)  (\w+) ", (ROOT / "README.md").read_text(), re.M)
        self.assertGreater(len(table), 10)
        self.assertEqual([(float(time), activity) for time, activity, _ in map(str.split, printed.splitlines())], [(float(t), a) for t, a in table])

    @needs("gcc")
    def test_the_program_in_c(self):
        page = (ROOT / "board/guide/swift-and-c.md").read_text()
        commands = next(block for block in re.findall(r"```sh\n(.*?)```", page, re.S) if "replay" in block)
        for name in ("board", "CSources", "Tests"):
            (self.directory / name).symlink_to(ROOT / name)
        # Lying still, z up.
        (self.directory / "samples.i16").write_bytes(struct.pack("<3h", 0, 0, 720) * 640)
        path = f"{os.path.dirname(os.path.abspath(GAITWAY))}:{os.environ['PATH']}"
        result = subprocess.run(["sh", "-e", "-c", commands], cwd=self.directory, capture_output=True, text=True, env={**os.environ, "PATH": path})
        self.assertEqual(result.returncode, 0, result.stderr)
        labels = subprocess.run([GAITWAY, "model", "inspect", str(ROOT / "board/models/activity.safetensors"), "--json"], capture_output=True, text=True)
        rows = [line.split() for line in result.stdout.splitlines()]
        self.assertEqual([row[0] for row in rows], [str(128 + 64 * i) for i in range(len(rows))])
        self.assertGreater(len(rows), 5)
        self.assertIn("LAYING", json.loads(labels.stdout)["labels"][int(rows[-1][1])])


if __name__ == "__main__":
    unittest.main()
