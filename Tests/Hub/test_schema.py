"""The OpenAPI document holds: schemathesis makes requests of it, and the running hub answers as it says."""
import pathlib
import re
import subprocess
import sys

from hub import Hub
from support import MODEL, TestCase

HERE = pathlib.Path(__file__).parent
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance,ignored_auth,use_after_free"


class Schema(TestCase):
    def test_schemathesis(self):
        hub = Hub(self.directory, "--rate", 0, "--strangers-rate", 0)
        self.addCleanup(hub.close)
        hub.run("models", "add", "activity", MODEL)
        hub.run("rollouts", "start", "activity", 1, "--unsigned")
        hub.call("POST", "/models/activity/versions/upload", raw=b"\x1c\0\0\0TFL3" + bytes(40))
        made = lambda path, body: hub.call("POST", path, body, token=hub.token)[1]["id"]
        # What there is, so that requests reach more than "there is no such thing".
        known = {"model": "activity", "version": "latest", "rollout": "1"}
        known["id"] = made("/devices/register", {"device_identifier": "board"})
        known["group"] = made("/groups", {"name": "left"})
        known["round"] = made("/training/rounds", {"model_id": "activity"})
        variants = [{"name": f"v{version}", "model_version": str(version), "traffic_allocation": 50} for version in (1, 2)]
        known["experiment"] = made("/experiments", {"name": "e", "model_id": "activity", "variants": variants})
        configuration = self.directory / "schemathesis.toml"
        configuration.write_text("[parameters]\n" + "".join(f'"path.{name}" = "{value}"\n' for name, value in known.items()))
        command = [
            pathlib.Path(sys.executable).parent / "schemathesis", "--config-file", configuration, "run", f"{hub.address}/api/v1/openapi.json",
            "-H", f"Authorization: Bearer {hub.token}", "--checks", CHECKS, "--max-examples", "30", "--continue-on-failure", "--generation-deterministic", "--no-color",
        ]
        result = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=self.directory)
        self.assertEqual(result.returncode, 0, result.stdout[-6000:] + result.stderr[-2000:])
        selected, total = map(int, re.search(r"(\d+) selected / (\d+) total", result.stdout).groups())
        self.assertEqual(selected, total)
        self.assertIn(f"Tested: {total}", result.stdout)
        cases = int(re.search(r"(\d+) generated", result.stdout).group(1))
        self.assertGreater(cases, 1000)
        print(f"schemathesis: {cases} cases ", end="", flush=True)

    def test_the_document_names_every_route(self):
        """What the router has is in the document, and the other way round."""
        hub = Hub(self.directory)
        self.addCleanup(hub.close)
        paths = hub.get("/openapi.json")["paths"]
        documented = {(method.upper(), re.sub(r"{(\w+)}", "*", path)) for path, methods in paths.items() for method in methods}
        found = set()
        for file in (HERE.parents[1] / "Sources/Server/Hub").rglob("*Routes.swift"):
            prefix, at_root = {}, set()
            for line in file.read_text().splitlines():
                group = re.search(r'let (\w+) = (\w+)\.group\("([^"]*)"\)', line)
                if group:
                    prefix[group.group(1)] = prefix.get(group.group(2), "") + "/" + group.group(3)
                    if group.group(2) == "router":
                        at_root.add(group.group(1))
                route = re.search(r'\s(\w+)\.(get|put|post|delete|patch)\((?:"([^"]*)")?.*(?:use|in)\b', line)
                if route and not route.group(1) == "router":
                    path = prefix.get(route.group(1), "") + ("/" + route.group(3) if route.group(3) else "")
                    version = "v2" if route.group(3) == "telemetry/events" else "v1"
                    for verb in ("start", "pause", "resume", "stop") if "\\(verb)" in path else (None,):
                        full = path.replace("\\(verb)", verb or "")
                        place = "" if route.group(1) in at_root else f"/api/{version}"
                        found.add((route.group(2).upper(), place + re.sub(r":\w+", "*", full)))
        found |= {("GET", "/health"), ("GET", "/api/v1/health"), ("GET", "/api/v1/openapi.json")}
        self.assertEqual(found, documented)
