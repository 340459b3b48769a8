"""Heartbeats a second of two hubs on one PostgreSQL, each in the database before it is answered; beside two processes of FastAPI over
PostgreSQL. Database, servers and the load generator share the machine's processors. hub_postgres.py HUB DIRECTORY, below with_cluster."""
import hashlib
import http.client
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

import hub as one

ADDRESS, BOARDS, SERVERS = os.environ["GAITWAY_POSTGRES"], 10_000, 2


def sql(text):
    subprocess.run(["psql", "-q", "-v", "ON_ERROR_STOP=1", ADDRESS], input=text, text=True, check=True)


def load(ports, directory):
    """Heartbeats a second over all servers, and the slowest server's 99th percentile in ms: medians of three."""
    rates, slowest = [], []
    for _ in range(3):
        script = str(pathlib.Path(one.__file__).parent / "hub_beats.lua")
        loads = [subprocess.Popen(["wrk", "-t1", "-c64", "-d10s", "--latency", "-s", script, f"http://127.0.0.1:{port}", "--", str(directory / "devices")],
                                  stdout=subprocess.PIPE, text=True) for port in ports]
        texts = [one.communicate()[0] for one in loads]
        # Only answers later than two seconds are taken beside good ones: the peer has some.
        assert not any("Non-2xx" in text or re.search(r"connect [1-9]|read [1-9]|write [1-9]", text) for text in texts), texts
        rates.append(sum(float(re.search(r"Requests/sec:\s+([\d.]+)", text).group(1)) for text in texts))
        found = [re.search(r"99%\s+([\d.]+)(us|ms|s)", text).groups() for text in texts]
        slowest.append(max(float(number) * {"us": 0.001, "ms": 1, "s": 1000}[unit] for number, unit in found))
    return statistics.median(rates), statistics.median(slowest)


def hubs(program, directory):
    place, servers = ["--database", ADDRESS], []
    bootstrap = subprocess.run([program, "tokens", "create", "--bootstrap", "--boards", "100000", *place], capture_output=True, text=True, check=True).stdout.strip()
    try:
        for _ in range(SERVERS):
            process = subprocess.Popen([program, "serve", "--port", "0", "--rate", "0", "--strangers-rate", "0", *place], stderr=subprocess.PIPE, text=True)
            servers.append((process, int(re.search(r":(\d+),", process.stderr.readline()).group(1))))
        one.BOARDS, started = BOARDS, time.monotonic()
        devices = one.register(directory, {"port": servers[0][1], "bootstrap": bootstrap})
        print(f"{BOARDS} boards registered, one after the other: {BOARDS / (time.monotonic() - started):.0f} a second")
        return devices, load([port for _, port in servers], directory)
    finally:
        for process, _ in servers:
            process.terminate()
            process.wait()


def peer(directory, devices):
    sql("CREATE SCHEMA peer; CREATE TABLE peer.devices (id TEXT PRIMARY KEY, seen DOUBLE PRECISION, beat TEXT, model_version TEXT); "
        "CREATE TABLE peer.tokens (hash BYTEA PRIMARY KEY, device TEXT, expires DOUBLE PRECISION)")
    for start in range(0, len(devices), 1000):
        some = devices[start:start + 1000]
        sql("INSERT INTO peer.devices (id) VALUES " + ",".join(f"('{device}')" for device, _ in some) + "; INSERT INTO peer.tokens VALUES "
            + ",".join(f"('\\x{hashlib.sha256(token.encode()).hexdigest()}', '{device}', {time.time() + 86400})" for device, token in some))
    command = [sys.executable, "-m", "uvicorn", "hub_postgres_peer:app", "--no-access-log", "--log-level", "warning", "--loop", "uvloop", "--http", "httptools"]
    environment = {**os.environ, "PEER_HOST": re.search(r"host=([^&]+)", ADDRESS).group(1)}
    ports = [8797 + index for index in range(SERVERS)]
    servers = [subprocess.Popen([*command, "--port", str(port)], cwd=pathlib.Path(__file__).parent, env=environment) for port in ports]
    try:
        for port in ports:
            for _ in range(100):
                try:
                    http.client.HTTPConnection("127.0.0.1", port, timeout=1).connect()
                    break
                except OSError:
                    time.sleep(0.1)
        return load(ports, directory)
    finally:
        for server in servers:
            server.terminate()
            server.wait()


def main(program, directory):
    directory = pathlib.Path(directory)
    devices, (ours, slow) = hubs(program, directory)
    theirs, slowest = peer(directory, devices)
    print(f"heartbeats a second, {SERVERS} servers, each heartbeat durable: hubs {ours:.0f} (p99 {slow:.0f} ms), FastAPI over PostgreSQL {theirs:.0f} (p99 {slowest:.0f} ms): {ours / theirs:.1f}x")


if __name__ == "__main__":
    main(*sys.argv[1:])
