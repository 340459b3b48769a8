"""Heartbeats a second of hubs on one PostgreSQL, each in the database before it is answered: hub_postgres.py HUB DIRECTORY ADDRESS [HUBS]

Database, hubs and the load generator share the machine's processors.
"""
import http.client
import pathlib
import re
import subprocess
import sys
import time

import hub as one


def main(program, directory, address, count="2"):
    directory, hubs = pathlib.Path(directory), []
    place = ["--database", address]
    run = lambda *arguments: subprocess.run([program, *arguments, *place], capture_output=True, text=True, check=True).stdout.strip()
    bootstrap = run("tokens", "create", "--bootstrap", "--boards", "100000")
    try:
        for _ in range(int(count)):
            process = subprocess.Popen([program, "serve", "--port", "0", "--rate", "0", "--strangers-rate", "0", *place], stderr=subprocess.PIPE, text=True)
            hubs.append((process, int(re.search(r":(\d+),", process.stderr.readline()).group(1))))
        started = time.monotonic()
        one.BOARDS = 2000
        one.register(directory, {"port": hubs[0][1], "bootstrap": bootstrap})
        print(f"{one.BOARDS} boards registered: {one.BOARDS / (time.monotonic() - started):.0f} a second")
        script = str(pathlib.Path(one.__file__).parent / "hub_beats.lua")
        for _ in range(3):
            loads = [subprocess.Popen(["wrk", "-t1", "-c64", "-d10s", "--latency", "-s", script, f"http://127.0.0.1:{port}", "--", str(directory / "devices")],
                                      stdout=subprocess.PIPE, text=True) for _, port in hubs]
            texts = [load.communicate()[0] for load in loads]
            assert not any("Non-2xx" in text or "Socket errors" in text for text in texts), texts
            rate = sum(float(re.search(r"Requests/sec:\s+([\d.]+)", text).group(1)) for text in texts)
            slowest = [re.search(r"99%\s+(\S+)", text).group(1) for text in texts]
            print(f"{len(hubs)} hubs: {rate:.0f} heartbeats a second, p99 {', '.join(slowest)}")
    finally:
        for process, _ in hubs:
            process.terminate()
            process.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
