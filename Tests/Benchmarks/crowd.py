"""What one check-in costs the hub: adagrad over 7,200 weights, gradients of 10, 1,000 and 10,000 users one after the other, over HTTP.
The same with 20 weights is what it costs to keep the books. crowd.py [USERS...] (with GAITWAY_HUB); `perf` splits the time where it is there."""
import hashlib
import http.client
import os
import pathlib
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/EndToEnd"))
from hub import HUB, Hub  # noqa: E402

FEATURES, CLASSES, CHECK_INS = 720, 10, 2000


def processor(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(users, features=FEATURES, splits=False):
    directory = pathlib.Path(tempfile.mkdtemp(prefix="gaitway-"))
    data = directory / "hub.sqlite"
    subprocess.run([HUB, "crowd", "start", "--data", data, "--features", str(features), "--classes", str(CLASSES), "--iterations", "1000000"], check=True, capture_output=True)
    # Accounts that are signed in: making them all would take their passwords' hashes.
    with sqlite3.connect(data) as database:
        for user in range(users):
            database.execute("INSERT INTO families (id, org, identifier, scopes, ttl) VALUES (?, 'default', ?, 'crowd', 3600)", (user + 1, f"account\x01u{user}"))
            token = hashlib.sha256(f"token{user}".encode()).digest()
            database.execute("INSERT INTO tokens (hash, family, generation, refreshes, expires) VALUES (?, ?, 1, 0, ?)", (token, user + 1, time.time() + 86400))
    hub = Hub(directory, "--rate", 0, "--strangers-rate", 0)
    source = random.Random(1)
    vector = ",".join(repr(source.gauss(0, 1e-3)) for _ in range(features * CLASSES))
    connection = http.client.HTTPConnection("127.0.0.1", hub.port)

    def check_in(index):
        body = f'{{"gradients":[{vector}],"gradIter":{index // users + 1},"weightIter":{index + 1},"paramIter":1,"gradientProcessed":false}}'
        connection.request("PATCH", f"/crowd/users/u{index % users}.json?auth=token{index % users}&print=silent", body)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 204, answer.status

    try:
        for index in range(users):  # everybody has been here once
            check_in(index)
        before, began = processor(hub.process), time.monotonic()
        perf = None
        if splits:
            perf = subprocess.Popen(["perf", "record", "-q", "-e", "cpu-clock", "-F", "999", "-g", "-p", str(hub.process.pid), "-o", directory / "perf"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for index in range(users, users + CHECK_INS):
            check_in(index)
        spent, seconds = processor(hub.process) - before, time.monotonic() - began
        if perf:
            perf.terminate()
            perf.wait()
        status = hub.run("crowd", "status", "--json")
        assert f'"taken":"{users + CHECK_INS}"' in status.replace(" ", ""), status
        if perf:
            split(directory / "perf")
        return spent / CHECK_INS, seconds / CHECK_INS
    finally:
        hub.close()
        shutil.rmtree(directory)


KINDS = (("arithmetic", r"Descent|CrowdServer|CrowdVector"), ("numbers to and from text", r"json|JSON|Node|description|swift_dtoa"), ("file", r"sqlite|GRDB|fdatasync|fsync|pwrite|write"))


def split(path):
    text = subprocess.run(["perf", "script", "-i", path, "-F", "ip,sym"], capture_output=True, text=True).stdout
    stacks = [stack for stack in re.split(r"\n\s*\n", text) if stack.strip()]
    counts = {}
    for stack in stacks:
        kind = next((name for name, pattern in KINDS if re.search(pattern, stack)), "the rest: HTTP, tasks, nodes")
        counts[kind] = counts.get(kind, 0) + 1
    for kind, count in sorted(counts.items(), key=lambda item: -item[1]):
        print(f"    {100 * count / max(1, len(stacks)):.0f} % {kind}")


# The least of three, in turn: what else the machine does comes and goes.
cases = [(users, FEATURES) for users in map(int, sys.argv[1:] or (10, 1000, 10_000))] + [(10, 2)]
turns = [[measure(*case) for case in cases] for _ in range(3)]
costs = [min(turn[index][0] for turn in turns) for index in range(len(cases))]
for index, (users, features) in enumerate(cases):
    print(f"{users} users, {features * CLASSES} weights: {1e6 * costs[index]:.0f} us of processor a check-in, {1 / min(turn[index][1] for turn in turns):.0f} a second")
print(f"largest to smallest by users: {max(costs[:-1]) / min(costs[:-1]):.2f}; for any weights at all: {100 * costs[-1] / costs[0]:.0f} %")
if shutil.which("perf"):
    measure(*cases[0], splits=True)
