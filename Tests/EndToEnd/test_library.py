"""libgaitway as a C programmer has it: installed, found by pkg-config, linked, and deciding as the program does."""
import json
import math
import os
import pathlib
import random
import shutil
import struct
import subprocess
import tempfile
import unittest

import support

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Library(unittest.TestCase):
    def setUp(self):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="gaitway-library-"))
        self.addCleanup(shutil.rmtree, self.place)

    def run_(self, *command, **more):
        return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True, **more).stdout

    def test_a_program_of_ones_own_decides_as_gaitway_does(self):
        root, header, program = self.place / "root", self.place / "model.h", self.place / "replay"
        self.run_(ROOT / "board/library", root)
        pc = next(root.rglob("gaitway.pc"))
        found = os.environ | {"PKG_CONFIG_PATH": str(pc.parent)}
        self.assertEqual(self.run_("pkg-config", "--modversion", "gaitway", env=found), self.run_(support.GAITWAY, "--version"))
        flags = self.run_("pkg-config", "--cflags", "--libs", "gaitway", env=found).split()
        model = ROOT / "board/models/activity.safetensors"
        self.run_(support.GAITWAY, "model", "export", model, "--format", "c-header", "--name", "model", "--output", header)
        example = root / "usr/share/doc/libgaitway-dev/examples/replay.c"
        self.run_("gcc", "-O2", f'-DNETWORK_HEADER="{header}"', "-o", program, example, *flags)
        # A made-up wearer, 720 counts to the g: two steps a second, then rest.
        recording, noise = self.place / "acc_exp01_user01.i16", random.Random(1)
        samples = []
        for n in range(90 * 50):
            walks, turn = n < 60 * 50, 2 * math.pi * n / 25
            swing = (0.3 * math.sin(turn) + 0.15 * math.sin(2 * turn), 0.2 * math.cos(turn), 0.1 * math.sin(turn / 2)) if walks else (0, 0, 0)
            samples += [round(720 * (up + s) + noise.gauss(0, 6)) for up, s in zip((1, 0, 0), swing)]
        recording.write_bytes(struct.pack(f"<{len(samples)}h", *samples))
        decided = support.lines(support.gaitway("run", "--model", model, "--source", f"recording:{recording}", "--speed", "max", "--json"))
        labels = json.loads(support.gaitway("model", "inspect", model, "--json").stdout)["labels"]
        expected = [
            [str(round(one["t"] * 50)), str(labels.index(one["activity"]) if one["activity"] in labels else -1)]
            + [str(round(p * 32768)) for p in one["probabilities"].values()] for one in decided]
        found = [line.split() for line in self.run_(program, recording).splitlines()]
        self.assertEqual(found, expected)
        self.assertIn(str(labels.index("WALKING")), [row[1] for row in found])


if __name__ == "__main__":
    unittest.main()
