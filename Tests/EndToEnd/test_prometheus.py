"""Prometheus scrapes a board's page and a hub for a minute, and answers what the Grafana dashboards ask."""
import json
import os
import re
import subprocess
import threading
import time
import unittest
import urllib.parse
import urllib.request

from hub import Hub
from support import GAITWAY, ROOT, TestCase, free_port, gaitway, tool
from test_dashboard import DASHBOARD

# What no machine of a test, no simulated wearer and no board that uploads nothing has.
ABSENT = {
    "gaitway_sampling_rate_hertz", "gaitway_battery_ratio", "gaitway_temperature_celsius", "gaitway_upload_waiting_bytes", "gaitway_upload_waiting_files"}


@unittest.skipUnless(tool("prometheus") and tool("promtool"), "not here: prometheus (board/test unpacks it)")
class Prometheus(TestCase):
    def start(self, *arguments, **options):
        process = subprocess.Popen([*map(str, arguments)], **options)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        return process

    def ask(self, path, **parameters):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/v1/{path}?{urllib.parse.urlencode(parameters)}", timeout=20) as answer:
            return json.load(answer)["data"]

    def values(self, expression):
        return self.ask("query", query=expression)["result"]

    def board(self):
        state = self.directory / "state"
        environment = {
            **os.environ, "STATE_DIRECTORY": str(state), "GAITWAY_HISTORY_DIRECTORY": str(self.directory / "history"),
            "GAITWAY_SOURCE": os.environ.get("GAITWAY_SOURCE", "simulated:walk=600")}
        run = self.start(GAITWAY, "run", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        page = self.start(DASHBOARD, "--port", "0", stderr=subprocess.PIPE, text=True, env=environment)
        match = re.search(r"http://(127.0.0.1:\d+)$", page.stderr.readline().strip())
        threading.Thread(target=lambda: [None for _ in page.stderr], daemon=True).start()
        return run, match[1], state / "dashboard.token"

    def hub(self):
        hub = Hub(self.directory)
        self.addCleanup(lambda: (hub.process.kill(), hub.process.wait()))
        viewer = self.directory / "viewer.token"
        viewer.write_text(hub.run("tokens", "create", "--name", "prometheus", "--role", "viewer"))
        environment = {**os.environ, "STATE_DIRECTORY": str(self.directory / "registered")}
        made = gaitway("register", "--hub", hub.address, "--token", hub.bootstrap(), env=environment)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.start(GAITWAY, "run", "--source", "simulated:sit=600", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        return hub.address.removeprefix("http://"), viewer

    def job(self, name, target, token):
        return {
            "job_name": name, "metrics_path": "/metrics", "authorization": {"credentials_file": str(token)}, "static_configs": [{"targets": [target]}]}

    def test_a_minute_and_the_dashboards(self):
        run, board, token = self.board()
        hub, viewer = self.hub()
        configuration = self.directory / "prometheus.yml"
        # JSON is YAML.
        configuration.write_text(json.dumps({
            "global": {"scrape_interval": "2s", "scrape_timeout": "2s"},
            "scrape_configs": [self.job("board", board, token), self.job("hub", hub, viewer)]}))
        self.port = free_port()
        self.start(
            tool("prometheus"), f"--config.file={configuration}", f"--storage.tsdb.path={self.directory / 'tsdb'}",
            f"--web.listen-address=127.0.0.1:{self.port}", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.until(lambda: self.is_up() and len(self.values("up == 1")) == 2)
        time.sleep(60)
        # No scrape failed, and none took long.
        scrapes = {one["metric"]["job"]: float(one["value"][1]) for one in self.values("count_over_time(up[1m])")}
        self.assertTrue(all(scrapes[job] >= 25 for job in ("board", "hub")), scrapes)
        self.assertEqual(self.values("min_over_time(up[1m]) < 1"), [])
        self.assertEqual(self.values("quantile_over_time(0.5, scrape_duration_seconds[1m]) > 0.5"), [])
        self.assertEqual(self.ask("targets")["activeTargets"][0]["lastError"], "")
        # What was scraped is what happened.
        self.assertEqual([one["metric"]["activity"] for one in self.values("gaitway_activity == 1")], ["WALKING"])
        steps = float(self.values("increase(gaitway_steps_total[1m])")[0]["value"][1])
        self.assertTrue(60 < steps < 160, steps)
        self.assertEqual(float(self.values('gaitway_hub_boards{state="online"}')[0]["value"][1]), 1)
        self.assertGreaterEqual(float(self.values("gaitway_hub_heartbeats_total")[0]["value"][1]), 1)
        for path, instance in (("board", board), ("fleet", hub)):
            self.check_dashboard(json.loads((ROOT / f"board/grafana/{path}.json").read_text()), instance)
        # A page without its board answers no scrape.
        run.kill()
        self.until(lambda: self.values('up{job="board"} == 0'))

    def is_up(self):
        try:
            return self.values("vector(1)")
        except OSError:
            return None

    def check_dashboard(self, dashboard, instance):
        expressions = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
        self.assertGreater(len(expressions), 6)
        names = set(self.ask("label/__name__/values"))
        for expression in expressions:
            metric = re.search(r"gaitway_\w+", expression)[0]
            found = self.values(expression.replace("$instance", instance))
            if metric not in ABSENT and metric != "gaitway_hub_rollouts":
                self.assertIn(metric, names)
                self.assertTrue(found, expression)
        for variable in dashboard["templating"]["list"]:
            if match := re.fullmatch(r"label_values\((\w+), (\w+)\)", variable["query"]["query"] if isinstance(variable["query"], dict) else ""):
                self.assertEqual([one["metric"][match[2]] for one in self.values(match[1])], [instance])

    def test_names_and_help(self):
        """promtool's opinion of both, as they are scraped."""
        run, board, token = self.board()
        hub, viewer = self.hub()
        for target, path in ((board, token), (hub, viewer)):
            request = urllib.request.Request(f"http://{target}/metrics", headers={"Authorization": f"Bearer {path.read_text().strip()}"})
            text = self.until(lambda: self.text(request))
            checked = subprocess.run([tool("promtool"), "check", "metrics"], input=text, capture_output=True, text=True)
            self.assertEqual((checked.returncode, checked.stdout + checked.stderr), (0, ""))

    def text(self, request):
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.read().decode()
        except OSError:
            return None


if __name__ == "__main__":
    unittest.main()
