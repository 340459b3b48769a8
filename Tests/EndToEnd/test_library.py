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


# Amplitudes in g and phases in turns of the stride's harmonics, x, y and z.
WALK = [
    list(zip([0.03, 0.35, 0.10, 0.13, 0.06, 0.19, 0.09, 0.12], [0.70, 0.77, 0.86, 0.43, 0.93, 0.25, 0.24, 0.51])),
    list(zip([0.05, 0.28, 0.06, 0.04, 0.10, 0.09, 0.05, 0.07], [0.67, 0.01, 0.39, 0.58, 0.73, 0.45, 0.08, 0.18])),
    list(zip([0.08, 0.21, 0.04, 0.05, 0.04, 0.06, 0.03, 0.03], [0.03, 0.33, 0.12, 0.70, 0.07, 0.90, 0.60, 0.53]))]


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
        # A wearer, 720 counts to the g: the simulated one's walk without its noise (SimulatedWearer.Motion), then rest.
        recording, noise, samples = self.place / "acc_exp01_user01.i16", random.Random(1), []
        for n in range(90 * 50):
            swing = [sum(a * math.sin(2 * math.pi * (k * 0.93 * n / 50 + p)) for k, (a, p) in enumerate(axis, 1)) for axis in WALK]
            samples += [round(720 * (up + (s if n < 60 * 50 else 0)) + noise.gauss(0, 6)) for up, s in zip((1, 0, 0), swing)]
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
