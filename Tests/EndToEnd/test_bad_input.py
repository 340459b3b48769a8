"""Everything that can be wrong with what a user gives: a clear message and the documented exit code."""
import struct
import subprocess
import unittest

from support import GAITWAY, MODEL, ROOT, WAIST, TestCase, gaitway


class BadInput(TestCase):
    def run_model(self, path):
        return gaitway("run", "--source", "simulated:stand=5", "--speed", "max", "--model", path)

    def test_usage(self):
        for arguments in (["fly"], ["run", "--source", "telepathy"], ["run", "--speed", "slow"], ["run", "--duration", "-1"], ["evaluate"],
                          ["run", "--threshold", "2"], ["train", "--network", "x"], ["evaluate", "--paper"], ["run", "--source", "simulated:hop=3"]):
            self.assertRefused(gaitway(*arguments), 64)

    def test_no_such_recording(self):
        self.assertRefused(gaitway("run", "--source", "recording:/no/such.i16"), 66, "/no/such.i16", "does not exist")
        self.assertRefused(gaitway("run", "--source", "recording:/etc/passwd"), 65, "not a recording")

    def test_a_recording_cut_in_a_sample(self):
        path = self.directory / "cut.i16"
        path.write_bytes(bytes(1001))
        self.assertRefused(gaitway("run", "--source", f"recording:{path}"), 65, "middle of a sample")

    def test_an_unknown_label(self):
        (self.directory / "windows.i16").write_bytes(bytes(128 * 6))
        for label in ("7", "0", "walking"):
            (self.directory / "labels.csv").write_text(f"window,activity\n0,{label}\n")
            result = gaitway("evaluate", "--model", WAIST, "--windows", self.directory / "windows.i16", "--labels", self.directory / "labels.csv")
            self.assertRefused(result, 65, "labels.csv:2", label)

    def test_windows_without_their_labels(self):
        (self.directory / "windows.i16").write_bytes(bytes(128 * 6 * 2))
        (self.directory / "labels.csv").write_text("window,activity\n0,1\n")
        result = gaitway("evaluate", "--model", WAIST, "--windows", self.directory / "windows.i16", "--labels", self.directory / "labels.csv")
        self.assertRefused(result, 65, "1 windows of 128 samples need 768")

    def test_a_directory_without_recordings(self):
        for arguments, words in ((["train", "--output", "x"], ["has no recordings", "gaitway record"]), (["evaluate"], ["holds no recordings", "acc_expNN_userMM.txt"])):
            self.assertRefused(gaitway(*arguments, "--recordings", self.directory), 66, *words)
            self.assertRefused(gaitway(*arguments, "--recordings", self.directory / "none"), 66, "not a directory")

        (self.directory / "index.csv").write_text("file,person,placement,activity,trial,first,last,note\n")
        self.assertRefused(gaitway("run", "--source", f"recording:{self.directory}"), 64, "is a recording set", "recordings import")

    def test_options_that_do_not_fit(self):
        page = self.directory / "none/page.html"
        self.assertRefused(gaitway("evaluate", "--recordings", self.directory, "--html", page), 66, "page.html", "does not exist")
        self.assertRefused(gaitway("train", "--recordings", self.directory, "--up", "x", "--output", "m"), 64, "--up", "--from")

    def test_no_such_device(self):
        self.assertRefused(gaitway("run", "--source", "iio:adxl999"), 69, "adxl999")
        self.assertRefused(gaitway("run", "--source", "iio:ip:127.0.0.1"), 69, "ip:127.0.0.1")

    def test_models(self):
        good = MODEL.read_bytes()
        (header,) = struct.unpack("<Q", good[:8])
        cases = {
            "empty": b"", "half": good[: len(good) // 2], "short": good[:7], "two gigabytes": struct.pack("<Q", 2 << 30) + good[8:],
            "text": b"once upon a time there was a model" * 9, "flipped": good[:5000] + bytes([good[5000] ^ 4]) + good[5001:],
            "flipped weight": good[:-500] + bytes([good[-500] ^ 1]) + good[-499:], "header only": good[: 8 + header],
        }
        for name, content in cases.items():
            path = self.directory / "model"
            path.write_bytes(content)
            with self.subTest(name):
                self.assertRefused(self.run_model(path), 65, str(path))
        self.assertRefused(self.run_model("/no/model"), 66, "/no/model")
        self.assertRefused(self.run_model(self.directory), 66, "is a directory")

    def test_a_full_disk(self):
        recordings = self.directory / "recordings"
        recordings.mkdir()
        wave = [(4096 * 720 // 4096, 100 * (i % 25), 0) for i in range(400)]
        rows = ["recording,user,samples,file"] + [f"{n},{n},400,{n}.i16" for n in (1, 2, 3)]
        (recordings / "recordings.csv").write_text("\n".join(rows) + "\n")
        (recordings / "labels.csv").write_text("recording,user,activity,label,first,last\n" + "".join(f"{n},{n},{n},X,1,399\n" for n in (1, 2, 3)))
        for n in (1, 2, 3):
            (recordings / f"{n}.i16").write_bytes(b"".join(struct.pack("<3h", x * n // 2, y * n, z) for x, y, z in wave))
        output = self.directory / "model"
        train = [GAITWAY, "train", "--recordings", recordings, "--epochs", "2", "--output", output]
        self.assertEqual(subprocess.run(train, capture_output=True).returncode, 0)
        before = output.read_bytes()
        # No file may grow over 8 KB; the program ignores SIGXFSZ and sees an error as from a full disk.
        limited = ["bash", "-c", 'trap "" XFSZ; ulimit -f 8; exec "$@"', "bash", *map(str, train)]
        result = subprocess.run(limited, capture_output=True, text=True)
        self.assertRefused(result, 1, str(output))
        self.assertEqual(output.read_bytes(), before, "the old model stays")
        self.assertEqual(sorted(p.name for p in self.directory.iterdir()), ["model", "recordings"], "no half file is left")

if __name__ == "__main__":
    unittest.main()
