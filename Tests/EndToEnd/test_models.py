"""Networks from elsewhere: import, predict, quantize, export, and what is refused."""
import json
import math
import os
import random
import shutil
import struct
import subprocess
import unittest

from support import DATA, GAITWAY, MODEL, ROOT, WAIST, TestCase, gaitway, lines, needs, needs_recordings

TFLITE, COREML, FLOAT, ONNX = (ROOT / "Tests/Fixtures" / name for name in ("tflite", "coreml", "float", "onnx"))


def numbers(text):
    return [[float(v) for v in line.split(",")] for line in text.splitlines()]


def safetensors(path, tensors):
    """Float tensors {name: (shape, values)} as a file."""
    header, data = {}, b""
    for name, (shape, values) in sorted(tensors.items()):
        packed = struct.pack(f"<{len(values)}f", *values)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(packed)]}
        data += packed
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


class Models(TestCase):
    def imported(self, file, *arguments):
        out = self.directory / "model.safetensors"
        result = gaitway("model", "import", file, "--input", "features", "--output", out, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return out

    def test_a_program_that_was_copied_alone(self):
        alone = self.directory / "gaitway"
        shutil.copy(GAITWAY, alone)
        if any(os.path.exists(f"/usr/{place}share/gaitway/activity.safetensors") for place in ("", "local/")):
            self.skipTest("a model is installed on this machine")
        source, settings = ["--source", "simulated:walk=20", "--speed", "max", "--json"], {**os.environ, "HOME": str(self.directory)}
        here = subprocess.run([alone, "run", *source], capture_output=True, text=True, env=settings)
        self.assertEqual(here.stdout, gaitway("run", *source).stdout)
        self.assertIn("WALKING", here.stdout)
        key, public = self.directory / "key.pem", self.directory / "public.pem"
        subprocess.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key], check=True, capture_output=True)
        subprocess.run(["openssl", "ec", "-in", key, "-pubout", "-out", public], check=True, capture_output=True)
        # It has no signature: where there is a key, it does not run.
        refused = subprocess.run([alone, "run", *source], capture_output=True, text=True, env={**settings, "GAITWAY_TRUSTED_KEY": str(public)})
        self.assertRefused(refused, 77, "no signature of trusted_key")

    def test_what_networks_take_is_printed(self):
        """The rows of the default model give what `gaitway run` decides; raw windows are those of its filters."""
        source = ["--source", "simulated:seed=3,stand=20,walk=40,sit=20"]
        ran = lines(gaitway("run", *source, "--speed", "max", "--json"))
        for kind, model, count in (("worn", MODEL, 135), ("raw", WAIST, 384)):
            rows = self.directory / f"{kind}.csv"
            rows.write_text(gaitway("features", *source, "--input", kind).stdout)
            header, *cells = rows.read_text().splitlines()
            self.assertEqual(len(header.split(",")), count)
            expected = ran if kind == "worn" else lines(gaitway("run", "--model", model, *source, "--speed", "max", "--json"))
            labels = json.loads(gaitway("model", "inspect", model, "--json").stdout)["labels"]
            found = [labels[row.index(max(row))] for row in numbers(gaitway("model", "predict", model, "--input", rows).stdout)]
            self.assertEqual(len(found), len(cells))
            self.assertGreater(len(found), 20)
            others = sum(one != line["activity"] for one, line in zip(found, expected[-len(found):]))
            # Of the worn network one row in sixty lies between two activities.
            self.assertLessEqual(others, 0 if kind == "raw" else len(found) // 20, kind)
        self.assertRefused(gaitway("features", "--input", "features"), 64, "no window makes")
        self.assertRefused(gaitway("train", "--recordings", self.directory, "--network", "window", "--input", "worn", "--output", self.directory / "x"), 64, "--network worn")

    def test_an_export_says_what_it_leaves_out(self):
        fresh, out = self.imported(TFLITE / "lstm-0-fresh.tflite", "--state", "fresh"), self.directory / "out.tflite"
        self.assertIn("reset_all_variables()", gaitway("model", "export", fresh, "--format", "tflite", "--output", out).stderr)
        self.assertEqual(gaitway("model", "export", fresh, "--format", "onnx", "--output", out).stderr, "")
        before = fresh.read_bytes()
        self.assertRefused(gaitway("model", "export", fresh, "--format", "onnx", "--output", fresh), 64, "is the model itself")
        self.assertEqual(fresh.read_bytes(), before)
        self.assertRefused(gaitway("model", "export", self.imported(TFLITE / "dense-3.tflite"), "--format", "tflite", "--output", out), 64, "layer 1 (lookup)")

    def made_up_people(self):
        """Six of them and six activities, in the layout of HAPT."""
        noise, place, labels, table = random.Random(3), self.directory / "people", [], []
        place.mkdir()
        for person in range(1, 7):
            samples = []
            for activity in range(1, 7):
                begin = len(samples) // 3 + 1
                posture = {4: (0.8, 0.6, 0), 5: (1, 0.1, 0), 6: (0, 0.9, 0.4)}.get(activity, (1, 0, 0.1))
                rate, size = ((1.7, 0.3), (1.3, 0.25), (2.1, 0.5))[activity - 1] if activity < 4 else (1, 0)
                for n in range(500):
                    swing = size * math.sin(2 * math.pi * rate * (1 + 0.03 * person) * n / 50)
                    samples += [round(720 * (g * (1 + swing)) + noise.gauss(0, 9)) for g in posture]
                labels.append(f"{person},{person},{activity},{('WALKING', 'WALKING_UPSTAIRS', 'WALKING_DOWNSTAIRS', 'SITTING', 'STANDING', 'LAYING')[activity - 1]},{begin},{len(samples) // 3}")
            (place / f"acc_exp0{person}_user0{person}.i16").write_bytes(struct.pack(f"<{len(samples)}h", *samples))
            table.append(f"{person},{person},{len(samples) // 3},acc_exp0{person}_user0{person}.i16")
        (place / "recordings.csv").write_text("\n".join(["recording,user,samples,file", *table]) + "\n")
        (place / "labels.csv").write_text("\n".join(["recording,user,activity,label,first,last", *labels]) + "\n")
        return place

    def test_an_imported_network_learns_another_activity(self):
        """From another program's file to an activity that its author never thought of: only its last layer changes."""
        people = self.made_up_people()
        trained, onnx, out, own = (self.directory / name for name in ("trained", "net.onnx", "net.safetensors", "own"))
        self.assertEqual(gaitway("train", "--recordings", people, "--network", "window", "--input", "features-17", "--hidden", 24, "--epochs", 8, "--output", trained, timeout=200).returncode, 0)
        self.assertEqual(gaitway("model", "export", trained, "--format", "onnx", "--output", onnx).returncode, 0)
        labels = json.loads(gaitway("model", "inspect", trained, "--json").stdout)["labels"]
        named = ["--input", "features-17", "--labels", ",".join(labels), "--output", out]
        rows = self.directory / "rows.csv"
        rows.write_text(gaitway("features", "--recordings", people).stdout)
        self.assertEqual(gaitway("model", "import", onnx, "--calibrate", rows, *named).returncode, 0)
        self.assertEqual(gaitway("record", "--label", "HOPPING", "--source", "simulated:seed=4,downstairs=60", "--speed", "max", "--seconds", 40, "--recordings", own).returncode, 0)
        self.assertRefused(gaitway("train", "--from", out, "--recordings", own), 65, "no examples of", "--calibrate RECORDINGS")
        self.assertEqual(gaitway("model", "import", onnx, "--calibrate", people, *named).returncode, 0)
        learnt = self.directory / "learnt.safetensors"
        self.assertEqual(gaitway("train", "--from", out, "--recordings", own, "--output", learnt).returncode, 0)
        self.assertEqual(json.loads(gaitway("model", "inspect", learnt, "--json").stdout)["labels"], [*labels, "HOPPING"])
        found = [line["activity"] for line in lines(gaitway("run", "--model", learnt, "--source", "simulated:seed=9,downstairs=30", "--speed", "max", "--json"))]
        self.assertGreater(found.count("HOPPING"), len(found) * 0.7)
        # What it knew it still knows.
        before, after = (json.loads(gaitway("evaluate", "--model", model, "--recordings", people, "--json").stdout)["accuracy"] for model in (out, learnt))
        self.assertGreater(after, before - 0.05)

    def test_a_plan_for_a_battery(self):
        """On made-up people of six activities: what it chooses lasts as long as it was asked to, and runs."""
        place = self.made_up_people()
        board = ["--recordings", place, "--battery", 6290, "--idle-milliwatts", 50, "--active-milliwatts", 300]
        model = self.directory / "planned.safetensors"
        planned = lines(gaitway("plan", "--battery-hours", 112, *board, "--output", model, "--json", timeout=200))[0]
        chosen, choices = planned["chosen"], planned["choices"]
        self.assertGreaterEqual(chosen["hours"], 112)
        self.assertEqual(chosen["accuracy"], max(choice["accuracy"] for choice in choices))
        self.assertEqual({choice["bits"] for choice in choices}, {0, 4, 6, 8, 16})
        for choice in choices:
            self.assertAlmostEqual(choice["hours"], 6290 / (50 + choice["millijoules"] / choice["seconds"]), delta=0.01)
            self.assertTrue(0 <= (choice["woken"] or 0) <= 1)
        ran = lines(gaitway("run", "--model", model, "--source", "simulated:stand=9", "--speed", "max", "--json"))
        self.assertGreater(len(ran), 1)
        # A network that decides before it, in the same file.
        both = self.directory / "both.safetensors"
        self.assertEqual(gaitway("model", "join", model, "--first", model, "--sure", 0.5, "--output", both).returncode, 0)
        *again, last = lines(gaitway("run", "--model", both, "--source", "simulated:stand=9", "--speed", "max", "--json", "--stats"))
        self.assertEqual([line["activity"] for line in again], [line["activity"] for line in ran])
        self.assertGreater(last["stats"]["windows_by_first"], 0)
        self.assertGreater(json.loads(gaitway("model", "inspect", both, "--json").stdout)["first"]["bytes"], 0)
        asked = json.loads(gaitway("evaluate", "--model", both, "--recordings", place, "--json").stdout)["asked"]
        self.assertTrue(0 <= asked < 1, asked)
        self.assertRefused(gaitway("model", "join", WAIST, "--first", model, "--output", both), 64, "see every window")
        text = gaitway("plan", "--battery-hours", 200, *board, timeout=200)
        self.assertIn("200 hours cannot be had: the board alone would have to take less than 31.5 mW", text.stdout)
        self.assertRefused(gaitway("plan", "--battery-hours", 0, *board), 64, "positive")

    def test_tflite_bit_for_bit(self):
        for name in ("dense-3", "convolution-1", "lstm-1", "lstm-16x8-3"):
            out = self.imported(TFLITE / f"{name}.tflite")
            printed = gaitway("model", "predict", out, "--input", TFLITE / f"{name}.inputs.csv", "--raw").stdout
            self.assertEqual(printed, (TFLITE / f"{name}.outputs.csv").read_text(), name)

    def test_core_ml(self):
        out = self.imported(COREML / "sigmoid.mlmodel", "--calibrate", COREML / "sigmoid.inputs.csv", "--bits", "16")
        got = numbers(gaitway("model", "predict", out, "--input", COREML / "sigmoid.inputs.csv").stdout)
        for row, expected in zip(got, numbers((COREML / "sigmoid.outputs.csv").read_text())):
            for a, b in zip(row, expected):
                self.assertAlmostEqual(a, b, delta=0.001)

    def test_quantize_explains_itself(self):
        result = gaitway("model", "quantize", COREML / "relu.mlmodel", "--input", "features", "--calibrate", COREML / "relu.inputs.csv", "--bits", "4...9", "--report", "--json")
        rows = lines(result)
        self.assertEqual([row["bits"] for row in rows], [4, 5, 6, 7, 8, 9])
        self.assertEqual([layer["kind"] for layer in rows[0]["layers"]], ["input", "dense", "dense"])
        noise = [row["layers"][-1]["signal_to_noise_db"] for row in rows]
        self.assertGreater(noise[5], noise[0] + 12)
        self.assertIn("signal/noise", gaitway("model", "import", COREML / "relu.mlmodel", "--input", "features", "--calibrate", COREML / "relu.inputs.csv", "--report", "--dry-run", "--output", self.directory / "x").stdout)
        whole = gaitway("model", "import", TFLITE / "dense-0.tflite", "--input", "features", "--report", "--dry-run", "--output", self.directory / "x")
        self.assertIn("nothing is lost", whole.stderr)
        self.assertIn("signal/noise", gaitway("model", "quantize", COREML / "relu.mlmodel", "--input", "features", "--calibrate", COREML / "relu.inputs.csv", "--report").stdout)

    def test_export_and_back(self):
        """Floats of a quantised network, quantised once more, are the same network but for the last step of rounding."""
        dense = {"0.weight": ([3, 6], [((i * 37) % 19 - 9) / 10 for i in range(18)]), "0.bias": ([3], [0.1, -0.2, 0.3]),
                 "2.weight": ([2, 3], [1, -1, 0.5, -0.7, 0.2, 0.9]), "2.bias": ([2], [0, 0.5])}
        safetensors(self.directory / "float.safetensors", dense)
        rows = self.directory / "rows.csv"
        rows.write_text("\n".join(",".join(str(((i * 7 + k * 13) % 41 - 20) / 10) for k in range(6)) for i in range(60)) + "\n")
        out = self.imported(self.directory / "float.safetensors", "--calibrate", rows, "--bits", "16")
        back = self.directory / "back.safetensors"
        self.assertEqual(gaitway("model", "export", out, "--format", "safetensors-float", "--output", back).returncode, 0)
        first = numbers(gaitway("model", "predict", out, "--input", rows).stdout)
        again = numbers(gaitway("model", "predict", self.imported(back, "--calibrate", rows, "--bits", "16"), "--input", rows).stdout)
        for a, b in zip(sum(first, []), sum(again, [])):
            self.assertAlmostEqual(a, b, delta=0.002)

    def test_the_order_of_layers_is_shown(self):
        """A .safetensors file says nothing of it: that of their names counts, numbers as numbers."""
        safetensors(self.directory / "order.safetensors", {f"{name}.weight": ([2, 2], [1, 0, 0, 1]) for name in ("out", "10", "2")})
        (self.directory / "rows.csv").write_text("1,2\n-1,0.5\n")
        result = gaitway("model", "import", self.directory / "order.safetensors", "--input", "features", "--calibrate", self.directory / "rows.csv", "--dry-run")
        self.assertIn("layers in the order of their names: out, 2, 10; relu between", result.stderr)

    def test_the_c_header_computes_the_same(self):
        if not shutil.which("gcc"):
            self.skipTest("gcc is not installed")
        out, header = self.imported(TFLITE / "lstm-1.tflite"), self.directory / "net.h"
        self.assertEqual(gaitway("model", "export", out, "--format", "c-header", "--output", header).returncode, 0)
        (self.directory / "main.c").write_text("""
            #include "net.h"
            #include <stdio.h>
            #include <stdlib.h>
            int main(void) {
                gw_memory sizes;
                gw_network *network;
                if (gw_network_memory(&net, gw_kernel_best(), &sizes) != GW_OK) { return 1; }
                if (gw_network_init(aligned_alloc(64, sizes.total), sizes.total, &net, gw_kernel_best(), &network) != GW_OK) { return 1; }
                static short input[4096], output[64];
                for (int row = 0; row < VECTORS; row++) {
                    for (int i = 0; i < gw_network_inputs(network); i++) { if (scanf("%hd%*[,\\n]", &input[i]) != 1) { return 2; } }
                    gw_network_infer(network, input, output);
                    gw_network_apply_softmax(network, output, output);
                    for (int i = 0; i < gw_network_outputs(network); i++) { printf("%s%d", i ? "," : "", output[i]); }
                    printf("\\n");
                }
                return net_labels[0] == 0;
            }""")
        inputs = (TFLITE / "lstm-1.inputs.csv").read_text()
        sources = [str(p) for room in ("CFixed", "CNetwork") for p in sorted((ROOT / "CSources" / room).rglob("*.c"))]
        includes = [f"-I{ROOT}/CSources/{room}/include" for room in ("CFixed", "CNetwork")]
        subprocess.run(["gcc", "-O2", "-std=gnu11", f"-DVECTORS={len(inputs.splitlines())}", *includes, "-o", self.directory / "main", self.directory / "main.c", *sources], check=True)
        printed = subprocess.run([self.directory / "main"], input=inputs, capture_output=True, text=True, check=True).stdout
        self.assertEqual(printed, (TFLITE / "lstm-1.outputs.csv").read_text())

    def lstm_on_windows(self, *arguments):
        """A model of random LSTM weights on windows of 20 samples."""
        value = lambda i: ((i * 7919) % 201 - 100) / 130
        tensors = {"lstm.weight_ih_l0": ([24, 3], [value(i) for i in range(72)]), "lstm.weight_hh_l0": ([24, 6], [value(i + 5) / 2 for i in range(144)]),
                   "fc.weight": ([3, 6], [value(i + 3) * 3 for i in range(18)]), "fc.bias": ([3], [0, 0, 0])}
        safetensors(self.directory / "lstm.safetensors", tensors)
        rows = self.directory / "windows.csv"
        rows.write_text("\n".join(",".join(f"{((i * 31 + k * 17) % 37 - 18) / 12:.3f}" for k in range(60)) for i in range(50)) + "\n")
        out = self.directory / f"lstm{len(arguments)}.model"
        result = gaitway("model", "import", self.directory / "lstm.safetensors", "--window", "20", "--hop", "20", "--calibrate", rows, "--output", out, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return out

    def test_a_sequential_model_runs(self):
        kept, fresh = self.lstm_on_windows(), self.lstm_on_windows("--state", "fresh")
        self.assertIn("goes on from window to window", gaitway("model", "inspect", kept).stdout)
        self.assertIn("begins anew with every window", gaitway("model", "inspect", fresh).stdout)
        source = ("run", "--source", "simulated:seed=4,downstairs=20", "--speed", "max", "--json", "--model")
        first, second = ([line["probabilities"] for line in lines(gaitway(*source, model))] for model in (kept, fresh))
        self.assertEqual(len(first), len(second))
        self.assertEqual(first[0], second[0], "both begin with a state of zero")
        self.assertNotEqual(first[1:], second[1:])

    def test_a_gap_resets_the_state(self):
        """What comes after a gap is decided as if it had come first."""
        model = self.lstm_on_windows()
        directory = self.directory / "recordings"
        directory.mkdir()
        wave = struct.pack("<600h", *(v for i in range(200) for v in ((i * 13 % 50 - 25) * 20, (i * 7 % 30) * 15, 720)))
        for name in ("1", "2"):
            (directory / f"{name}.i16").write_bytes(wave)
        (directory / "recordings.csv").write_text("recording,user,samples,file\n1,1,200,1.i16\n2,1,200,2.i16\n")
        (directory / "labels.csv").write_text("recording,user,activity,label,first,last\n1,1,1,WALKING,1,200\n2,1,1,WALKING,1,200\n")
        found = [list(line["probabilities"].values()) for line in lines(gaitway("run", "--source", f"recording:{directory}", "--speed", "max", "--json", "--model", model))]
        self.assertGreater(len(found), 8)
        self.assertEqual(len(found) % 2, 0)
        self.assertEqual(found[: len(found) // 2], found[len(found) // 2:])

    def test_onnx_decides_as_onnxruntime(self):
        """Of every kind one; the outputs are onnxruntime's (Tests/Vectors/onnx_models.py)."""
        for name, rows in (("flat", 96), ("gru-both-ways", 96), ("new-transformer", 96), ("keras-lstm", 96), ("sklearn-forest", 17)):
            with self.subTest(name):
                out, inputs = self.directory / f"{name}.safetensors", ONNX / f"rows-{rows}.csv"
                command = ("model", "import", ONNX / f"{name}.onnx", "--input", "features", "--calibrate", inputs, "--output", out)
                self.assertEqual(gaitway(*command, "--dry-run").returncode, 0)
                self.assertFalse(out.exists())
                self.assertEqual(gaitway(*command).returncode, 0)
                expected = numbers((ONNX / f"{name}.outputs.csv").read_text())
                found = [json.loads(line) for line in gaitway("model", "predict", out, "--input", inputs, "--json").stdout.splitlines()]
                self.assertEqual(len(found), len(expected))
                largest = max(1, *(abs(value) for row in expected for value in row))
                for a, b in zip(found, expected):
                    self.assertLess(max(abs(x - y) for x, y in zip(a, b)), 0.03 * largest)
        self.assertIn("LAYING, SITTING, STANDING, WALKING", gaitway("model", "inspect", self.directory / "sklearn-forest.safetensors").stdout)

    def test_what_is_refused(self):
        out = self.directory / "out.safetensors"
        fixture = TFLITE / "dense-3.tflite"
        (self.directory / "broken.tflite").write_bytes(fixture.read_bytes()[:500])
        (self.directory / "broken.mlmodel").write_bytes((COREML / "relu.mlmodel").read_bytes()[:300])
        self.assertRefused(gaitway("model", "import", self.directory / "broken.tflite", "--output", out), 65, "broken.tflite")
        self.assertRefused(gaitway("model", "import", self.directory / "broken.mlmodel", "--output", out), 65, "broken.mlmodel")
        self.assertRefused(gaitway("model", "import", fixture, "--labels", "a", "--input", "features", "--output", out), 64, "1 label was given")
        self.assertRefused(gaitway("model", "import", ROOT / "README.md", "--output", out), 64, "neither a .tflite, an .onnx, a .mlmodel, a .safetensors")
        (self.directory / "broken.onnx").write_bytes((ONNX / "flat.onnx").read_bytes()[:300])
        self.assertRefused(gaitway("model", "import", self.directory / "broken.onnx", "--output", out), 65, "broken.onnx")
        self.assertRefused(gaitway("model", "import", ONNX / "flat.onnx", "--output", out), 64, "--calibrate")
        self.assertRefused(gaitway("model", "import", MODEL, "--output", out), 65, "0.weight is not F32")
        self.assertRefused(gaitway("model", "import", COREML / "relu.mlmodel", "--output", out), 64, "--calibrate")
        self.assertRefused(gaitway("model", "import", COREML / "relu.mlmodel", "--calibrate", self.directory, "--output", out), 64, "no windows of x, y, z")
        self.assertRefused(gaitway("model", "import", COREML / "relu.mlmodel", "--calibrate", COREML / "tanh.inputs.csv", "--output", out), 65, "tanh.inputs.csv:1")
        self.assertRefused(gaitway("model", "import", "/no/such.tflite", "--output", out), 66, "/no/such.tflite")
        self.assertRefused(gaitway("model", "quantize", fixture, "--calibrate", self.directory), 64, "quantised already")
        # Seventeen numbers are most likely those of features-17.
        safetensors(self.directory / "seventeen.safetensors", {"0.weight": ([6, 17], [0.1 * i for i in range(102)]), "0.bias": ([6], [0.0] * 6)})
        self.assertRefused(gaitway("model", "import", self.directory / "seventeen.safetensors", "--calibrate", self.directory, "--output", out), 64, "--input features-17")
        self.assertRefused(gaitway("model", "import", fixture, "--rate", "100", "--output", out), 64, "50 Hz")
        # What is calibrated on stays, by whatever name.
        (calibration := self.directory / "calibration.csv").write_text("".join(f"{i},{i % 7}\n" for i in range(50)))
        (self.directory / "link.csv").symlink_to(calibration)
        safetensors(self.directory / "two.safetensors", {"0.weight": ([3, 2], [0.1 * i for i in range(6)]), "0.bias": ([3], [0.0] * 3)})
        for place in (calibration, self.directory / "link.csv", self.directory / "two.safetensors"):
            two = ["--input", "features", "--calibrate", calibration, "--output", place]
            self.assertRefused(gaitway("model", "import", self.directory / "two.safetensors", *two), 64, "the result would replace it")
        self.assertTrue(calibration.read_text().startswith("0,0\n1,1\n"))
        self.assertFalse(out.exists())
        self.assertEqual(gaitway("model", "import", fixture, "--input", "features", "--output", out).returncode, 0)
        # A network on features says so instead of running on a sensor.
        self.assertRefused(gaitway("run", "--source", "simulated:stand=5", "--speed", "max", "--model", out), 65, "no sensor gives")
        rows = self.directory / "rows.csv"
        for text, complaint in (("1,2\n", ":1: 2 numbers were given"), ("a\n", ':1: "a" is not a number'), ("\n", " has no rows")):
            rows.write_text(text)
            self.assertRefused(gaitway("model", "predict", out, "--input", rows), 65, f"{rows}{complaint}")


@needs_recordings
class FloatNetworks(TestCase):
    def test_fixed_point_decides_as_pytorch_and_scikit_learn(self):
        """Ten networks of each (Tests/Vectors/float_networks.py) on real windows, weights of 8 bits. 99.5 % of the decisions alike is
        the aim, which most of them reach; one window is 0.07 %."""
        content = (DATA / "uci-har/train.i16").read_bytes()
        windows = [struct.unpack_from("<384h", content, start) for start in range(0, len(content) - 767, 5 * 768)]
        rows = self.directory / "windows.csv"
        rows.write_text("\n".join(",".join(f"{v / 8192:.6f}" for v in window) for window in windows) + "\n")
        shares = {}
        for name, activation in json.loads((FLOAT / "all.json").read_text()).items():
            out = self.directory / "net.model"
            result = gaitway("model", "import", FLOAT / f"{name}.safetensors", "--activation", activation, "--calibrate", rows, "--output", out)
            self.assertEqual(result.returncode, 0, result.stderr)
            expected = (FLOAT / f"{name}.decisions").read_text().strip()
            got = "".join(str(max(range(6), key=row.__getitem__)) for row in numbers(gaitway("model", "predict", out, "--fresh", "--input", rows).stdout))
            self.assertEqual(len(got), len(expected))
            shares[name] = sum(a == b for a, b in zip(got, expected)) / len(expected)
        print("decisions alike, %:", {name: round(share * 100, 2) for name, share in shares.items()})
        self.assertGreaterEqual(min(shares.values()), 0.992)
        self.assertGreaterEqual(sum(shares.values()) / len(shares), 0.997)
        self.assertGreaterEqual(sum(share >= 0.995 for share in shares.values()), 17)


class Signed(TestCase):
    @needs("openssl")
    def test_a_board_with_a_trusted_key(self):
        private, public, model = (self.directory / name for name in ("private.pem", "public.pem", "model.safetensors"))
        subprocess.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-out", private], check=True, capture_output=True)
        subprocess.run(["openssl", "ec", "-in", private, "-pubout", "-out", public], check=True, capture_output=True)
        model.write_bytes(MODEL.read_bytes())
        trusting = {**os.environ, "GAITWAY_TRUSTED_KEY": str(public)}
        run = ("run", "--source", "simulated:stand=5", "--speed", "max", "--json")
        self.assertRefused(gaitway(*run, env=trusting), 77, "is not signed")
        self.assertRefused(gaitway(*run, "--model", model, env=trusting), 77, "is not signed")
        self.assertEqual(gaitway("model", "sign", model, "--key", private).returncode, 0)
        self.assertEqual(gaitway("model", "verify", model, "--key", public).returncode, 0)
        self.assertEqual(len(lines(gaitway(*run, "--model", model, env=trusting))), 2)
        self.assertEqual(gaitway("guess", "--model", model, "--source", "simulated:stand=15", "--speed", "max", env=trusting).returncode, 0)
        data = bytearray(MODEL.read_bytes())
        data[-1] ^= 1
        model.write_bytes(data)
        self.assertRefused(gaitway(*run, "--model", model, env=trusting), 65, "is not what was signed")
        self.assertRefused(gaitway("model", "verify", model, "--key", private), 65, "no public key")
        self.assertRefused(gaitway(*run, env={**os.environ, "GAITWAY_TRUSTED_KEY": "/no/such.pem"}), 66, "/no/such.pem")


if __name__ == "__main__":
    unittest.main()
