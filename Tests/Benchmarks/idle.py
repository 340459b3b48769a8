"""A hub that somebody keeps busy with connections: 5,000 idle ones, which are opened anew, 200 a second, when the hub ends them, and one that sends its
request a byte at a time, while 1,000 boards send heartbeats, each on a connection of its own. idle.py HUB DIRECTORY"""
import http.client
import json
import pathlib
import re
import resource
import selectors
import socket
import subprocess
import sys
import threading
import time

BOARDS, IDLE, SECONDS, INTERVAL = 1_000, 5_000, 60, 10


def resident(process):
    return int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{process.pid}/status").read_text()).group(1)) / 1024


def call(port, method, path, body, token):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request(method, "/api/v1" + path, json.dumps(body), {"Authorization": f"Bearer {token}", "Connection": "close"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read() or b"null")
    finally:
        connection.close()


def register(port, token):
    boards = []
    for index in range(BOARDS):
        status, tokens = call(port, "POST", "/device-auth/bootstrap", {"org_id": "default", "device_identifier": f"board-{index}", "access_ttl_seconds": 3600}, token)
        assert status == 201, (status, tokens)
        status, made = call(port, "POST", "/devices/register", {"device_identifier": f"board-{index}", "org_id": "default", "platform": "linux"}, tokens["access_token"])
        assert status in (200, 201), (status, made)
        boards.append((made["id"], tokens["access_token"]))
    return boards


class Idle(threading.Thread):
    """Holds the connections; opens those anew that the hub ends."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port, self.ends, self.open, self.isDone, self.ready = port, 0, 0, False, threading.Event()

    def connect(self, selector):
        try:
            connection = socket.create_connection(("127.0.0.1", self.port), timeout=5)
        except OSError:
            return
        connection.setblocking(False)
        selector.register(connection, selectors.EVENT_READ)
        self.open += 1

    def run(self):
        selector = selectors.DefaultSelector()
        while not self.isDone:
            for _ in range(min(IDLE - self.open, 100 if not self.ready.is_set() else 20)):
                self.connect(selector)
            if self.open + self.ends >= IDLE:
                self.ready.set()
            time.sleep(0.1)
            for key, _ in selector.select(0):
                selector.unregister(key.fileobj)
                key.fileobj.close()
                self.open -= 1
                self.ends += 1


def drip(port, ends):
    while True:
        try:
            connection = socket.create_connection(("127.0.0.1", port), timeout=5)
            connection.sendall(b"POST /api/v1/device-auth/refresh HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
            while True:
                time.sleep(1)
                connection.sendall(b" ")
        except OSError:
            ends.append(time.monotonic())


def beat(port, boards, worker, workers, begin, latencies, failures):
    step = INTERVAL / BOARDS
    for index in range(worker, int(SECONDS / step), workers):
        time.sleep(max(0, begin + index * step - time.monotonic()))
        device, token = boards[index % BOARDS]
        started = time.perf_counter()
        try:
            status, _ = call(port, "PUT", f"/devices/{device}/heartbeat", {"metadata": {"activity": "WALKING"}, "active_model_version": "1"}, token)
            if status != 200:
                failures.append(status)
        except OSError as error:
            failures.append(str(error))
        latencies.append((time.perf_counter() - started) * 1000)


def measure(port, boards):
    latencies, failures, begin = [], [], time.monotonic()
    threads = [threading.Thread(target=beat, args=(port, boards, worker, 4, begin, latencies, failures)) for worker in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    latencies.sort()
    return {"beats": len(latencies), "lost": len(failures), "why": sorted(set(map(str, failures)))[:3], "p50_ms": round(latencies[len(latencies) // 2], 1),
            "p99_ms": round(latencies[len(latencies) * 99 // 100], 1), "longest_ms": round(latencies[-1], 1)}


def main():
    hub, directory = sys.argv[1], pathlib.Path(sys.argv[2])
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    assert most > 2 * IDLE, f"{most} open files are too few: ulimit -n"
    data = directory / "hub.sqlite"
    process = subprocess.Popen([hub, "serve", "--data", data, "--port", "0", "--strangers-rate", "0"], stderr=subprocess.PIPE, text=True)
    try:
        port = int(process.stderr.readline().split(",")[0].rsplit(":", 1)[1])
        token = subprocess.run([hub, "tokens", "create", "--data", data, "--bootstrap", "--boards", str(BOARDS)], capture_output=True, text=True, check=True).stdout.strip()
        boards = register(port, token)
        print(json.dumps({"boards alone": measure(port, boards)}))
        idle, ends = Idle(port), []
        idle.start()
        threading.Thread(target=drip, args=(port, ends), daemon=True).start()
        idle.ready.wait(120)
        result = measure(port, boards)
        idle.isDone = True
        print(json.dumps({"beside idle connections": result, "idle": idle.open, "ended by the hub": idle.ends, "dripping ones ended": len(ends), "hub_MB": round(resident(process), 1)}))
    finally:
        process.terminate()
        process.wait()


main()
