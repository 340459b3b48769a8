"""The board's page in Chromium: at four widths, light and dark, by keyboard, with axe's judgement, and over a service that is killed.

Screenshots go to $GAITWAY_SCREENSHOTS, where that is set.
"""
import importlib.util
import os
import pathlib
import re
import signal
import subprocess
import threading
import unittest

from browser import CHROMIUM, Browser
from support import GAITWAY, TestCase
from test_dashboard import DASHBOARD


def axe():
    package = importlib.util.find_spec("axe_playwright_python")
    return (pathlib.Path(package.submodule_search_locations[0]) / "axe.min.js").read_text() if package else None


@unittest.skipUnless(CHROMIUM, "not installed: chromium")
class DashboardPage(TestCase):
    def setUp(self):
        super().setUp()
        self.environment = {
            **os.environ, "STATE_DIRECTORY": str(self.directory / "state"), "HOME": str(self.directory), "GAITWAY_RECORDINGS": str(self.directory / "recordings"),
            "GAITWAY_HISTORY_DIRECTORY": str(self.directory / "history"), "GAITWAY_SOURCE": "simulated:walk=900"}
        past = subprocess.run(
            [GAITWAY, "run", "--source", "simulated:walk=300,sit=900,stand=300,upstairs=30,walk=60,fall=45,walk=120", "--speed", "max"],
            capture_output=True, env=self.environment, timeout=120)
        self.assertEqual(past.returncode, 0, past.stderr)
        self.board = self.start()
        page = subprocess.Popen([DASHBOARD, "--port", "0"], stderr=subprocess.PIPE, text=True, env=self.environment)
        self.addCleanup(lambda: (page.kill(), page.communicate()))
        self.address = re.search(r"http://\S+:\d+", page.stderr.readline()).group(0)
        threading.Thread(target=lambda pipe: [None for _ in pipe], args=(page.stderr,), daemon=True).start()
        self.token = (self.directory / "state/dashboard.token").read_text().strip()
        self.browser = Browser()
        self.addCleanup(self.browser.close)

    def start(self):
        process = subprocess.Popen([GAITWAY, "run"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.environment)
        self.addCleanup(lambda: (process.kill(), process.wait()))
        return process

    def text(self, id):
        return f"document.getElementById('{id}')?.textContent"

    def press(self, key, code, text=""):
        for kind in ("keyDown", "keyUp"):
            self.browser.call("Input.dispatchKeyEvent", type=kind, key=key, code=code, windowsVirtualKeyCode={"Tab": 9, "Enter": 13}[key], text=text if kind == "keyDown" else "")

    def tab_to(self, selector):
        for _ in range(80):
            self.press("Tab", "Tab")
            if self.browser.run(f"document.activeElement.matches('{selector}')"):
                return
        self.fail(f"the keyboard does not reach {selector}")

    def look(self, width, scheme):
        browser = self.browser
        browser.size(width, 900)
        browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        browser.go("about:blank")
        browser.go(f"{self.address}/#token={self.token}")
        browser.until(f"{self.text('activity')} && {self.text('connection')} === 'live' && !!document.querySelector('#day svg')", 30)
        self.assertNotIn(self.token, browser.run("location.href"))
        self.assertLessEqual(browser.run("document.documentElement.scrollWidth"), width)
        if place := os.environ.get("GAITWAY_SCREENSHOTS"):
            browser.picture(pathlib.Path(place) / f"board-{width}-{scheme}.png")
        if rules := axe():
            found = browser.run(rules + "; axe.run().then(found => found.violations.map(one => one.id + ': ' + one.nodes[0].html))")
            self.assertEqual(found, [], f"{width} {scheme}")

    def test_the_page(self):
        browser = self.browser
        browser.size(390, 844)
        browser.go(self.address)
        browser.until("document.getElementById('enter')?.hidden === false && document.getElementById('main').hidden")
        self.assertNotIn("WALKING", browser.run("document.body.innerText"))
        for width in (320, 390, 1280, 1920):
            for scheme in ("light", "dark"):
                self.look(width, scheme)
        text = browser.run("document.body.innerText")
        for word in ("SITTING", "Walks of a minute or more", "a simulated wearer", "version 1", "Nothing is counted to have left this board"):
            self.assertIn(word, text)
        if not axe():
            print("\n  not run: axe's rules (axe-playwright-python is not installed)")
        # By keyboard alone.
        self.tab_to('[data-label="WALKING"]')
        self.press("Enter", "Enter", "\r")
        browser.until(f"{self.text('label-state')}.startsWith('WALKING until')")
        self.tab_to("#record-label")
        browser.call("Input.insertText", text="HOP")
        self.tab_to("#record-seconds")
        browser.run("document.activeElement.select()")
        browser.call("Input.insertText", text="2")
        self.press("Enter", "Enter", "\r")
        browser.until(f"{self.text('work')}.includes('of HOP are kept')", 30)
        self.assertEqual(browser.run("document.activeElement.id"), "record-seconds", "the focus stays")
        # What moves, without blocking who looks.
        frames = browser.run("new Promise(done => { let n = 0; const began = performance.now(); (function next() { n++; performance.now() - began < 1000 ? requestAnimationFrame(next) : done(n); })(); })")
        self.assertGreater(frames, 20)
        browser.run("document.getElementById('trace-details').open = true")
        browser.until("document.querySelector('#trace-table td.number').textContent.endsWith(' g')")
        self.assertEqual(browser.complaints, [])
        # A service that is killed, and comes back.
        self.board.send_signal(signal.SIGKILL)
        browser.until(f"{self.text('connection')} !== 'live'")
        self.start()
        browser.until(f"{self.text('connection')} === 'live'", 60)


if __name__ == "__main__":
    unittest.main()
