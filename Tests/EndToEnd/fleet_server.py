"""A server of the EdgeML device API as its clients know it (three generations differ in the heartbeat), for tests."""
import datetime
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class FleetServer:
    def __init__(self, ttl=900, heartbeat_method="PUT", registers=None):
        self.ttl, self.heartbeat_method = ttl, heartbeat_method
        self.registers = registers or {"id": "device-1", "status": "active"}
        self.requests, self.access, self.refresh, self.count = [], set(), set(), 0
        self.broken = {}  # path's end: (status, body)
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                status, answer = server.respond(self.command, self.path, self.headers.get("Authorization"), json.loads(body or b"null"))
                data = b"" if answer is None else json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PUT = answer

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.http.server_address[1]}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def close(self):
        self.http.shutdown()
        self.http.server_close()

    def tokens(self, org, device):
        self.count += 1
        access, refresh = f"access-{self.count}", f"refresh-{self.count}"
        self.access, self.refresh = {access}, {refresh}
        end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=self.ttl)
        return {"access_token": access, "refresh_token": refresh, "token_type": "Bearer", "expires_at": end.isoformat(), "expires_in": self.ttl,
                "org_id": org, "device_identifier": device, "scopes": ["devices:write"]}

    def beats(self):
        return [body for method, path, body in self.requests if path.endswith("/heartbeat") and method == self.heartbeat_method]

    def respond(self, method, path, authorization, body):
        self.requests.append((method, path, body))
        for end, answer in self.broken.items():
            if path.endswith(end):
                return answer
        bearer = (authorization or "").removeprefix("Bearer ")
        if path == "/api/v1/device-auth/bootstrap":
            return (201, self.tokens(body["org_id"], body["device_identifier"])) if bearer == "bootstrap" else (401, {"detail": "invalid bootstrap token"})
        if path == "/api/v1/device-auth/refresh":
            if body["refresh_token"] not in self.refresh:
                return 401, {"error": {"code": "token_expired", "message": "used up"}}
            return 200, self.tokens("default", "d")
        if path == "/api/v1/device-auth/revoke":
            self.refresh.discard(body["refresh_token"])
            return 204, None
        if bearer not in self.access:
            return 401, {"code": "token_expired"}
        if path == "/api/v1/devices/register":
            return 200, self.registers
        if path.endswith("/heartbeat"):
            return (200, {"status": "ok"}) if method == self.heartbeat_method else (405, {"detail": "Method Not Allowed"})
        return 404, {"detail": "Not Found"}
