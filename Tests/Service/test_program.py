"""Boards whose hub rolls out new versions of gaitway itself: Debian's packages, under a systemd that runs."""
import pathlib
import shutil
import subprocess
import unittest

from machine import Machine, missing
from releases import Releases
from support import GAITWAY, ROOT, TestCase

PORT = 8090


@unittest.skipIf(missing(), f"no machine with systemd: {missing()}")
class Programs(Releases, TestCase):
    server = f"http://127.0.0.1:{PORT}"

    def setUp(self):
        super().setUp()
        self.machine = Machine()
        self.addCleanup(self.machine.close)
        self.data = self.machine.root / "var/lib/gaitway-hub/hub.sqlite"
        self.packages = self.directory / "packages"
        self.packages.mkdir()
        self.prepare()
        self.serve()
        self.assertEqual(self.machine.run("dpkg", "--install", "/srv/" + self.package("0.1.0").name).returncode, 0)
        self.machine.run("systemctl", "daemon-reload", check=True)
        self.join()

    def package(self, version, **wrapped):
        """The package of a version: its program is this build's."""
        tree = self.directory / f"tree-{version}"
        subprocess.run([ROOT / "board/service/place", "", tree], check=True, capture_output=True)
        (tree / "usr/bin").mkdir(parents=True)
        shutil.copy(GAITWAY, tree / "usr/bin/gaitway")
        self.wrapped(tree / "usr/bin/gaitway", **wrapped)
        for file in (self.model, self.model.with_name(self.model.name + ".sig")):
            shutil.copy(file, tree / "usr/share/gaitway" / file.name)
        (tree / "etc/gaitway").mkdir(parents=True)
        shutil.copy(ROOT / "board/service/gaitway.toml", tree / "etc/gaitway/gaitway.toml")
        (tree / "DEBIAN").mkdir()
        (tree / "DEBIAN/conffiles").write_text("/etc/gaitway/gaitway.toml\n")
        for script in ("postinst", "prerm", "postrm"):
            shutil.copy(ROOT / "board/debian" / script, tree / "DEBIAN" / script)
        return self.built(tree, "gaitway", version, "control", "adduser")

    def page(self, version):
        """The package of the page; its program is this build's."""
        tree = self.directory / f"page-{version}"
        for folder in ("DEBIAN", "usr/bin", "usr/lib/systemd/system"):
            (tree / folder).mkdir(parents=True)
        shutil.copy(pathlib.Path(GAITWAY).with_name("gaitway-dashboard"), tree / "usr/bin")
        shutil.copy(ROOT / "board/service/gaitway-dashboard.service", tree / "usr/lib/systemd/system")
        for script in ("postinst", "prerm"):
            shutil.copy(ROOT / f"board/debian/{script}.dashboard", tree / "DEBIAN" / script)
        return self.built(tree, "gaitway-dashboard", version, "control.dashboard", f"gaitway (= {version}+deb12)")

    def built(self, tree, package, version, control, depends):
        text = (ROOT / "board/debian" / control).read_text()
        for name, value in {"VERSION": f"{version}+deb12", "ARCH": "amd64", "MAINTAINER": "test <test@localhost>", "SIZE": "30000", "DEPENDS": depends}.items():
            text = text.replace(f"@{name}@", value)
        (tree / "DEBIAN/control").write_text(text)
        made = self.packages / f"{package}_{version}+deb12_amd64.deb"
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "--build", tree, made], check=True, capture_output=True)
        shutil.rmtree(tree)
        shutil.copy(made, self.machine.root / "srv" / made.name)
        return made

    def test_a_page_that_was_installed_later_comes_along(self):
        page = self.page("0.1.0")
        self.assertEqual(self.machine.run("dpkg", "--install", "/srv/" + page.name).returncode, 0)
        program = self.package
        self.package = lambda version: (self.page(version), program(version))
        self.roll_out("0.2.0")
        self.await_state(lambda state: state.get("current") == "0.2.0")
        self.assertRuns("0.2.0")
        self.assertEqual(self.installed("gaitway-dashboard"), "install ok installed 0.2.0+deb12")
        # Without the page's package a release is not for this board: nothing is taken apart.
        self.package = program
        self.roll_out("0.3.0")
        self.until(lambda: "version 0.3.0 has no package gaitway-dashboard" in self.log(), self.patience)
        self.assertRuns("0.2.0")
        self.assertEqual(self.installed("gaitway-dashboard"), "install ok installed 0.2.0+deb12")

    def serve(self):
        """A server of packages in the machine's network."""
        server = subprocess.Popen(["nsenter", "--target", self.machine.first, "--net", "python3", "-m", "http.server", str(PORT), "--bind", "127.0.0.1",
                                   "--directory", self.packages], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)

    def hub(self, *arguments):
        command = ["runuser", "-u", "gaitway-hub", "--", "gaitway-hub", *arguments, "--data", "/var/lib/gaitway-hub/hub.sqlite"]
        return self.machine.run(*command, check=True).stdout

    def at_hub(self, file):
        for one in (file, file.with_name(file.name + ".sig")):
            shutil.copy(one, self.machine.root / "srv" / one.name)
        return f"/srv/{file.name}"

    def join(self):
        self.machine.run("systemd-sysusers", check=True)
        self.machine.run("systemctl", "start", "gaitway-hub", check=True)
        self.until(lambda: "127.0.0.1:8710" in self.machine.run("journalctl", "--unit", "gaitway-hub", "--output=cat").stdout)
        token = self.hub("tokens", "create", "--bootstrap").split()[-1]
        self.machine.run("gaitway", "register", "--hub", "http://127.0.0.1:8710", "--token", token, "--name", "board-1", check=True)
        self.machine.run("systemctl", "restart", "gaitway", check=True)
        self.until(self.decides)


if __name__ == "__main__":
    unittest.main()
