"""What a person waits for who looks at 1,000,000 boards, 100,000 of which beat every 300 s meanwhile. hub_many.py HUB MODEL DIRECTORY
[BOARDS]: one hub on SQLite, and on PostgreSQL where $GAITWAY_POSTGRES is (Tests/Postgres/with_cluster)."""
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

BEATING, INTERVAL = 100_000, 300
NOW = time.time()
ACTIVITIES = ["WALKING", "SITTING", "STANDING", "LYING", "RUNNING"]


def row(index):
    """A board as the hub keeps it: one in a hundred is away, one in a thousand has a weak battery or an error, some were never seen."""
    seen = None if index % 5000 == 4999 else NOW - (86_400 if index % 100 == 99 else index % INTERVAL)
    battery, fault = 5 if index % 1000 == 500 else 20 + index % 80, "disk full" if index % 1000 == 501 else None
    activity = ACTIVITIES[index % 5]
    info = json.dumps({"device_identifier": f"gait-{index:07}", "platform": "linux", "manufacturer": "Raspberry Pi", "model": "Zero 2 W", "os_version": "6.6.31",
                       "cpu_architecture": "arm64", "capabilities": {"distribution": "Debian GNU/Linux 12", "sensor": "lsm6ds3", "memory_mb": 512}})
    beat = json.dumps({"active_model_version": "7", "network_type": "wifi", "last_inference_at": "2026-01-01T00:00:00Z", "last_error_code": fault,
                       "metadata": {"activity": activity, "battery_level": battery, "temperature_celsius": 41.5, "sampling_rate_hz": 50.02, "steps": index % 12000,
                                    "spool_files": 0, "placement": "waist", "orientation": "learnt", "uptime_seconds": 86400 + index}})
    identifier = f"{index * 2654435761 % 2**32:08x}-{index:08x}-4000-8000"
    return (identifier, "default", f"gait-{index:07}", info, NOW - 1e6 + index % 1000, NOW, seen, beat if seen else None, 7, activity, battery, 41.5, 0, fault)


# One in a thousand has a tag.
NAMES = """INSERT INTO names (device_id, org, tags, search) SELECT id, org,
    CASE WHEN identifier LIKE '%777' THEN '
ward-' || substr(identifier, 9, 1) || '
' ELSE '' END, lower(identifier) FROM devices"""
COLUMNS = "id, org, identifier, info, registered, updated, seen, beat, model_version, activity, battery, heat, files, fault"


def fill_sqlite(path, boards):
    database = sqlite3.connect(path)
    database.executemany(f"INSERT INTO devices ({COLUMNS}) VALUES ({', '.join('?' * 14)})", map(row, range(boards)))
    database.execute(NAMES)
    database.commit()
    database.close()


def fill_postgres(address, boards):
    def text(value):
        return "\\N" if value is None else str(value).replace("\\", "\\\\").replace("\t", "\\t")
    copy = subprocess.Popen(["psql", "-q", "-v", "ON_ERROR_STOP=1", address, "-c", f"COPY devices ({COLUMNS}) FROM STDIN"], stdin=subprocess.PIPE, text=True)
    for index in range(boards):
        copy.stdin.write("\t".join(map(text, row(index))) + "\n")
    copy.stdin.close()
    assert copy.wait() == 0
    subprocess.run(["psql", "-q", address, "-c", NAMES,
                    "-c", "VACUUM ANALYZE devices", "-c", "VACUUM ANALYZE names"], check=True)


class Beats(threading.Thread):
    """BEATING boards, one heartbeat each INTERVAL, over one connection: by a person's token, which may send any board's."""

    def __init__(self, port, token):
        super().__init__(daemon=True)
        self.port, self.token, self.sent, self.failed, self.ends = port, token, 0, 0, False

    def run(self):
        connection, begin = http.client.HTTPConnection("127.0.0.1", self.port), time.monotonic()
        while not self.ends:
            time.sleep(max(0, begin + self.sent * INTERVAL / BEATING - time.monotonic()))
            one = row(self.sent % BEATING)
            connection.request("PUT", f"/api/v1/devices/{one[0]}/heartbeat", row(self.sent % BEATING)[7] or "{}", {"Authorization": f"Bearer {self.token}"})
            answer = connection.getresponse()
            answer.read()
            self.failed += answer.status != 200
            self.sent += 1


