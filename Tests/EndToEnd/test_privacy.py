"""What left the board, as it says itself, and how it is erased."""
import http.server
import json
import os
import shutil
import subprocess
import threading
import unittest

from hub import Hub
from support import GAITWAY, TestCase, gaitway


class Privacy(TestCase):
    def setUp(self):
        super().setUp()
        self.state = self.directory / "state"
        self.environment = {
            **os.environ, "STATE_DIRECTORY": str(self.state), "GAITWAY_FALLS_CONFIRM_SECONDS": "2", "GAITWAY_HISTORY_DIRECTORY": str(self.directory / "history"),
            "GAITWAY_UPLOAD_ENABLED": "true", "GAITWAY_UPLOAD_USER": "wearer"}

    def gaitway(self, *arguments):
        return gaitway(*arguments, env=self.environment)

    def said(self):
        result = self.gaitway("privacy", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def hub(self):
        hub = Hub(self.directory)
        self.addCleanup(lambda: (hub.process.kill(), hub.process.wait()))
        made = self.gaitway("register", "--hub", hub.address, "--token", hub.bootstrap())
        self.assertEqual(made.returncode, 0, made.stderr)
        return hub

    def run_until_the_hub_has_a_fall(self, hub):
        process = subprocess.Popen(
            [GAITWAY, "run", "--source", "simulated:walk=8,fall=40,walk=60"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=self.environment)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        device = hub.devices()[0]["id"]
        self.until(lambda: any(one["name"] == "fall" for one in hub.get(f"/devices/{device}/events")["events"]))
        process.terminate()
        _, error = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 0, error)
        return device

    def test_nothing_left_a_board_that_is_on_its_own(self):
        result = subprocess.run(
            [GAITWAY, "run", "--source", "simulated:walk=8", "--speed", "max"], capture_output=True, env={**self.environment, "GAITWAY_UPLOAD_ENABLED": "false"})
        self.assertEqual(result.returncode, 0, result.stderr)
        said = self.said()
        self.assertEqual((said["left"], said["crowd"], said["since"], said["hub"]), ([], None, None, None))
        self.assertIn("nothing is counted to have left this board", self.gaitway("privacy").stdout)

    def test_what_a_hub_got_is_counted_and_erased(self):
        hub = self.hub()
        device = self.run_until_the_hub_has_a_fall(hub)
        said = self.said()
        ways = {one["way"]: one for one in said["left"]}
        self.assertEqual(set(ways), {"heartbeats", "events"})
        self.assertTrue(all(one["to"].startswith(f"{hub.address} as board-") for one in said["left"]), said)
        # As many as the hub says that it has.
        self.assertEqual(ways["events"]["items"], len(hub.get(f"/devices/{device}/events?limit=500")["events"]))
        self.assertGreaterEqual(ways["heartbeats"]["items"], 1)
        self.assertEqual(said["waiting"]["files"], 1)
        text = self.gaitway("privacy").stdout
        self.assertIn(f"{ways['events']['items']} changes and falls", text)
        self.assertEqual(os.stat(self.state / "privacy.json").st_mode & 0o777, 0o600)
        # Nobody is there to ask.
        self.assertNotEqual(self.gaitway("privacy", "--erase").returncode, 0)
        self.assertEqual(self.said()["waiting"]["files"], 1)
        # A hub that is away: what is here goes, and the rest is named.
        hub.process.kill()
        hub.process.wait()
        failed = self.gaitway("privacy", "--erase", "--yes", "--json")
        self.assertEqual(failed.returncode, 75, failed.stderr)
        steps = {one["place"]: one["outcome"] for one in json.loads(failed.stdout)["steps"]}
        self.assertEqual(steps, {"what waits here": "erased", ways["events"]["to"]: "failed"})
        self.assertEqual(self.said()["waiting"], {"files": 0, "bytes": 0, "events": 0})
        hub.start()
        receipt = self.gaitway("privacy", "--erase", "--yes")
        self.assertEqual(receipt.returncode, 0, receipt.stderr)
        self.assertIn(f"erased  {ways['events']['to']}: all that it kept of this board", receipt.stdout)
        self.assertEqual(hub.devices(), [])
        after = self.said()
        self.assertIsNone(after["hub"])
        self.assertEqual(after["waiting"]["events"], 0)
        self.assertTrue(all(one["erased"] for one in after["left"] if one["items"]))

    def test_a_program_that_runs_drops_what_it_holds(self):
        hub = self.hub()
        process = subprocess.Popen(
            [GAITWAY, "run", "--source", "simulated:walk=6,stand=6,repeat"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=self.environment)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        writing = self.state / "spool/writing"
        self.until(lambda: writing.is_dir() and list(writing.iterdir()))
        # What it sent in the last seconds is counted, too.
        self.until(lambda: any(one["way"] == "heartbeats" for one in self.said()["left"]))
        held = {path.name for path in writing.iterdir()}
        receipt = self.gaitway("privacy", "--erase", "--yes")
        self.assertEqual(receipt.returncode, 0, receipt.stderr)
        self.assertIn("one runs here", receipt.stderr)
        self.assertTrue(all(one["erased"] for one in self.said()["left"]))
        self.assertEqual(hub.devices(), [])
        self.assertFalse(held & {path.name for path in self.state.glob("spool/*/*.csv")})
        # Nobody is told any more, and what happened before the next registration is not told there.
        process.terminate()
        self.assertEqual(process.wait(30), 0, process.stderr.read())
        self.assertEqual(self.said()["waiting"]["events"], 0)

    def test_a_hub_that_knows_no_such_board_has_nothing(self):
        hub = self.hub()
        self.run_until_the_hub_has_a_fall(hub)
        hub.run("devices", "delete", hub.devices()[0]["device_identifier"])
        receipt = self.gaitway("privacy", "--erase", "--yes")
        # Its tokens ended with it: what mends that is named.
        self.assertEqual(receipt.returncode, 0 if "erased  " + hub.address in receipt.stdout else 77, receipt.stdout + receipt.stderr)
        if receipt.returncode:
            self.assertIn("gaitway unregister --forget", receipt.stderr)
        self.assertEqual(self.said()["waiting"]["events"], 0)

    def test_what_only_looks_like_an_answer_erases_nothing(self):
        hub = self.hub()
        self.run_until_the_hub_has_a_fall(hub)
        hub.process.kill()
        hub.process.wait()

        class Page(http.server.BaseHTTPRequestHandler):
            def answer(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                body = b"<html>log in to this network</html>"
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_DELETE = do_POST = do_PUT = do_GET = answer
            log_message = lambda *arguments: None

        page = http.server.ThreadingHTTPServer(("127.0.0.1", hub.port), Page)
        threading.Thread(target=page.serve_forever, daemon=True).start()
        failed = self.gaitway("privacy", "--erase", "--yes")
        page.shutdown()
        page.server_close()
        self.assertEqual(failed.returncode, 75, failed.stdout + failed.stderr)
        self.assertIn("without saying that it removed the board", failed.stdout)
        self.assertEqual(self.said()["hub"], hub.address)
        hub.start()
        self.assertEqual(self.gaitway("privacy", "--erase", "--yes").returncode, 0)
        self.assertEqual(hub.devices(), [])

    def test_an_answer_that_was_lost(self):
        hub = self.hub()
        self.run_until_the_hub_has_a_fall(hub)
        place = self.said()["left"][0]["to"]
        shutil.copytree(self.state, self.directory / "before")
        self.assertEqual(self.gaitway("privacy", "--erase", "--yes").returncode, 0)
        # As if the power had gone between the hub's yes and the board's forgetting.
        shutil.rmtree(self.state)
        shutil.copytree(self.directory / "before", self.state)
        refused = self.gaitway("privacy", "--erase", "--yes")
        self.assertEqual(refused.returncode, 77, refused.stderr)
        self.assertIn("gaitway unregister --forget", refused.stderr)
        (self.state / "hub-erasure").write_text(place)
        again = self.gaitway("privacy", "--erase", "--yes")
        self.assertEqual(again.returncode, 0, again.stdout + again.stderr)
        self.assertIsNone(self.said()["hub"])
        self.assertFalse((self.state / "hub-erasure").exists())

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_root_deletes_nothing_behind_a_link_of_another_user(self):
        victim = self.directory / "victim"
        victim.mkdir(mode=0o700)
        (victim / "a").write_text("precious")
        os.chmod(self.directory, 0o755)
        for folder in ("spool", "spool/pending", "spool/refused", "spool/torn"):
            with self.subTest(folder):
                shutil.rmtree(self.state, ignore_errors=True)
                (self.state / folder).parent.mkdir(parents=True)
                (self.state / folder).symlink_to(victim)
                for path in (self.state, *self.state.rglob("*")):
                    os.chown(path, 65534, 65534, follow_symlinks=False)
                for command in (("privacy", "--erase", "--yes"), ("upload", "clear", "--yes")):
                    self.gaitway(*command)
                    self.assertTrue((victim / "a").exists(), command)

    def test_a_hub_of_before_is_named(self):
        hub = self.hub()
        self.run_until_the_hub_has_a_fall(hub)
        self.assertEqual(self.gaitway("unregister").returncode, 0)
        receipt = self.gaitway("privacy", "--erase", "--yes")
        self.assertEqual(receipt.returncode, 0, receipt.stderr)
        self.assertRegex(receipt.stdout, f"stays   {hub.address} as board-.*: the board was registered there before, and is not any more: ask its operator")

    def test_a_damaged_ledger_is_said_and_stops_nothing(self):
        hub = self.hub()
        (self.state / "privacy.json").write_text("{")
        self.assertRefused(self.gaitway("privacy"), 65, "privacy.json", "damaged")
        self.run_until_the_hub_has_a_fall(hub)
        self.assertEqual({one["way"] for one in self.said()["left"]}, {"heartbeats", "events"})


if __name__ == "__main__":
    unittest.main()
