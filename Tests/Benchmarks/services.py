"""What `gaitway run` takes with all its services on: registered at a hub, uploads that find no server, telemetry, a model that changes.
Resident memory between two heartbeats, and the share of one core. services.py (with GAITWAY and GAITWAY_HUB)"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/EndToEnd"))
from hub import Board, Hub, until  # noqa: E402


def memory(process):
    text = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    resident, peak = (int(re.search(name + r":\s+(\d+)", text).group(1)) / 1024 for name in ("VmRSS", "VmHWM"))
    return f"{resident:.1f} MB resident, {peak:.1f} MB at its most"


def processor(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main():
    directory = pathlib.Path(tempfile.mkdtemp(prefix="gaitway-"))
    # Beats every five seconds: sixty times what a fleet has.
    hub = Hub(directory, "--heartbeat", 5, "--rate", 0, "--strangers-rate", 0)
    state = directory / "board"
    state.mkdir()
    private, public, base, new = (directory / name for name in ("key.pem", "public.pem", "m1.safetensors", "m2.safetensors"))
    subprocess.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", private], check=True, capture_output=True)
    subprocess.run(["openssl", "ec", "-in", private, "-pubout", "-out", public], check=True, capture_output=True)
    script = "simulated:" + ",".join(["stand=4,walk=4,lie=4"] * 60)
    board = Board(state, script, model=base, trusted_key=public, upload_enabled="true", upload_bucket="b", upload_endpoint="http://127.0.0.1:9", upload_minutes="0.2", updates_shadow_windows=6, updates_probation_windows=6)
    try:
        for version, path in ((1, base), (2, new)):
            shutil.copy(ROOT / "board/models/activity.safetensors", path)
            assert board.gaitway("model", "sign", path, "--key", private, "--model-version", version).returncode == 0
        board.register(hub.address, hub.bootstrap())
        board.start()
        time.sleep(22)
        print(f"all services: {memory(board.process)}")
        hub.run("models", "add", "activity", new)
        hub.run("rollouts", "start", "activity", 2, "--percent", 100)
        until(lambda: board.status().get("models", {}).get("current") == 2, 60, lambda: board.said)
        time.sleep(12)
        print(f"after a change of models: {memory(board.process)}")
        before, began = processor(board.process), time.monotonic()
        time.sleep(60)
        print(f"processor, --speed real: {100 * (processor(board.process) - before) / (time.monotonic() - began):.2f} % of one core")
    finally:
        board.kill()
        hub.close()
        shutil.rmtree(directory)


main()
