"""See Tests/Benchmarks/upload."""
import json
import os
import pathlib
import resource
import shutil
import socket
import statistics
import subprocess
import tempfile
import threading
import time

GAITWAY = os.environ["GAITWAY"]


def serve(listener):
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=answer, args=(connection,), daemon=True).start()


def answer(connection):
    """Answers every request with 200 and throws its body away."""
    buffer, begun = memoryview(bytearray(1 << 20)), b""
    while True:
        while b"\r\n\r\n" not in begun:
            data = connection.recv(1 << 16)
            if not data:
                return
            begun += data
        head, _, begun = begun.partition(b"\r\n\r\n")
        left = 0
        for line in head.lower().split(b"\r\n"):
            if line.startswith(b"content-length:"):
                left = int(line[15:]) - len(begun)
            if line.startswith(b"expect:"):
                connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        begun = begun[left:] if left < 0 else b""
        while left > 0:
            left -= connection.recv_into(buffer[: min(left, len(buffer))])
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")


def timed(command, environment=None):
    begin = time.perf_counter()
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begin


def drain(work, endpoint):
    """A recorded spool of 1 GB, drained again and again."""
    whole, spool = work / "whole", work / "spool"
    settings = {"SPOOL": whole, "USER": "bench", "MAX_MEGABYTES": 10000, "ENABLED": "true"}

    def environment(**more):
        return {**os.environ, "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", **{f"GAITWAY_UPLOAD_{k}": str(v) for k, v in {**settings, **more}.items()}}

    subprocess.run([GAITWAY, "run", "--source", "simulated", "--duration", "250000", "--speed", "max", "--json"], check=True, env=environment(), capture_output=True)
    files = sorted((whole / "pending").iterdir())
    total = sum(file.stat().st_size for file in files) / 1e6
    ours, theirs = [], []
    for _ in range(5):
        subprocess.run(["cp", "-rl", whole, spool], check=True)
        ours.append(timed([GAITWAY, "upload", "now"], environment(SPOOL=spool, BUCKET="bucket", ENDPOINT=endpoint)))
        assert not list((spool / "pending").iterdir())
        shutil.rmtree(spool)
        theirs.append(timed(["curl", "--fail", "-T", "{" + ",".join(map(str, files)) + "}", endpoint + "/bucket/"]))
    mine, peer = statistics.median(ours), statistics.median(theirs)
    print(f"{total:.0f} MB in {len(files)} files: gaitway {total / mine:.0f} MB/s, curl -T {total / peer:.0f} MB/s, ratio of speeds {peer / mine:.2f}")


def a_day(work):
    spool = work / "day"
    environment = {**os.environ, "GAITWAY_UPLOAD_ENABLED": "true", "GAITWAY_UPLOAD_SPOOL": str(spool), "GAITWAY_UPLOAD_USER": "bench"}
    peaks = []
    for hours in (1, 24):
        begin = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [GAITWAY, "run", "--source", "simulated", "--duration", str(hours * 3600), "--speed", "max", "--json", "--stats"]
        start = time.perf_counter()
        printed = subprocess.run(command, check=True, env=environment, capture_output=True, text=True).stdout.splitlines()
        seconds, stats = time.perf_counter() - start, json.loads(printed[-1])["stats"]
        used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begin.ru_utime
        peaks.append(f"{stats['peak_memory_bytes'] / 1e6:.1f} MB")
    print(f"a day, {stats['windows']} windows recorded: {seconds:.1f} s ({86400 / seconds:.0f} times real time), {used:.1f} s of processor; peak {peaks[0]} after an hour, {peaks[1]} after a day")


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=serve, args=(listener,), daemon=True).start()
    bench = json.loads(subprocess.run([GAITWAY, "bench", "--json"], check=True, capture_output=True, text=True).stdout)
    print(f"text of a number {bench['number_text_ns']:.1f} ns, Swift's description {bench['number_description_ns']:.1f} ns, ratio {bench['number_text_ns'] / bench['number_description_ns']:.2f}")
    work = pathlib.Path(tempfile.mkdtemp(prefix="gaitway-bench-"))
    try:
        a_day(work)
        drain(work, f"http://127.0.0.1:{listener.getsockname()[1]}")
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
