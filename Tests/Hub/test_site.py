"""The manual as a site: every link leads somewhere, every page says the version, and Chromium shows it at four widths, light and dark.

Screenshots go to $GAITWAY_SCREENSHOTS, where that is set.
"""
import functools
import http.server
import os
import pathlib
import re
import shutil
import subprocess
import threading
import unittest

from browser import CHROMIUM, Browser
from support import GAITWAY, ROOT, TestCase
from test_dashboard_page import axe

# The reference needs the library's modules, which the tests' own build has.
SCRATCH = pathlib.Path(GAITWAY).parents[1]
HAS_REFERENCE = (pathlib.Path(GAITWAY).parent / "Modules/Gaitway.swiftmodule").is_file() and bool(shutil.which("docc"))


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Site(TestCase):
    def make(self, *arguments, code=0):
        environment = {**os.environ, "GAITWAY_SCRATCH": str(SCRATCH)}
        result = subprocess.run([ROOT / "board/site", *map(str, arguments)], capture_output=True, text=True, timeout=300, env=environment)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result.stdout + result.stderr

    def setUp(self):
        super().setUp()
        self.out = self.directory / "html"
        said = self.make(*([] if HAS_REFERENCE else ["--no-reference"]), self.out)
        self.assertEqual("with the reference of Gaitway" in said, HAS_REFERENCE, said)
        if not HAS_REFERENCE:
            print("\n  not run: the site's reference (no docc, or no modules of the library)")

    def pages(self):
        return [path for path in self.out.rglob("*.html") if "reference" not in path.parts]

    def test_every_link_leads_somewhere(self):
        version = re.search(r'"([\d.]+)"', (ROOT / "Sources/Base/Support/Machine/Version.swift").read_text()).group(1)
        guide = {path.stem for path in (ROOT / "board/guide").glob("*.md")}
        self.assertEqual({path.stem for path in (self.out / "guide").glob("*.html")}, guide)
        texts = {path: path.read_text() for path in self.pages()}
        count = 0
        for path, text in texts.items():
            self.assertIn(f"Gaitway {version}", text)
            self.assertNotIn(str(ROOT), text)
            for address in re.findall(r'(?:href|src)="([^"]*)"', text):
                if re.match("[a-z]+:", address):
                    continue
                count += 1
                name, _, anchor = address.partition("#")
                target = (path.parent / name).resolve() if name else path
                target = target / "index.html" if target.is_dir() else target
                self.assertTrue(target.is_file(), f"{path.name}: {address}")
                if anchor and target in texts:
                    self.assertIn(f'id="{anchor}"', texts[target], f"{path.name}: {address}")
        self.assertGreater(count, 500)

    def test_another_directory_is_left_alone(self):
        place = self.directory / "precious"
        place.mkdir()
        (place / "thesis.txt").write_text("years")
        self.assertIn("is no site", self.make("--no-reference", place, code=73))
        self.assertEqual((place / "thesis.txt").read_text(), "years")
        self.assertIn("usage", self.make("--everything", code=64))
        self.make("--no-reference", self.out)

    @unittest.skipUnless(CHROMIUM, "not installed: chromium")
    def test_in_a_browser(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=self.out))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        address, browser = f"http://127.0.0.1:{server.server_port}", Browser()
        self.addCleanup(browser.close)
        for page in ("index.html", "guide/models.html", "guide/home.html"):
            for width in (320, 390, 1280, 1920):
                for scheme in ("light", "dark"):
                    browser.size(width, 900)
                    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
                    browser.go(f"{address}/{page}")
                    browser.until(f"location.pathname === '/{page}' && document.readyState === 'complete' && typeof searchIndex !== 'undefined'")
                    self.assertLessEqual(browser.run("document.documentElement.scrollWidth"), width, page)
                    if place := os.environ.get("GAITWAY_SCREENSHOTS"):
                        browser.picture(pathlib.Path(place) / f"site-{pathlib.Path(page).stem}-{width}-{scheme}.png")
                    if rules := axe():
                        found = browser.run(rules + "; axe.run().then(found => found.violations.map(one => one.id + ': ' + one.nodes[0].html))")
                        self.assertEqual(found, [], f"{page} {width} {scheme}")
        # What somebody looks for, from another page.
        browser.go(f"{address}/index.html")
        browser.until("location.pathname === '/index.html' && document.readyState === 'complete' && typeof searchIndex !== 'undefined'")
        browser.run("document.getElementById('search').focus()")
        browser.call("Input.insertText", text="cancel-alarm")
        browser.until("document.querySelectorAll('#results li').length > 1 && document.querySelector('article').hidden")
        browser.run("document.querySelector('#results a').click()")
        browser.until("location.pathname.startsWith('/guide/') && document.readyState === 'complete' && document.querySelector('#results').hidden")
        self.assertIn("cancel-alarm", browser.run("document.querySelector('article').innerText"))
        browser.run("document.getElementById('search').focus()")
        browser.call("Input.insertText", text="zeppelin")
        browser.until("document.querySelector('#results h1')?.textContent === '0 parts have that'")
        self.assertEqual(browser.complaints, [])
        if HAS_REFERENCE:
            browser.go(f"{address}/reference/documentation/gaitway/")
            browser.until("!!document.body?.innerText?.includes('Activities')", 20)


if __name__ == "__main__":
    unittest.main()
