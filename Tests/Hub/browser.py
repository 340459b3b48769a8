"""Chromium without a window, driven through its DevTools protocol."""
import base64
import json
import re
import shutil
import subprocess
import tempfile
import time

import websocket

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Browser:
    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(prefix="gaitway-browser-", ignore_cleanup_errors=True)
        command = [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-port=0", f"--user-data-dir={self.profile.name}", "about:blank"]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        for line in self.process.stderr:
            match = re.search(r"ws://[^/]+(\S+)", line)
            if match:
                break
        port = re.search(r":(\d+)/", line).group(1)
        import urllib.request
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json") as answer:
            page = next(target for target in json.loads(answer.read()) if target["type"] == "page")
        self.socket = websocket.create_connection(page["webSocketDebuggerUrl"], timeout=30, suppress_origin=True)
        self.number = 0
        self.complaints = []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method, **parameters):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("method") == "Runtime.exceptionThrown":
                self.complaints.append(answer["params"]["exceptionDetails"]["text"])
            if answer.get("method") == "Log.entryAdded" and answer["params"]["entry"]["level"] == "error":
                self.complaints.append(answer["params"]["entry"]["text"])
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)

    def go(self, address):
        self.call("Page.navigate", url=address)

    def run(self, script):
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def until(self, script, seconds=10):
        """What the script gives, once it gives something true."""
        end = time.monotonic() + seconds
        while True:
            value = self.run(script)
            if value:
                return value
            assert time.monotonic() < end, f"never true: {script}: {self.run('document.body.innerText')}"
            time.sleep(0.1)

    def picture(self, path):
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)["data"]))

    def close(self):
        self.socket.close()
        self.process.kill()
        self.process.wait()
        self.process.stderr.close()
        self.profile.cleanup()
