"""The hub's page in Chromium, wide and as narrow as a telephone. Screenshots go to $GAITWAY_SCREENSHOTS, where that is set."""
import base64
import os
import pathlib
import shutil
import sqlite3
import subprocess
import time
import unittest

from browser import CHROMIUM, Browser
from hub import HUB, Hub
from support import MODEL, TestCase, gaitway
from test_api import key
from test_dashboard_page import axe


@unittest.skipUnless(CHROMIUM, "not installed: chromium")
class Page(TestCase):
    def setUp(self):
        super().setUp()
        for name, content in (("testFeature.dat", "1 0 1\n0 1 1\n"), ("testLabel.dat", "0\n1\n")):
            (self.directory / name).write_text(content)
        crowd = ("--features", "3", "--classes", "2", "--labels", "SITTING,WALKING", "--client-batch", "10", "--noise", "Laplace", "--noise-scale", "0.5", "--test", str(self.directory))
        subprocess.run([HUB, "crowd", "start", "--data", str(self.directory / "hub.sqlite"), *crowd], check=True, capture_output=True)
        self.hub = Hub(self.directory, "--rate", 0, "--strangers-rate", 0, "--heartbeat", 60)
        self.addCleanup(self.hub.close)
        token = self.hub.bootstrap(5)
        private, model = key(self.directory), self.directory / "m2.safetensors"
        shutil.copy(MODEL, model)
        self.assertEqual(gaitway("model", "sign", model, "--key", private, "--model-version", 2).returncode, 0)
        self.hub.run("models", "add", "activity", model)
        self.devices, tokens = [], []
        now = time.time()
        names = ("left-wrist", "kitchen<b>", "a-board-with-a-rather-long-name-of-its-own", "attic", "new")
        for name in names:
            _, own, _ = self.hub.call("POST", "/device-auth/bootstrap", {"org_id": "default", "device_identifier": name}, token=token)
            tokens.append(own["access_token"])
            _, made, _ = self.hub.call("POST", "/devices/register", {"device_identifier": name, "manufacturer": "Raspberry Pi", "model": "Raspberry Pi Zero 2 W", "cpu_architecture": "arm64"}, token=tokens[-1])
            self.devices.append(made["id"])
        self.hub.run("rollouts", "start", "activity", 2, "--percent", 100, "--error", 1)
        for index, (name, device) in enumerate(zip(names, self.devices[:-1])):
            state = ["committed", "refused", "probation", "committed"][index]
            reason = "version 2 does not fit this board: it does not know SITTING" if state == "refused" else ""
            beat = {"metadata": {"battery_level": 80 - index * 20, "temperature_celsius": 41.5 + index, "spool_files": index, "spool_bytes": index * 3_200_000, "activity": "WALKING", "sampling_rate_hz": 49.97}, "network_type": "wifi",
                    "active_model_version": "1" if state == "refused" else "2", "model_status": state, "models": [{"model_id": "activity", "highest_version": 2, "versions": [{"version": 2, "state": state, "reason": reason}]}]}
            if name == "attic":  # of another make
                beat["metadata"].update(temperature_celsius="hot", sampling_rate_hz={}, spool_bytes="many", last_error_at="yesterday")
                beat["last_error_code"] = "odd"
            self.assertEqual(self.hub.call("PUT", f"/devices/{device}/heartbeat", beat, token=tokens[index])[0], 200)
            events = [{"name": "activity", "timestamp": int((now - 3600 + 240 * step) * 1000), "attributes": {"activity": ["STANDING", "WALKING", "SITTING", "LAYING"][(step * 7 + index) % 4]}} for step in range(15)]
            self.assertEqual(self.hub.call("POST", "/telemetry/batches", {"batchId": "b", "events": events}, token=tokens[index])[0], 200)
        self.browser = Browser()
        self.addCleanup(self.browser.close)

    def picture(self, name):
        place = os.environ.get("GAITWAY_SCREENSHOTS")
        if place:
            self.browser.picture(pathlib.Path(place) / f"{name}.png")

    def fits(self):
        self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), self.browser.run("window.innerWidth"), "the page is wider than the screen")

    def approvals(self):
        """Boards that wait to be approved, at a hub that asks for it, logged in and out again."""
        directory = self.directory / f"approving-{time.monotonic_ns()}"
        directory.mkdir()
        hub, browser = Hub(directory, "--strangers-rate", 0, "--approve"), self.browser
        self.addCleanup(hub.close)
        token = hub.bootstrap(2)
        for name in ("garden <i>", "cellar"):
            status, body, _ = hub.call("POST", "/device-auth/bootstrap", {"org_id": "default", "device_identifier": name}, token=token)
            self.assertEqual((status, body["code"]), (403, "approval_pending"))
        browser.go(hub.address)
        browser.until("document.querySelector('h1')?.textContent === 'Log in'")
        browser.run(f"document.querySelector('input[type=password]').value = '{hub.token}'; document.querySelector('form').requestSubmit()")
        browser.until("document.body.innerText.includes('Boards that ask to register')")
        self.assertIn("garden <i>", browser.run("document.body.innerText"))
        self.fits()
        press = "[...document.querySelectorAll('tr')].find(row => row.innerText.includes('%s')).querySelectorAll('button')[%d].click()"
        browser.run(press % ("cellar", 1))
        browser.until("!document.body.innerText.includes('cellar')")
        browser.run(press % ("garden", 0))
        browser.until("document.body.innerText.includes('approved')")
        self.assertEqual([(board["device_identifier"], board["status"]) for board in hub.get("/waiting-boards")["boards"]], [("garden <i>", "approved")])
        self.assertEqual(hub.call("POST", "/device-auth/bootstrap", {"org_id": "default", "device_identifier": "garden <i>"}, token=token)[0], 201)
        browser.run("document.getElementById('leave').click()")
        browser.until("document.querySelector('h1')?.textContent === 'Log in'")

    def names(self):
        return self.browser.run("[...document.querySelectorAll('.boards tbody tr td:first-child')].map(cell => cell.textContent)")

    def scanned(self):
        """What a reader of QR codes finds on the screen."""
        screen = self.directory / "screen.png"
        self.browser.picture(screen)
        return subprocess.run(["zbarimg", "--quiet", "--raw", screen], check=True, capture_output=True, text=True).stdout.strip()

    def operate(self, kind):
        """Order, what stays over a redraw, a token for boards, who changed what."""
        browser = self.browser
        self.assertEqual(self.names(), sorted(self.names()))
        browser.run("location.hash = '#/?sort=battery'")
        browser.until("document.querySelector('[aria-sort]')?.textContent === 'battery'")
        self.assertEqual(self.names(), ["attic", "a-board-with-a-rather-long-name-of-its-own", "kitchen<b>", "left-wrist", "new"])
        browser.run("document.querySelector('details').open = true; window.kept = document.querySelector('.boards tbody a'); window.kept.focus()")
        browser.run("document.querySelector('details form').elements[0].value = 3; show()")
        browser.until("window.kept.isConnected && document.activeElement === window.kept && document.querySelector('details').open")
        browser.run("document.querySelector('details form').requestSubmit()")
        command = browser.until("document.querySelector('.command')?.textContent")
        self.assertRegex(command, r"^sudo gaitway register --hub http://127\.0\.0\.1:\d+ --token gwb_[0-9a-f]{64}$")
        browser.until("document.querySelector('.qr path')?.getBoundingClientRect().width > 100")
        self.assertEqual(self.scanned(), command)
        self.picture(f"add-{kind}")
        self.fits()
        status, _, _ = self.hub.call("POST", "/device-auth/bootstrap", {"org_id": "default", "device_identifier": f"added-{kind}"}, token=command.split()[-1])
        self.assertEqual(status, 201)
        browser.run("location.hash = '#/changes'")
        browser.until("document.body.innerText.includes('POST /api/v1/bootstrap-tokens')")
        self.fits()
        browser.run("location.hash = '#/'")
        browser.until("document.querySelectorAll('.boards tbody tr').length === 5")
        browser.run("URL.createObjectURL = blob => { window.saved = blob; return 'about:blank#'; }; HTMLAnchorElement.prototype.click = () => {}")
        browser.run("[...document.querySelectorAll('button')].find(button => button.textContent === 'Save as CSV').click()")
        browser.until("!!window.saved")
        saved = browser.run("window.saved.text()")
        browser.run("delete HTMLAnchorElement.prototype.click")
        self.assertEqual(len(saved.splitlines()), 6)
        self.assertIn('"kitchen<b>","kitchen<b>","","online"', saved)

    def log_in(self):
        browser = self.browser
        browser.go(self.hub.address)
        browser.until("document.querySelector('h1')?.textContent === 'Log in'")
        browser.run(f"document.querySelector('input[type=password]').value = '{self.hub.token}'; document.querySelector('form').requestSubmit()")
        browser.until("document.querySelectorAll('.boards tbody tr').length === 5")
        return browser

    def accessible(self):
        if rules := axe():
            self.assertEqual(self.browser.run(rules + "; axe.run().then(found => found.violations.map(one => one.id + ': ' + one.nodes[0].html))"), [])

    def test_a_board_has_a_name_tags_and_a_past(self):
        hour = int(time.time() / 3600)
        with sqlite3.connect(self.hub.data) as database:
            database.executemany("INSERT OR IGNORE INTO history VALUES (?, ?, ?, ?, ?)", [(self.devices[0], hour - step, 90 - step, 40 + step % 3, 50) for step in range(1, 30) if step != 12])
        browser = self.log_in()
        browser.size(390, 844)
        browser.run(f"location.hash = '#/device/{self.devices[0]}'")
        browser.until("document.querySelectorAll('.curve').length >= 3")
        self.assertIn("89 %", browser.run("document.querySelector('details table').textContent"))
        self.assertNotIn("[object", browser.run("document.body.textContent"))
        form = "[...document.querySelectorAll('form')].find(form => form.textContent.includes('tags'))"
        # What is being typed stays over a redraw.
        browser.run(f"{form}.elements[0].value = 'Küche <1>'; show()")
        browser.until(f"{form}.elements[0].value === 'Küche <1>'")
        browser.run(f"{form}.elements[1].value = 'ward-3, night'; {form}.requestSubmit()")
        browser.until("document.querySelector('h1').textContent === 'Küche <1>' && document.querySelectorAll('dd .tag').length === 2")
        self.fits()
        self.accessible()
        self.picture("phone-board-named")
        browser.run("document.querySelector('dd .tag').click()")
        browser.until("document.querySelectorAll('.boards tbody tr').length === 1 && document.querySelector('select[aria-label=Tag]').value === 'ward-3'")
        self.assertIn("Küche <1>", self.names()[0])
        browser.run(f"location.hash = '#/device/{self.devices[0]}'")
        browser.until(f"!!{form}")
        browser.run(f"{form}.elements[0].value = ''; {form}.elements[1].value = ''; {form}.requestSubmit()")
        browser.until("document.querySelector('h1').textContent === 'left-wrist'")
        browser.run(f"{form}.elements[1].value = 'x'.repeat(41); {form}.requestSubmit()")
        browser.until("document.getElementById('problem').textContent.includes('is no tag')")

    def test_a_model_is_added_and_rolled_out(self):
        private, model = key(self.directory), self.directory / "m3.safetensors"
        shutil.copy(MODEL, model)
        self.assertEqual(gaitway("model", "sign", model, "--key", private, "--model-version", 3).returncode, 0)
        browser = self.log_in()
        browser.run("location.hash = '#/models'")
        browser.until("document.querySelectorAll('section.card tbody tr').length === 1")
        files = [base64.b64encode(path.read_bytes()).decode() for path in (model, pathlib.Path(f"{model}.sig"))]
        browser.run("""window.put = (input, text) => { const all = new DataTransfer(); all.items.add(new File([Uint8Array.from(atob(text), c => c.charCodeAt(0))], 'model')); input.files = all.files; };
            window.adding = [...document.querySelectorAll('form')].find(form => form.textContent.includes('signature')); adding.closest('details').open = true""")
        browser.run(f"put(adding.elements[1], '{files[0]}'); put(adding.elements[2], '{files[1]}'); show()")
        browser.run("adding.requestSubmit()")
        browser.until("document.querySelectorAll('section.card tbody tr').length === 2")
        rows = browser.run("[...document.querySelectorAll('section.card tbody tr')].map(row => [...row.cells].slice(0, 3).map(cell => cell.textContent).join())")
        self.assertEqual(rows, ["3,published,signed", "2,published,signed"])
        self.fits()
        self.accessible()
        self.picture("wide-models")
        browser.run("window.start = [...document.querySelectorAll('form')].find(form => form.closest('tr')?.textContent.startsWith('3')); start.elements[1].value = 20; start.requestSubmit()")
        browser.until("document.body.innerText.includes('activity 3, roll-out 2')")
        self.assertEqual([(one["version"], one["rollout_percentage"] >= 20) for one in self.hub.get("/rollouts")["rollouts"]], [("3", True), ("2", True)])
        browser.run("document.querySelectorAll('section.card details')[1].open = true")
        browser.until("document.body.innerText.includes('does not know SITTING')")
        self.accessible()
        browser.size(390, 844)
        self.fits()
        self.picture("phone-rollouts-boards")

    def test_a_board_is_revoked_and_deleted(self):
        self.hub.run("groups", "create", "left")
        browser = self.log_in()
        browser.run(f"window.confirm = () => true; location.hash = '#/device/{self.devices[3]}'")
        browser.until("!!document.querySelector('input[type=checkbox]')")
        browser.run("document.querySelector('input[type=checkbox]').click()")
        browser.until("[...document.querySelectorAll('dd')].some(found => found.textContent === 'left')")
        press = "[...document.querySelectorAll('button')].find(button => button.textContent === '%s').click()"
        browser.run(press % "Revoke")
        browser.until("document.body.innerText.includes('Its tokens are worth nothing')")
        browser.run(press % "Delete")
        browser.until("document.querySelectorAll('.boards tbody tr').length === 4")
        self.assertNotIn("attic", [board["device_identifier"] for board in self.hub.get("/devices")["devices"]])

    def test_the_page(self):
        browser = self.browser
        for kind, size in (("wide", (1280, 800)), ("phone", (390, 844))):
            browser.size(*size)
            browser.go(self.hub.address)
            browser.until("document.querySelector('h1')?.textContent === 'Log in'")
            self.picture(f"{kind}-login")
            browser.run("document.querySelector('input[type=password]').value = 'gwp_wrong'; document.querySelector('form').requestSubmit()")
            browser.until("document.getElementById('problem').textContent.includes('not valid')")
            browser.run(f"document.querySelector('input[type=password]').value = '{self.hub.token}'; document.querySelector('form').requestSubmit()")
            browser.until("document.querySelectorAll('.boards tbody tr').length === 5")
            text = browser.run("document.body.innerText")
            for word in ("left-wrist", "kitchen<b>", "version 2", "version 1", "60 %", "43.5 °C", "2 files, 6.4 MB", "probation", "WALKING"):
                self.assertIn(word, text)
            self.assertEqual(browser.run("document.querySelectorAll('td b').length"), 0, "names are text")
            self.assertEqual(browser.run("[...document.querySelectorAll('.counts b')].map(b => b.textContent).join()"), "4,0,1")
            self.fits()
            for word in ("Needs attention", "3 of them", "never seen", "refused a model", "error (odd)"):
                self.assertIn(word, text)
            self.picture(f"{kind}-boards")
            self.accessible()
            self.operate(kind)

            browser.run(f"location.hash = '#/device/{self.devices[1]}'")
            browser.until("!!document.querySelector('.timeline rect')")
            text = browser.run("document.body.innerText")
            for word in ("Raspberry Pi Zero 2 W", "does not know SITTING", "refused", "49.97 Hz", "STANDING 16 min"):
                self.assertIn(word, text)
            self.assertEqual(browser.run("document.querySelectorAll('.timeline rect').length"), 15)
            self.fits()
            self.picture(f"{kind}-board")

            browser.run(f"location.hash = '#/device/{self.devices[3]}'")
            browser.until("document.body.innerText.includes('odd (yesterday)')")
            self.assertNotIn("NaN", browser.run("document.body.innerText"))

            browser.run("location.hash = '#/rollouts'")
            browser.until("document.body.innerText.includes('2 run it, 1 try it, 1 refused it, of 5 reached')")
            self.fits()
            self.picture(f"{kind}-rollouts")
            browser.run("[...document.querySelectorAll('button')].find(b => b.textContent === 'Pause').click()")
            browser.until("document.body.innerText.includes('paused')")
            self.assertEqual(self.hub.get("/rollouts")["rollouts"][0]["status"], "paused")
            browser.run("[...document.querySelectorAll('button')].find(b => b.textContent === 'Resume').click()")
            browser.until("[...document.querySelectorAll('button')].some(b => b.textContent === 'Pause')")
            browser.run("location.hash = '#/crowd'")
            browser.until("document.body.innerText.includes('Error by iteration')")
            text = browser.run("document.body.innerText")
            for word in ("Softmax of 6 weights", "0.800, where devices normalise", "% wrong", "SITTING, WALKING", "Laplace, scale 0.5"):
                self.assertIn(word, text)
            self.assertEqual(browser.run("document.querySelectorAll('.curve').length"), 1)
            self.fits()
            self.picture(f"{kind}-crowd")
            browser.run("location.hash = '#/?search=wrist'")
            browser.until("document.querySelectorAll('.boards tbody tr').length === 1")
            browser.run("location.hash = '#/'")
            browser.until("document.querySelectorAll('.boards tbody tr').length > 1")
            browser.run("[...document.querySelectorAll('.counts a')].find(a => a.textContent === 'offline').click()")
            browser.until("document.querySelectorAll('.boards tbody tr').length === 1 && document.body.innerText.includes('Those that are offline')")
            browser.run("[...document.querySelectorAll('.counts a')].find(a => a.textContent === 'offline').click()")
            browser.until("document.querySelectorAll('.boards tbody tr').length > 1")
            browser.run("location.hash = '#/'; document.getElementById('leave').click()")
            browser.until("document.querySelector('h1')?.textContent === 'Log in'")
            self.approvals()
        # The wrong token is all that was ever complained of.
        self.assertEqual([complaint for complaint in browser.complaints if "401" not in complaint], [])


if __name__ == "__main__":
    unittest.main()
