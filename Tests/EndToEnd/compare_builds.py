#!/usr/bin/env python3
"""Whether two builds answer alike, byte by byte: compare_builds.py OLD NEW, two directories that hold gaitway and gaitway-hub.

Decisions on every recording and on simulated movement, models that are trained, imported, exported and described, features, the files
of a spool, and a hub's answers. What a clock or a random generator gives (times, identifiers, tokens) is taken out first.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import hub
from support import DATA, MODEL

# In JSON and CSV: seconds since 1970 with their fractions, ISO 8601, UUIDs, tokens.
VARYING = [
    (re.compile(rb"\b1[6-9]\d{8}(\.\d+)?\b"), b"SECONDS"),
    (re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?"), b"TIME"),
    (re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.I), b"UUID"),
    (re.compile(rb'("(?:\w*token|id|token_id|checksum_time)":")[A-Za-z0-9_.-]{16,}"'), rb'\1RANDOM"'),
    (re.compile(rb'("uptime\w*":)[\d.]+'), rb"\1SECONDS"),
]


def settled(data):
    for pattern, word in VARYING:
        data = pattern.sub(word, data)
    return data


class Build:
    def __init__(self, directory, work):
        self.gaitway, self.hub = (str(pathlib.Path(directory).resolve() / name) for name in ("gaitway", "gaitway-hub"))
        self.work = pathlib.Path(work)
        self.work.mkdir()

    def run(self, *arguments, **environment):
        """Exit code and standard output of the program, with the working directory's name taken out."""
        result = subprocess.run(
            [self.gaitway, *map(str, arguments)], capture_output=True, cwd=self.work, timeout=900, env={**os.environ, "STATE_DIRECTORY": str(self.work), **environment}
        )
        assert result.returncode in (0, 64, 65, 66, 69, 77, 78), (arguments, result.returncode, result.stderr)
        return str(result.returncode).encode() + result.stdout.replace(str(self.work).encode(), b"WORK")

    def made(self, name, *arguments):
        self.run(*arguments)
        return (self.work / name).read_bytes()


def decisions(source):
    return lambda build: build.run("run", "--model", MODEL, "--source", source, "--speed", "max", "--json")


def spool(build):
    for name in ("raw", "features-17"):
        settings = {"ENABLED": "true", "USER": "compared", "CONTENT": name, "SPOOL": str(build.work / name), "BUCKET": "b", "REGION": "eu-central-1"}
        settings.update({"CREDENTIALS": str(build.work / "none"), "ENDPOINT": "http://127.0.0.1:9", "QUIET_HOURS": "00:00-23:59"})
        build.run("run", "--model", MODEL, "--source", "simulated:stand=60,walk=60,lie=30", "--speed", "max", "--json", **{f"GAITWAY_UPLOAD_{k}": v for k, v in settings.items()})
    files = sorted(path for path in build.work.rglob("*.csv"))
    assert files, "no file in the spool"
    return b"".join(settled(path.read_bytes()) for path in files)


def answers(build):
    hub.HUB = build.hub
    server = hub.Hub(build.work, "--rate", 0, "--strangers-rate", 0)
    try:
        calls = conversation(server)
    finally:
        server.close()
    return settled(json.dumps(calls, sort_keys=True).encode())


