"""`gaitway run` with uploads on, `gaitway upload` and `gaitway label`, from outside."""
import json
import os
import pathlib
import shutil
import signal
import socket
import ssl
import subprocess
import threading
import time
import unittest

from client import connect
from support import GAITWAY, SERVER, Forwarder, TestCase, benchmark

MINUTE = "simulated:stand=30,walk=30"


def is_root():
    return os.geteuid() == 0


class Upload(TestCase):
    def test_off_until_the_user_turns_it_on(self):
        self.run_loop(MINUTE, ENABLED="false")
        self.assertFalse(self.spool.exists())

    def test_windows_decisions_and_labels(self):
        self.assertIn("WALKING until", self.gaitway("label", "walking").stdout)
        first, _ = self.run_loop(MINUTE)
        self.assertEqual(json.loads(self.gaitway("label", "--none", "--json").stdout), {"label": None, "until": None})
        second, _ = self.run_loop("simulated:lie=20", CONTENT="features-17")
        status = self.status()
        self.assertEqual((status["files"], status["room_bytes"] > 0, status["hours_left"] > 1), (2, True, True))
        listed = [json.loads(line) for line in self.gaitway("upload", "list", "--json").stdout.splitlines()]
        result = self.gaitway("upload", "now", "--json")
        self.assertEqual([json.loads(line)["sent"] for line in result.stdout.splitlines()], [f["name"] for f in listed])
        self.assertEqual(self.objects(), [f["name"] for f in listed])
        rows = self.rows()
        raw, features = rows[: len(first)], rows[len(first):]
        self.assertEqual({len(row) for row in raw}, {1 + 384 + 2 * len(first[0]["probabilities"])})
        self.assertEqual({len(row) for row in features}, {1 + 17 + 2 * len(first[0]["probabilities"])})
        labels = list(first[0]["probabilities"])
        count = len(labels)
        for row, decision in zip(raw + features, first + second):
            self.assertEqual(labels[row[-2 * count:-count].index("1.0")], decision["activity"])
        self.assertEqual({labels[row[-count:].index("1.0")] for row in raw}, {"WALKING"})
        self.assertEqual({cell for row in features for cell in row[-count:]}, {"0.0"})
        # The same windows as `gaitway features` gives.
        printed = subprocess.run([GAITWAY, "features", "--source", "simulated:lie=20", "--input", "features-17"], capture_output=True, text=True, check=True)
        rest = [line.split(",") for line in printed.stdout.splitlines() if line[0] in "-0123456789"]
        self.assertEqual(len(rest), len(features))
        for ours, theirs in zip(features, rest):
            for one, other in zip(ours[1:18], theirs):
                self.assertAlmostEqual(float(one), float(other), delta=6e-7)
        self.assertNotEqual(self.gaitway("label", "dancing").returncode, 0)

    def test_a_new_model_out_of_a_bucket(self):
        model, private = self.directory / "m2.safetensors", self.directory / "key.pem"
        shutil.copy(pathlib.Path(__file__).resolve().parents[2] / "board/models/activity.safetensors", model)
        subprocess.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", private], check=True, capture_output=True)
        self.assertEqual(self.gaitway("model", "sign", str(model), "--key", str(private), "--model-version", "2").returncode, 0)
        self.s3.put_object(Bucket=self.bucket, Key="models/m2.safetensors", Body=model.read_bytes())
        for name, code, word in (("m2", 0, "version 2 is tried with the next"), ("m3", 66, "m3")):
            command = [GAITWAY, "model", "install", f"s3://{self.bucket}/models/{name}.safetensors"]
            result = subprocess.run(command, capture_output=True, text=True, timeout=60, env={**self.environment(), "STATE_DIRECTORY": str(self.directory)})
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertIn(word, result.stdout + result.stderr)

    def test_the_loop_is_closed(self):
        """What a user labels on the board comes back as a model of their own: sensed, uploaded, learnt from, signed, rolled out."""
        hub = pathlib.Path(GAITWAY).parent / "gaitway-hub"
        private, data = self.directory / "key.pem", self.directory / "hub.sqlite"
        subprocess.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", private], check=True, capture_output=True)
        base = pathlib.Path(__file__).resolve().parents[2] / "board/models/activity.safetensors"
        def foresight(user=self.user):
            command = [hub, "foresight", "--data", data, "--user", user, "--bucket", self.bucket, "--endpoint", SERVER["endpoint"], "--model", base, "--key", private]
            return subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, **self.credentials})
        self.assertEqual(foresight().returncode, 66)
        for label, source in (("walking", "simulated:seed=5,walk=60"), ("sitting", "simulated:seed=6,walk=20,sit=40"), ("laying", "simulated:seed=7,walk=20,lie=40")):
            self.gaitway("label", label)
            self.run_loop(source)
            self.assertEqual(self.gaitway("upload", "now").returncode, 0)
            time.sleep(1.1)
        # A file of other contents beside them is named and passed over.
        self.s3.put_object(Bucket=self.bucket, Key=f"{self.user}_20200101000000_data.csv", Body=b"1.0,2.0\n")
        made = foresight()
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertRegex(made.stdout, rf"{self.user}_model0 2, of .*WALKING \d+, SITTING \d+")
        self.assertIn("20200101000000_data.csv:1 is no raw window", made.stderr)
        versions = subprocess.run([hub, "models", "list", "--json", "--data", data], capture_output=True, text=True).stdout
        self.assertEqual([(entry["model"], entry["version"], entry["signed"]) for entry in map(json.loads, versions.splitlines())], [(f"{self.user}_model0", "2", "yes")])
        rollouts = json.loads(subprocess.run([hub, "rollouts", "list", "--json", "--data", data], capture_output=True, text=True).stdout)
        self.assertEqual((rollouts["status"], rollouts["percent"]), ("active", "100"))
        self.assertIn("nothing new was labelled: version 2 stays", foresight().stdout)
        self.assertEqual(foresight(self.user + "x").returncode, 66, "nobody else's files are read")

    def test_metadata_then_local_delete(self):
        dynamo = connect("dynamodb", SERVER["endpoint"], SERVER["key"], SERVER["secret"])
        configuration = self.directory / "awsconfiguration.json"
        configuration.write_text(json.dumps({
            "S3TransferUtility": {"Default": {"Bucket": self.bucket, "Region": "us-east-1", "Endpoint": SERVER["endpoint"]}},
            "DynamoDBObjectMapper": {"Default": {"Region": "us-east-1", "Endpoint": SERVER["endpoint"]}}}))
        self.settings.update(CONFIGURATION=configuration, TABLE="agent")
        self.run_loop(MINUTE)
        self.assertEqual(self.gaitway("upload", "now").returncode, 0)
        key, = self.objects()
        query = {":u": {"S": self.user}}
        row, = dynamo.query(TableName="agent", KeyConditionExpression="userID = :u", ExpressionAttributeValues=query)["Items"]
        self.assertEqual((row["m0"]["S"], row["eventDate"]["S"]), (key, key.split("_")[1]))
        self.assertIn("WALKING,", row["m2"]["S"])
        self.assertEqual(self.status()["files"], 0)

        refused = self.gaitway("upload", "delete-remote")
        self.assertEqual((refused.returncode, self.objects()), (64, [key]))
        self.assertIn("1 file and 1 row of", self.gaitway("upload", "delete-remote", "--yes").stdout)
        self.assertEqual(self.objects(), [])
        self.assertEqual(dynamo.query(TableName="agent", KeyConditionExpression="userID = :u", ExpressionAttributeValues=query)["Items"], [])
        # The same of all that left, as the board counted it.
        self.run_loop(MINUTE)
        self.assertEqual(self.gaitway("upload", "now").returncode, 0)
        rows = len(self.rows())
        left, = json.loads(self.gaitway("privacy", "--json").stdout)["left"]
        self.assertEqual((left["way"], left["to"], left["messages"], left["items"]), ("uploads", f"{SERVER['endpoint']}/{self.bucket} as {self.user}", 2, 2 * rows))
        receipt = self.gaitway("privacy", "--erase", "--yes")
        self.assertEqual(receipt.returncode, 0, receipt.stderr)
        self.assertIn(f"erased  {left['to']}: 1 file, 1 row of the table agent", receipt.stdout)
        self.assertEqual(self.objects(), [])
        self.assertEqual(dynamo.query(TableName="agent", KeyConditionExpression="userID = :u", ExpressionAttributeValues=query)["Items"], [])
        left, = json.loads(self.gaitway("privacy", "--json").stdout)["left"]
        self.assertTrue(left["erased"])

    def test_an_answer_that_was_lost(self):
        self.run_loop(MINUTE)
        name, = [p.name for p in (self.spool / "pending").iterdir()]
        body = (self.spool / "pending" / name).read_bytes()
        self.assertEqual(self.gaitway("upload", "now").returncode, 0)
        # As if the power had gone between the server's yes and the deletion.
        (self.spool / "pending" / name).write_bytes(body)
        self.assertEqual(self.gaitway("upload", "now").returncode, 0)
        self.assertEqual(self.objects(), [name])
        # A board whose clock went back gives a name twice: both files must arrive.
        (self.spool / "pending" / name).write_bytes(b"1.0,2.0\n")
        self.assertEqual(self.gaitway("upload", "now").returncode, 0)
        self.assertEqual(len(self.objects()), 2)
        self.assertEqual({self.s3.get_object(Bucket=self.bucket, Key=key)["Body"].read() for key in self.objects()}, {body, b"1.0,2.0\n"})

    def test_what_is_wrong_and_its_exit_code(self):
        self.run_loop(MINUTE)
        dead = Forwarder()
        for settings, credentials, code, word in (
            ({"ENDPOINT": dead.endpoint}, {}, 75, "cannot be reached"),
            ({}, {"AWS_SECRET_ACCESS_KEY": "wrong"}, 77, "SignatureDoesNotMatch"),
            ({"BUCKET": "no-such-bucket"}, {}, 78, "NoSuchBucket"),
            ({"ENDPOINT": "http://example.org"}, {}, 78, "not encrypted"),
            ({"QUIET_HOURS": "never"}, {}, 78, "quiet hours"),
            ({"USER": "a/b"}, {}, 78, "upload.user"),
        ):
            with self.subTest(word):
                kept, self.credentials = self.credentials, {**self.credentials, **credentials}
                result = self.gaitway("upload", "now", **settings)
                self.credentials = kept
                self.assertEqual(result.returncode, code, result.stderr)
                self.assertIn(word, result.stderr)
                self.assertNotIn(SERVER["secret"], result.stderr)
        self.assertEqual(self.status()["files"], 1)
        self.assertEqual(self.gaitway("upload", "clear").returncode, 64)
        self.assertEqual(self.gaitway("upload", "clear", "--yes").stdout, "deleted 1 file\n")
        self.assertEqual((self.status()["files"], self.objects()), (0, []))

    def test_refused_files_are_set_aside_and_can_be_retried(self):
        self.run_loop(MINUTE)
        inject = json.dumps({"n": 1, "status": 400, "code": "EntityTooLarge", "match": f"PUT /{self.bucket}/"})
        subprocess.run(["curl", "-s", "-X", "POST", "-d", inject, SERVER["endpoint"] + "/_fault"], check=True, capture_output=True)
        result = self.gaitway("upload", "now")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("EntityTooLarge", result.stderr)
        self.assertEqual((self.status()["refused"], self.status()["files"]), (1, 0))
        self.assertEqual(self.gaitway("upload", "retry").returncode, 0)
        self.assertEqual((self.status()["refused"], len(self.objects())), (0, 1))

    def test_the_service_sends_while_it_runs(self):
        self.settings.update(MINUTES="0.1")
        process = subprocess.Popen([GAITWAY, "run", "--source", "simulated", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment())
        self.addCleanup(process.kill)
        end = time.monotonic() + 40
        while not self.objects() and time.monotonic() < end:
            time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=10)
        self.assertEqual((process.returncode, "warning" in err), (0, False), err)
        self.assertGreaterEqual(len(self.objects()), 1)
        self.assertEqual(self.gaitway("upload", "now").returncode, 0)
        self.assertEqual(len(self.rows()), len(out.splitlines()))

    def test_quiet_hours(self):
        hour = time.localtime().tm_hour
        quiet = f"{(hour - 1) % 24:02d}:00-{(hour + 2) % 24:02d}:00"
        self.settings.update(QUIET_HOURS=quiet)
        self.run_loop("simulated:walk=3000", ENDPOINT=SERVER["endpoint"])
        self.assertEqual(self.objects(), [])
        self.assertEqual(self.gaitway("upload", "now").returncode, 0)
        self.assertEqual(len(self.objects()), 5)

    def test_one_connection_for_many_files(self):
        # moto closes after every answer; this server keeps its connections and throws all bodies away.
        listener, connections = socket.create_server(("127.0.0.1", 0)), []
        self.addCleanup(listener.close)

        def serve():
            while True:
                try:
                    connections.append(listener.accept()[0])
                except OSError:
                    return
                threading.Thread(target=benchmark.answer, args=(connections[-1],), daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        self.run_loop("simulated:walk=600", MINUTES=1)
        result = self.gaitway("upload", "now", ENDPOINT=f"http://127.0.0.1:{listener.getsockname()[1]}")
        self.assertEqual((result.returncode, len(result.stdout.splitlines()), len(connections)), (0, 10, 1), result.stderr)

    def test_a_certificate_that_nobody_knows(self):
        key, certificate = self.directory / "key.pem", self.directory / "certificate.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost", "-keyout", key, "-out", certificate], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        heard = []

        def serve():
            while True:
                try:
                    connection, _ = listener.accept()
                    heard.append(context.wrap_socket(connection, server_side=True).recv(100))
                except ssl.SSLError:
                    continue
                except OSError:
                    return

        threading.Thread(target=serve, daemon=True).start()
        self.run_loop(MINUTE)
        result = self.gaitway("upload", "now", ENDPOINT=f"https://localhost:{listener.getsockname()[1]}")
        self.assertEqual((result.returncode, heard, self.status()["files"]), (75, [], 1))
        self.assertIn("certificate", result.stderr)

    def test_the_environments_proxy(self):
        way = Forwarder()
        way.start()
        self.run_loop(MINUTE)
        self.credentials["http_proxy"] = way.endpoint
        result = self.gaitway("upload", "now")
        self.assertTrue(way.first and way.first[0].startswith(f"PUT {SERVER['endpoint']}/".encode()), result.stderr)

    def test_a_limited_rate(self):
        self.run_loop("simulated:walk=200")
        begin = time.monotonic()
        self.assertEqual(self.gaitway("upload", "now", KILOBYTES_PER_SECOND=300).returncode, 0)
        self.assertGreater(time.monotonic() - begin, 1.5)

    def test_credentials_from_a_file_that_nobody_else_reads(self):
        self.run_loop(MINUTE)
        path = self.directory / "credentials"
        path.write_text(f"[default]\naws_access_key_id = {SERVER['key']}\naws_secret_access_key = {SERVER['secret']}\n")
        path.chmod(0o644)
        self.credentials = {}
        result = self.gaitway("upload", "now", CREDENTIALS=path)
        self.assertEqual(result.returncode, 77)
        self.assertIn("chmod 600", result.stderr)
        path.chmod(0o600)
        self.assertEqual(self.gaitway("upload", "now", CREDENTIALS=path).returncode, 0)
        self.assertEqual(len(self.objects()), 1)


