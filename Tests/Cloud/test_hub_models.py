"""Models' files in a bucket: moved there while a hub serves, given out from there by another hub, and what happens while it is away."""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import threading
import time
import unittest
import urllib.error
import urllib.request

import support
from support import SERVER, TestCase

HUB = os.environ.get("GAITWAY_HUB", str(pathlib.Path(support.GAITWAY).with_name("gaitway-hub")))
MODEL = pathlib.Path(__file__).resolve().parents[2] / "board/models/activity.safetensors"


class HubModels(TestCase):
    def setUp(self):
        super().setUp()
        self.data = self.directory / "hub.sqlite"
        self.place = f"s3://{self.bucket}/models"
        self.environment = {**os.environ, **self.credentials, "STATE_DIRECTORY": str(self.directory / "state")}
        self.token = self.run_hub("tokens", "create").strip()

    def run_hub(self, *arguments):
        return subprocess.run([HUB, *map(str, arguments), "--data", str(self.data)], capture_output=True, text=True, check=True, timeout=60, env=self.environment).stdout

    def serve(self, *options):
        process = subprocess.Popen([HUB, "serve", "--port", "0", "--data", str(self.data), *map(str, options)], stderr=subprocess.PIPE, text=True, env=self.environment)
        self.addCleanup(self.end, process)
        address = re.search(r"http://[^:]+:\d+", process.stderr.readline()).group(0)
        said = []
        threading.Thread(target=lambda: said.extend(process.stderr), daemon=True).start()
        return process, address, said

    def end(self, process):
        if process.poll() is None:
            process.terminate()
            process.wait(20)
        process.stderr.close()

    def download(self, address):
        request = urllib.request.Request(f"{address}/api/v1/models/activity/versions/latest/download", headers={"Authorization": f"Bearer {self.token}"})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)["message"]

    def until(self, condition, seconds=30):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, "not within its time")
            time.sleep(0.2)

    def test_models_are_in_the_bucket(self):
        expected, there = MODEL.read_bytes(), ("--models", self.place, "--endpoint", SERVER["endpoint"])
        checksum = hashlib.sha256(expected).hexdigest()
        self.run_hub("models", "add", "activity", MODEL)
        process, address, said = self.serve(*there)
        self.assertEqual(self.download(address), (200, expected))
        self.until(lambda: self.objects() == [f"models/{checksum}"])
        self.until(lambda: any("went to" in line for line in said))
        self.end(process)
        # One that remembers nothing gives it out from there.
        process, address, _ = self.serve(*there)
        self.assertEqual(self.download(address), (200, expected))
        self.end(process)
        # One that was not told of the bucket says so; boards ask again later.
        process, address, said = self.serve()
        status, message = self.download(address)
        self.assertEqual(status, 503)
        self.until(lambda: any("give --models" in line for line in said) and any("not given that place" in line for line in said))
        self.end(process)
        # What lies there under the name of the file is another one.
        self.s3.put_object(Bucket=self.bucket, Key=f"models/{checksum}", Body=b"x" * len(expected))
        process, address, said = self.serve(*there)
        status, message = self.download(address)
        self.assertEqual((status, self.bucket in message), (503, False), message)
        self.until(lambda: any("another file" in line for line in said))
        self.s3.put_object(Bucket=self.bucket, Key=f"models/{checksum}", Body=expected)
        self.assertEqual(self.download(address), (200, expected))
        self.assertEqual(list((self.directory / "state/models.part").iterdir()), [])
        self.end(process)
        # What was lost there is back once it is added again.
        self.s3.delete_object(Bucket=self.bucket, Key=f"models/{checksum}")
        process, address, _ = self.serve(*there)
        self.assertEqual(self.download(address)[0], 503)
        self.run_hub("models", "add", "activity", MODEL)
        self.assertEqual(self.download(address), (200, expected))
        self.until(lambda: self.objects() == [f"models/{checksum}"])
        # One that is damaged there is not relied on.
        self.end(process)
        self.s3.put_object(Bucket=self.bucket, Key=f"models/{checksum}", Body=b"x" * len(expected))
        self.run_hub("models", "add", "activity", MODEL)
        process, address, said = self.serve(*there)
        self.until(lambda: any("stay in the database" in line for line in said), 30)
        self.assertEqual(self.download(address), (200, expected))

    def test_a_bucket_that_is_away_stops_nothing(self):
        self.run_hub("models", "add", "activity", MODEL)
        process, address, said = self.serve("--models", self.place, "--endpoint", "http://127.0.0.1:9")
        self.until(lambda: any("stay in the database" in line for line in said), 60)
        self.assertEqual(self.download(address), (200, MODEL.read_bytes()))
        self.end(process)
        self.assertIn("no directory", subprocess.run([HUB, "serve", "--port", "0", "--data", str(self.data), "--models", self.directory / "files"], capture_output=True, text=True, env=self.environment).stderr)
        (self.directory / "files").mkdir()
        process, address, said = self.serve("--models", self.directory / "files")
        self.until(lambda: any("went to" in line for line in said))
        self.end(process)
        process, address, _ = self.serve("--models", self.directory / "files")
        self.assertEqual(self.download(address), (200, MODEL.read_bytes()))


if __name__ == "__main__":
    unittest.main()
