"""Recorded windows that the board itself cannot read again."""
import os
import signal
import subprocess
import time
import unittest

from support import GAITWAY, ROOT, TestCase

KEYS = ROOT / "Tests/Fixtures/uploads/sealed"


class Sealed(TestCase):
    def setUp(self):
        super().setUp()
        self.state = self.directory / "state"
        self.environment = {**os.environ, "STATE_DIRECTORY": str(self.state), "GAITWAY_UPLOAD_ENABLED": "true", "GAITWAY_UPLOAD_USER": "ada",
                            "GAITWAY_UPLOAD_CONTENT": "features-17", "GAITWAY_UPLOAD_PUBLIC_KEY": str(KEYS / "public.pem")}

    def gaitway(self, *arguments, code=0):
        result = subprocess.run([GAITWAY, *map(str, arguments)], capture_output=True, text=True, timeout=60, env=self.environment)
        self.assertEqual(result.returncode, code, result.stderr)
        return result

    def pending(self):
        return sorted((self.state / "spool/pending").iterdir())

    def rows(self, file, *arguments):
        return self.gaitway("upload", "open", file, "--key", KEYS / "private.pem", *arguments).stdout.splitlines()

    def test_rows_are_sealed_before_they_are_written(self):
        run = self.gaitway("run", "--source", "simulated:walk=30", "--speed", "max", "--json")
        file, = self.pending()
        self.assertTrue(file.name.startswith("ada_") and file.name.endswith("_data.csv.hpke"), file.name)
        rows = self.rows(file)
        self.assertEqual(len(rows), len(run.stdout.splitlines()))
        self.assertEqual({len(row.split(",")) for row in rows}, {1 + 17 + 2 * 9})
        # Nothing of a row lies anywhere in the state.
        part = rows[3].split(",", 1)[1][:40].encode()
        for found in self.state.rglob("*"):
            if found.is_file():
                self.assertNotIn(part, found.read_bytes(), found)
        self.rows(file, "--output", self.directory / "rows.csv")
        self.assertEqual((self.directory / "rows.csv").read_text().splitlines(), rows)
        self.assertEqual((self.directory / "rows.csv").stat().st_mode & 0o777, 0o600)

    def test_a_program_that_is_killed_loses_no_whole_row(self):
        process = subprocess.Popen([GAITWAY, "run", "--source", "simulated:walk=600", "--json"], stdout=subprocess.PIPE, text=True, env=self.environment)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        for _ in range(4):
            self.assertTrue(process.stdout.readline())
        time.sleep(0.3)
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.gaitway("run", "--source", "simulated:stand=5", "--speed", "max")
        first, *_ = self.pending()
        opened = self.gaitway("upload", "open", first, "--key", KEYS / "private.pem")
        self.assertGreaterEqual(len(opened.stdout.splitlines()), 4)
        self.assertIn("was cut off", opened.stderr)

    def test_without_its_key_nothing_is_recorded_and_decisions_go_on(self):
        self.environment["GAITWAY_UPLOAD_PUBLIC_KEY"] = str(self.directory / "gone.pem")
        run = self.gaitway("run", "--source", "simulated:walk=30", "--speed", "max", "--json")
        self.assertGreater(len(run.stdout.splitlines()), 20)
        self.assertIn("gone.pem", run.stderr)
        self.assertEqual([file for file in self.state.rglob("*") if "_data.csv" in file.name], [])

    def test_what_cannot_be_opened_says_why(self):
        sealed = KEYS / "rows.csv.hpke"
        self.assertEqual(self.rows(sealed), (KEYS / "rows.csv").read_text().splitlines())
        other = self.directory / "other.pem"
        subprocess.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", other], check=True, capture_output=True)
        self.assertIn("another key", self.gaitway("upload", "open", sealed, "--key", other, code=77).stderr)
        self.gaitway("upload", "open", KEYS / "rows.csv", "--key", KEYS / "private.pem", code=65)
        self.gaitway("upload", "open", sealed, "--key", KEYS / "public.pem", code=65)
        broken = self.directory / "broken.hpke"
        data = bytearray(sealed.read_bytes())
        data[-30] ^= 1
        broken.write_bytes(data)
        result = self.gaitway("upload", "open", broken, "--key", KEYS / "private.pem", code=65)
        self.assertIn("was damaged at byte", result.stderr)
        self.assertEqual(result.stdout.splitlines(), (KEYS / "rows.csv").read_text().splitlines()[:1])


if __name__ == "__main__":
    unittest.main()
