"""Everything around the loop hangs at once: a broker, a hub, a bucket, a hook, a page's browser and readers of the stream. No decision waits.

75 seconds; GAITWAY_HANGING_SECONDS=3600 makes it an hour.
"""
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import threading
import time
import unittest

from hub import Hub
from support import GAITWAY, TestCase, gaitway
from test_dashboard import DASHBOARD

SECONDS = int(os.environ.get("GAITWAY_HANGING_SECONDS", "75"))
# A machine that runs other tests wakes late; what waits for a door waits for half a minute.
LATE = 5


class Silent:
    """Takes connections, reads and says nothing."""

    def __init__(self, port):
        self.listener = socket.create_server(("127.0.0.1", port))
        self.port, self.taken = self.listener.getsockname()[1], []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                self.taken.append(self.listener.accept()[0])
            except OSError:
                return

    def close(self):
        for one in [self.listener, *self.taken]:
            one.close()


class HangingDoors(TestCase):
    def silent(self, port=0):
        made = Silent(port)
        self.addCleanup(made.close)
        return made

    def start(self, *command, **options):
        process = subprocess.Popen([*map(str, command)], env=self.environment, **options)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        return process

    def resident(self, process):
        """kB; of anonymous memory, since the pages of a file come and go as the kernel likes."""
        return int(re.search(r"RssAnon:\s+(\d+)", pathlib.Path(f"/proc/{process.pid}/status").read_text()).group(1))

    def test_no_decision_waits(self):
        state = self.directory / "state"
        hook = self.directory / "hook"
        hook.write_text(f"#!/bin/sh\necho $GAITWAY_ACTIVITY >> {self.directory}/hooks\nexec sleep 100000\n")
        hook.chmod(0o755)
        broker, bucket = self.silent(), self.silent()
        self.environment = {
            **os.environ, "STATE_DIRECTORY": str(state), "HOME": str(self.directory), "GAITWAY_SOURCE": "simulated:walk=9,stand=9,repeat",
            "GAITWAY_MQTT_HOST": "127.0.0.1", "GAITWAY_MQTT_PORT": str(broker.port), "GAITWAY_HOOKS_ON_CHANGE": str(hook), "GAITWAY_HOOKS_TIMEOUT": "10",
            "GAITWAY_UPLOAD_ENABLED": "true", "GAITWAY_UPLOAD_USER": "wearer", "GAITWAY_UPLOAD_BUCKET": "bucket", "GAITWAY_UPLOAD_MINUTES": "0.2",
            "GAITWAY_UPLOAD_ENDPOINT": f"http://127.0.0.1:{bucket.port}", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b",
            "GAITWAY_METRICS_TEXTFILE": str(self.directory), "GAITWAY_HISTORY_DIRECTORY": str(self.directory / "history")}
        # A hub that answered once.
        hub = Hub(self.directory)
        self.addCleanup(lambda: (hub.process.kill(), hub.process.wait()))
        made = gaitway("register", "--hub", hub.address, "--token", hub.bootstrap(), env=self.environment)
        self.assertEqual(made.returncode, 0, made.stderr)
        hub.process.kill()
        hub.process.wait()
        hub_door = self.silent(hub.port)
        with (self.directory / "log").open("w") as log:
            run = self.start(GAITWAY, "run", "--json", stdout=subprocess.PIPE, stderr=log, text=True)
        arrived = []
        threading.Thread(target=lambda: [arrived.append((time.monotonic(), json.loads(line))) for line in run.stdout], daemon=True).start()
        self.until(lambda: arrived)
        # Readers that read nothing, of the stream and of the page; hooks.
        reader = socket.socket(socket.AF_UNIX)
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        reader.connect(str(state / "control.sock"))
        self.addCleanup(reader.close)
        reader.sendall(b'{"command": "subscribe", "events": ["decisions", "samples"]}\n')
        stopped = self.start(GAITWAY, "follow", "--json", "--samples", stdout=subprocess.PIPE)
        page = self.start(DASHBOARD, "--port", "0", stderr=subprocess.PIPE, text=True)
        port = int(re.search(r":(\d+)$", page.stderr.readline().strip())[1])
        threading.Thread(target=lambda: [None for _ in page.stderr], daemon=True).start()
        browser = socket.create_connection(("127.0.0.1", port))
        self.addCleanup(browser.close)
        browser.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        token = (state / "dashboard.token").read_text().strip()
        browser.sendall(f"GET /api/stream?events=samples,decisions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
        self.start(GAITWAY, "hooks", stderr=subprocess.DEVNULL)
        time.sleep(10)
        stopped.send_signal(signal.SIGSTOP)
        time.sleep(10)
        before, page_before, began = self.resident(run), self.resident(page), time.monotonic()
        while time.monotonic() - began < SECONDS - 20:
            time.sleep(1)
            self.assertIsNone(run.poll(), (self.directory / "log").read_text())
        after, page_after = self.resident(run), self.resident(page)
        # All of them were really there, and hang.
        self.assertTrue(all(door.taken for door in (broker, bucket, hub_door)))
        self.assertTrue((self.directory / "hooks").read_text())
        # Every window was decided, and when it ended.
        found = [(at, one) for at, one in arrived if "activity" in one]
        times = [one["t"] for _, one in found]
        self.assertEqual([round(later - earlier, 2) for earlier, later in zip(times, times[1:])], [round(times[1] - times[0], 2)] * (len(times) - 1))
        self.assertGreaterEqual(times[-1], SECONDS - 10)
        begins = min(at - one["t"] for at, one in found)
        late = max(at - one["t"] - begins for at, one in found)
        self.assertLess(late, LATE)
        # The spool fills up on the disk, not in memory.
        self.assertLess(after - before, 2048)
        self.assertLess(page_after - page_before, 4096)
        print(f"{len(found)} decisions, the latest {late:.2f} s late; run {before} to {after} kB, page {page_before} to {page_after} kB", flush=True)
        run.terminate()
        self.assertEqual(run.wait(timeout=45), 0)


if __name__ == "__main__":
    unittest.main()
