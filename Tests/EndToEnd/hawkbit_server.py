"""A hawkBit server as its DDI v1 describes it to devices: one target, one action at a time; the test is its operator."""
import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TENANT, TARGET, TOKEN = "default", "board-7", "6f5ba4c79a8b"


class HawkBitServer:
    def __init__(self):
        self.takes_attributes = True
        self.requests, self.feedback, self.attributes = [], [], None  # (method, path, authorization); (kind, action, status)
        self.action, self.files, self.cancelled, self.sleep, self.broken = None, {}, None, "00:05:00", None
        self.download, self.damaged = "forced", []  # answers in place of the next files
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                server.requests.append((self.command, self.path, self.headers.get("Authorization")))
                status, content, more = server.respond(self.command, self.path.split("?")[0], self.headers.get("Authorization"), body)
                self.send_response(status)
                for name, value in more.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_PUT = answer

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self.http.server_address[1]}"
        self.base = f"{self.origin}/{TENANT}/controller/v1/{TARGET}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def close(self):
        self.http.shutdown()
        self.http.server_close()

    def assign(self, action, *paths):
        """A distribution set with one software module of these files."""
        self.files = {path.name: path.read_bytes() for path in paths}
        self.action, self.cancelled = str(action), None

    def closed(self, action):
        """How an action ended: (finished, details)."""
        ends = [status for kind, number, status in self.feedback if (kind, number) == ("deploymentBase", str(action)) and status["execution"] == "closed"]
        return (ends[0]["result"]["finished"], ends[0].get("details")) if ends else None

    def respond(self, method, path, authorization, body):
        as_json = lambda value: (200, json.dumps(value).encode(), {"Content-Type": "application/hal+json"})
        if self.broken:
            return self.broken
        if path.startswith("/elsewhere/"):
            return self.damaged.pop(0) if self.damaged else (200, self.files[path.split("/")[-1]], {"ETag": '"1"'})
        if authorization != f"TargetToken {TOKEN}":
            return 401, b"", {}
        rest = path.removeprefix(f"/{TENANT}/controller/v1/{TARGET}").split("/")[1:]
        if not rest:
            links = {}
            if self.cancelled:
                links["cancelAction"] = {"href": f"{self.base}/cancelAction/{self.cancelled}"}
            elif self.action:
                links["deploymentBase"] = {"href": f"{self.base}/deploymentBase/{self.action}?c=-2129030598"}
            if self.attributes is None:
                links["configData"] = {"href": f"{self.base}/configData"}
            return as_json({"config": {"polling": {"sleep": self.sleep}}, "_links": links})
        if rest == ["configData"]:
            if self.takes_attributes:
                self.attributes = json.loads(body)
            return 200 if self.takes_attributes else 400, b"", {}
        if rest[0] == "deploymentBase" and rest[1:] == [self.action]:
            artifacts = []
            for name, content in self.files.items():
                digests = {kind: hashlib.new(kind, content).hexdigest() for kind in ("sha1", "md5", "sha256")}
                link = {"href": f"{self.base}/softwaremodules/12/artifacts/{name}"}
                artifacts.append({"filename": name, "hashes": digests, "size": len(content), "_links": {"download-http": link, "md5sum-http": link}})
            chunk = {"part": "bApp", "version": "1.0", "name": "activity", "artifacts": artifacts}
            return as_json({"id": self.action, "deployment": {"download": self.download, "update": self.download, "chunks": [chunk]}})
        if rest[0] == "cancelAction" and rest[1:] == [self.cancelled]:
            return as_json({"id": self.cancelled, "cancelAction": {"stopId": self.action}})
        if rest[-1] == "feedback":
            status = json.loads(body)["status"]
            self.feedback.append((rest[0], rest[1], status))
            if status["execution"] == "closed":
                self.action, self.cancelled = None, None
            elif status["execution"] == "rejected":
                self.cancelled = None
            return 200, b"", {}
        if rest[0] == "softwaremodules":
            return 302, b"", {"Location": f"/elsewhere/{rest[-1]}"}
        return 404, b"", {}
