"""A hub under load: 10,000 boards that beat every 300 s while 100 fetch a model at once; then as many heartbeats as one core takes, beside
FastAPI over SQLite doing the same in the same run. hub.py HUB MODEL DIRECTORY"""
import hashlib
import http.client
import json
import os
import pathlib
import re
import sqlite3
import statistics
import subprocess
import sys
import threading
import time

BOARDS, INTERVAL, SECONDS = 10_000, 300, 60


def register(directory, token):
    """Every board with a token of its own, written as the hub keeps them: one at a time over HTTP would take minutes more."""
    connection = http.client.HTTPConnection("127.0.0.1", token["port"])
    devices = []
    for index in range(BOARDS):
        def post(path, body, bearer):
            connection.request("POST", "/api/v1" + path, json.dumps(body), {"Authorization": f"Bearer {bearer}"})
            answer = connection.getresponse()
            data = answer.read()
            assert answer.status == 201, (answer.status, data)
            return json.loads(data)
        tokens = post("/device-auth/bootstrap", {"org_id": "default", "device_identifier": f"board-{index}", "access_ttl_seconds": 3600}, token["bootstrap"])
        made = post("/devices/register", {"device_identifier": f"board-{index}", "org_id": "default", "platform": "linux"}, tokens["access_token"])
        devices.append((made["id"], tokens["access_token"]))
    (directory / "devices").write_text("".join(f"{device} {access}\n" for device, access in devices))
    return devices


def resident(process):
    return int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{process.pid}/status").read_text()).group(1)) / 1024


def steady(port, devices, seconds):
    """Each board at its own moment of the interval, from four threads; latencies in ms."""
    latencies, failures, lock = [], [], threading.Lock()
    step = INTERVAL / BOARDS
    begin = time.monotonic()

    def beat(worker):
        connection = http.client.HTTPConnection("127.0.0.1", port)
        for index in range(worker, int(seconds / step), 4):
            time.sleep(max(0, begin + index * step - time.monotonic()))
            device, token = devices[index % BOARDS]
            body = json.dumps({"metadata": {"network_type": "wifi", "battery_level": 73, "activity": "WALKING"}, "active_model_version": "1"})
            started = time.perf_counter()
            connection.request("PUT", f"/api/v1/devices/{device}/heartbeat", body, {"Authorization": f"Bearer {token}"})
            answer = connection.getresponse()
            answer.read()
            with lock:
                latencies.append((time.perf_counter() - started) * 1000)
                if answer.status != 200:
                    failures.append(answer.status)

    def download(index):
        for round in range(3):
            time.sleep(max(0, begin + seconds * (round + 1) / 4 - time.monotonic()))
            connection = http.client.HTTPConnection("127.0.0.1", port)
            connection.request("GET", "/api/v1/models/activity/versions/latest/download", headers={"Authorization": f"Bearer {devices[index][1]}"})
            answer = connection.getresponse()
            if hashlib.sha256(answer.read()).hexdigest() != answer.headers["ETag"].strip('"'):
                with lock:
                    failures.append("download")
            connection.close()

    threads = [threading.Thread(target=beat, args=(worker,)) for worker in range(4)] + [threading.Thread(target=download, args=(index,)) for index in range(100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return latencies, failures


def throughput(port, directory, seconds=15):
    """Heartbeats a second; the server has core 0, wrk has the other."""
    command = ["taskset", "-c", "1", "wrk", "-t1", "-c32", f"-d{seconds}s", "--latency", "-s", str(pathlib.Path(__file__).parent / "hub_beats.lua"), f"http://127.0.0.1:{port}", "--", str(directory / "devices")]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "Non-2xx" not in text and "Socket errors" not in text, text
    return float(re.search(r"Requests/sec:\s+([\d.]+)", text).group(1))


def cpu(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measured(process, port, directory):
    rates = []
    for _ in range(3):
        before, started = cpu(process), time.monotonic()
        rate = throughput(port, directory)
        rates.append(rate / ((cpu(process) - before) / (time.monotonic() - started)))
    return statistics.median(rates)


def peer(directory, devices):
    path = directory / "peer.sqlite"
    database = sqlite3.connect(path)
    database.executescript("CREATE TABLE devices (id TEXT PRIMARY KEY, seen REAL, beat TEXT, model_version TEXT); CREATE TABLE tokens (hash BLOB PRIMARY KEY, device TEXT, expires REAL)")
    database.executemany("INSERT INTO devices (id) VALUES (?)", [(device,) for device, _ in devices])
    database.executemany("INSERT INTO tokens VALUES (?, ?, ?)", [(hashlib.sha256(token.encode()).digest(), device, time.time() + 86400) for device, token in devices])
    database.commit()
    database.close()
    command = ["taskset", "-c", "0", sys.executable, "-m", "uvicorn", "hub_peer:app", "--port", "8797", "--no-access-log", "--log-level", "warning", "--loop", "uvloop", "--http", "httptools"]
    process = subprocess.Popen(command, cwd=pathlib.Path(__file__).parent, env={**os.environ, "PEER_DATABASE": str(path)})
    for _ in range(100):
        try:
            http.client.HTTPConnection("127.0.0.1", 8797, timeout=1).connect()
            return process, 8797
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the peer does not start")


def main(hub, model, directory):
    directory = pathlib.Path(directory)
    data = ["--data", str(directory / "hub.sqlite")]
    run = lambda *arguments: subprocess.run([hub, *arguments, *data], capture_output=True, text=True, check=True).stdout.strip()
    bootstrap = run("tokens", "create", "--bootstrap", "--boards", "100000")
    run("models", "add", "activity", model)
    process = subprocess.Popen(["taskset", "-c", "0", hub, "serve", "--port", "0", "--rate", "0", "--strangers-rate", "0", *data], stderr=subprocess.PIPE, text=True)
    port = int(re.search(r":(\d+),", process.stderr.readline()).group(1))
    try:
        started = time.monotonic()
        devices = register(directory, {"port": port, "bootstrap": bootstrap})
        print(f"{BOARDS} boards registered, each with tokens of its own: {BOARDS / (time.monotonic() - started):.0f} a second")
        latencies, failures = steady(port, devices, SECONDS)
        latencies.sort()
        print(f"{len(latencies)} heartbeats at {BOARDS / INTERVAL:.0f} a second beside 3 x 100 downloads at once: p50 {latencies[len(latencies) // 2]:.2f} ms, p99 {latencies[int(len(latencies) * 0.99)]:.2f} ms, {len(failures)} errors")
        ours = measured(process, port, directory)
        print(f"memory, at its most: {resident(process):.0f} MB resident")
    finally:
        process.terminate()
        process.wait()
    other, port = peer(directory, devices)
    try:
        theirs = measured(other, port, directory)
    finally:
        other.terminate()
        other.wait()
    print(f"heartbeats a second on one core: hub {ours:.0f}, FastAPI over SQLite {theirs:.0f}: {ours / theirs:.1f}x")


if __name__ == "__main__":
    main(*sys.argv[1:])