def asked(port, token, verb, path, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    begin = time.perf_counter()
    connection.request(verb, "/api/v1" + path, body and json.dumps(body), {"Authorization": f"Bearer {token}"})
    answer = connection.getresponse()
    data = answer.read()
    took = (time.perf_counter() - begin) * 1000
    assert answer.status in (200, 201), (path, answer.status, data[:300])
    connection.close()
    return took, json.loads(data)


def measure(program, model, place, boards, fill):
    def hub(*words):
        return subprocess.run([program, *words, *place], capture_output=True, text=True, check=True).stdout
    token = hub("tokens", "create", "--role", "owner").strip().split()[-1]
    fill()
    hub("models", "add", "activity", model)
    server = subprocess.Popen([program, "serve", "--port", "0", "--rate", "0", "--strangers-rate", "0", *place], stderr=subprocess.PIPE, text=True)
    port = int(re.search(r":(\d+),", server.stderr.readline()).group(1))
    threading.Thread(target=lambda: [None for _ in server.stderr], daemon=True).start()
    try:
        beats = Beats(port, token)
        beats.start()
        time.sleep(10)
        lines = [("first page by name", "/devices?limit=50&sort=name"), ("first page, last seen first", "/devices?limit=50&sort=seen"),
                 ("page in the middle by name", f"/devices?limit=50&sort=name&offset={boards // 2}"),
                 ("search of one board", f"/devices?limit=50&sort=name&search={boards // 2:07}"), ("search of ten thousand", "/devices?limit=50&sort=name&search=gait-00"),
                 ("boards that are offline", "/devices?limit=50&sort=name&connectivity=offline"), ("weakest batteries", "/devices?limit=50&sort=battery"), ("boards with a tag", "/devices?limit=50&sort=name&tag=ward-7"), ("tags", "/tags"),
                 ("needs attention", "/attention?limit=20"), ("fleet", "/fleet"), ("roll-outs", "/rollouts")]
        for name, path in lines:
            times = []
            for _ in range(7):
                took, found = asked(port, token, "GET", path)
                times.append(took)
                time.sleep(0.5)
            print(f"{name:30} {statistics.median(times):8.0f} ms, at most {max(times):.0f} {found.get('total', '')}", flush=True)
        version = asked(port, token, "GET", "/models/activity/versions")[1]["versions"][0]["version"]
        for _ in range(5):
            took, made = asked(port, token, "POST", "/models/activity/rollouts", {"version": version, "allow_unsigned": True})
            print(f"start of a roll-out            {took:8.0f} ms", made.get("progress"))
            shown, _ = asked(port, token, "GET", "/rollouts")
            print(f"roll-outs                      {shown:8.0f} ms")
            asked(port, token, "POST", f"/models/activity/rollouts/{made['id']}/stop", {})
        beats.ends = True
        beats.join()
        print(f"{beats.sent} heartbeats, {beats.failed} failed")
    finally:
        server.terminate()
        server.wait()


def main(program, model, directory, boards="1000000"):
    boards, directory = int(boards), pathlib.Path(directory)
    print(f"SQLite, {boards} boards")
    measure(program, model, ["--data", str(directory / "hub.sqlite")], boards, lambda: fill_sqlite(directory / "hub.sqlite", boards))
    if address := os.environ.get("GAITWAY_POSTGRES"):
        print(f"PostgreSQL, {boards} boards")
        measure(program, model, ["--database", address], boards, lambda: fill_postgres(address, boards))


if __name__ == "__main__":
    main(*sys.argv[1:])