def conversation(server):
    """What a manager and a board say to a hub, and nonsense; (status, body, content type) of each answer."""
    heard = []

    def call(*arguments, **options):
        status, body, headers = server.call(*arguments, **options)
        body = hashlib.sha256(body).hexdigest() if isinstance(body, bytes) and len(body) > 2000 else body if not isinstance(body, bytes) else body.decode("latin-1")
        heard.append([arguments[0], re.sub(r"[0-9a-f-]{36}", "UUID", arguments[1]), status, body, headers.get("Content-Type"), headers.get("Cache-Control")])
        return body

    token = server.bootstrap(1)
    access = call("POST", "/device-auth/bootstrap", {"org_id": "default", "device_id": "compared"}, token=token).get("access_token")
    board = call("POST", "/devices/register", {"device_identifier": "compared", "org_id": "default", "platform": "linux", "sdk_version": "1.1.0"}, token=access)
    device = board.get("id", "none")
    for body in ({"metadata": {"battery_level": 80}}, {}, {"metadata": 1}, {"model": {"model_id": "activity", "highest_version": 3, "versions": [{"version": 3, "state": "offered"}]}}, []):
        for method in ("PUT", "POST"):
            call(method, f"/devices/{device}/heartbeat", body, token=access)
    call("POST", "/models", {"name": "activity", "description": "d"})
    call("POST", "/models", {"name": "activity", "description": "d"})
    call("POST", "/models/activity/versions", raw=MODEL.read_bytes(), headers={"Content-Type": "application/octet-stream"})
    call("POST", "/models/activity/versions", raw=b"no model", headers={"Content-Type": "application/octet-stream"})
    server.run("models", "add", "activity", str(MODEL))
    call("POST", "/device-groups", {"name": "g", "description": "d"})
    for path in ("devices", f"devices/{device}", "models", "models/activity", "models/activity/versions", "device-groups", "rollouts", "health", "no-such-path",
                 "models/none", "devices/none", f"devices/{device}/heartbeat", "models/activity/versions/1/download", "models/activity/versions/9/download"):
        call("GET", f"/{path}")
        call("GET", f"/{path}", token=access)
        call("GET", f"/{path}", token="wrong")
    call("POST", "/models/activity/rollouts", {"version": 1, "rollout_percentage": 10})
    call("GET", f"/devices/{device}/models/activity/version", token=access)
    call("POST", f"/devices/{device}/telemetry", {"events": [{"type": "activity", "at": 1, "data": {}}]}, token=access)
    call("POST", "/device-auth/refresh", {"refresh_token": "wrong"})
    for raw in (b"{", b"", b"\xff", b"[" * 2000, b'{"a":' * 2000):
        call("POST", "/devices/register", raw=raw, token=access)
    return heard


def cases():
    def trained(build):
        return build.made("trained.safetensors", "train", "--recordings", DATA / "hapt", "--epochs", 2, "--seed", 7, "--output", "trained.safetensors")

    found = {
        "simulated": decisions("simulated:seed=3,stand=60,sit=40,lie=40,walk=60,upstairs=30,downstairs=30"),
        "model inspect": lambda build: build.run("model", "inspect", MODEL),
        "c-header": lambda build: build.made("m.h", "model", "export", MODEL, "--format", "c-header", "--output", "m.h"),
        "safetensors-float": lambda build: build.made("m.safetensors", "model", "export", MODEL, "--format", "safetensors-float", "--output", "m.safetensors"),
        "spool": spool,
        "the hub's answers": answers,
    }
    recordings = sorted((DATA / "hapt").glob("*.i16")) + sorted((DATA / "hapt").glob("acc_*.txt"))
    found |= {f"decisions on {path.name}": decisions(f"recording:{path}") for path in recordings}
    if recordings:
        found["features-17"] = lambda build: build.run("features", "--source", f"recording:{recordings[0]}", "--input", "features-17")
        found["features-80"] = lambda build: build.run("features", "--source", f"recording:{recordings[0]}", "--input", "features-80")
        found["train"] = trained
        found["evaluate"] = lambda build: build.run("evaluate", "--model", MODEL, "--recordings", DATA / "hapt")
    for path in sorted((pathlib.Path(__file__).parents[1] / "Fixtures/tflite").glob("*.tflite")):
        name = path.stem + ".safetensors"
        found[f"import of {path.name}"] = lambda build, path=path, name=name: (
            build.run("model", "import", path, "--output", name) + ((build.work / name).read_bytes() if (build.work / name).exists() else b"")
        )
    return found


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory(prefix="gaitway-") as work:
        old, new = Build(sys.argv[1], f"{work}/old"), Build(sys.argv[2], f"{work}/new")
        found, differ = cases(), 0
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for name, case in found.items():
                # A hub's program is named in one place.
                pair = [case(old), case(new)] if case is answers else list(pool.map(case, (old, new)))
                if pair[0] != pair[1]:
                    differ += 1
                    at = next((i for i, (a, b) in enumerate(zip(*pair)) if a != b), min(map(len, pair)))
                    print(f"{name}: differs at byte {at} of {len(pair[0])}\n  old ...{pair[0][max(0, at - 100):at + 150]}\n  new ...{pair[1][max(0, at - 100):at + 150]}")
                elif not name.startswith("decisions on"):
                    print(f"{name}: {len(pair[0])} bytes alike, {hashlib.sha256(pair[0]).hexdigest()[:16]}")
        print(f"{len(found)} comparisons, {differ} differ")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