class Disk(TestCase):
    def setUp(self):
        super().setUp()
        self.expected, _ = self.run_loop(MINUTE, ENABLED="false")

    def mount(self, path, options):
        path.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", path], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", path])

    @unittest.skipUnless(is_root(), "mounting needs root")
    def test_a_full_disk(self):
        self.mount(self.spool, "size=200k")
        decisions, said = self.run_loop(MINUTE, MAX_MEGABYTES=1)
        self.assertEqual(decisions, self.expected)
        self.assertEqual(said.count("windows are not recorded"), 1, said)
        self.assertIn("full", said)
        status = self.status()
        self.assertEqual(status["files"], 1)
        rows = (self.spool / "pending").glob("*.csv").__next__().read_text().splitlines()
        self.assertEqual({len(row.split(",")) for row in rows}, {1 + 384 + 2 * len(decisions[0]["probabilities"])})
        self.assertEqual(len(rows) + status["lost_windows"], len(decisions))

    @unittest.skipUnless(is_root(), "mounting needs root")
    def test_a_read_only_spool(self):
        self.mount(self.spool, "size=1m,ro")
        decisions, said = self.run_loop(MINUTE)
        self.assertEqual(decisions, self.expected)
        self.assertIn("no permission to write", said)
        self.assertEqual(said.count("windows are not recorded"), 1, said)

    @unittest.skipUnless(is_root(), "mounting needs root")
    def test_a_spool_on_two_file_systems(self):
        self.mount(self.spool / "pending", "size=1m")
        decisions, said = self.run_loop(MINUTE)
        self.assertEqual(decisions, self.expected)
        self.assertIn("on two file systems", said)
        # Once it is mended, nothing was lost.
        subprocess.run(["umount", self.spool / "pending"], check=True)
        _, said = self.run_loop("simulated:walk=3")
        self.assertIn(f"{len(self.expected)} windows of an interrupted run", said)
        self.assertEqual(self.status()["files"], 2)

    def test_limits_drop_the_oldest(self):
        decisions, said = self.run_loop("simulated:walk=1200", MINUTES=1, MAX_MEGABYTES=1)
        status = self.status()
        self.assertGreater(status["dropped_files"], 3)
        self.assertLess(status["bytes"], 1_500_000)
        self.assertIn("was dropped", said)
        rows = sum(len(p.read_text().splitlines()) for p in (self.spool / "pending").glob("*.csv"))
        self.assertLess(rows, len(decisions))
        self.assertEqual(status["lost_windows"], 0)


if __name__ == "__main__":
    unittest.main()
