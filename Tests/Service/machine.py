"""A Debian machine in namespaces of its own, with systemd as its first process and Gaitway's units in their places."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

from support import GAITWAY, ROOT

MACHINES = pathlib.Path(os.environ.get("GAITWAY_MACHINES", "/var/cache/gaitway-machines"))
HUB = pathlib.Path(GAITWAY).with_name("gaitway-hub")
CGROUPS = next((pathlib.Path(line.split()[1]) for line in open("/proc/mounts") if line.split()[2] == "cgroup2"), None)


def missing():
    """Why no machine can be started here; nothing where one can."""
    if os.geteuid() != 0:
        return "not root"
    programs = [program for program in ("mmdebstrap", "unshare", "nsenter") if not shutil.which(program)]
    if programs:
        return f"not installed: {', '.join(programs)}"
    if CGROUPS is None or subprocess.run(["unshare", "--mount", "--pid", "--fork", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True).returncode != 0:
        return "no namespaces, or no second version of control groups"
    return None


def debian():
    """A root of Debian 12 with systemd."""
    root = MACHINES / "bookworm"
    if not root.is_dir():
        MACHINES.mkdir(parents=True, exist_ok=True)
        made = pathlib.Path(tempfile.mkdtemp(dir=MACHINES))
        built = subprocess.run(["mmdebstrap", "--quiet", "--variant=minbase", "--include=systemd,libcurl4,libstdc++6,libiio0,libsqlite3-0",
                                "bookworm", made / "root"], capture_output=True, text=True)
        if built.returncode != 0:
            shutil.rmtree(made)
            raise unittest.SkipTest(f"no Debian root: {built.stderr[-200:]}")
        (made / "root").rename(root)
        made.rmdir()
    return root


class Machine:
    def __init__(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="gaitway-machine-", dir="/var/tmp"))
        self.root = self.directory / "root"
        subprocess.run(["cp", "-a", debian(), self.root], check=True)
        self.install()
        # Control groups of its own, so that none stays behind.
        self.group = CGROUPS / self.directory.name
        self.group.mkdir()
        self.console = open(self.directory / "console", "w+")
        self.process = subprocess.Popen(
            ["unshare", "--pid", "--mount", "--cgroup", "--ipc", "--uts", "--net", "--fork", "--kill-child", pathlib.Path(__file__).with_name("boot"), self.root],
            stdin=subprocess.DEVNULL, stdout=self.console, stderr=subprocess.STDOUT,
            preexec_fn=lambda: (self.group / "cgroup.procs").write_text(str(os.getpid())))
        deadline = time.monotonic() + 60
        while self.run("systemctl", "is-system-running").stdout.strip() not in ("running", "degraded"):
            if time.monotonic() > deadline or self.process.poll() is not None:
                printed = (self.directory / "console").read_text()
                self.close()
                raise RuntimeError(f"the machine does not start: {printed}")
            time.sleep(0.2)

    def install(self):
        libraries = next(self.root.glob("usr/lib/*-linux-gnu*"))
        for program in (pathlib.Path(GAITWAY), HUB):
            shutil.copy(program, self.root / "usr/bin" / program.name)
            for line in subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout.splitlines():
                # Swift's; Debian's own are there.
                library = line.split()[2] if "=> /" in line else ""
                if library and not (libraries / pathlib.Path(library).name).exists():
                    shutil.copy(library, libraries)
        subprocess.run([ROOT / "board/service/place", "", self.root], check=True, capture_output=True)
        for source, name in (("gaitway.toml", "etc/gaitway/gaitway.toml"), ("gaitway-hub.service", "usr/lib/systemd/system/gaitway-hub.service"),
                             ("gaitway-hub.sysusers", "usr/lib/sysusers.d/gaitway-hub.conf"), ("gaitway-hub.default", "etc/default/gaitway-hub")):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / "board/service" / source, self.root / name)

    @property
    def first(self):
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return children[0] if children else None

    def run(self, *command, check=False):
        """A command in the machine; the result has returncode, stdout and stderr as text."""
        if not self.first:
            return subprocess.CompletedProcess(command, 1, "", "no first process yet")
        # A script that is replaced by a program between its start and the shell's reading makes the shell print the program's bytes.
        result = subprocess.run(
            ["nsenter", "--target", self.first, "--all", "--root", "--wd", "env", "-i", "PATH=/usr/sbin:/usr/bin", *map(str, command)],
            capture_output=True, text=True, errors="replace", timeout=90)
        assert result.returncode == 0 or not check, f"{command}: {result.returncode}: {result.stderr}"
        return result

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def read(self, path):
        return (self.root / path).read_text()

    def exists(self, path):
        return (self.root / path).exists()

    def show(self, unit, name):
        return self.run("systemctl", "show", "--value", "--property", name, unit).stdout.strip()

    def close(self):
        self.process.kill()
        self.process.wait()
        self.console.close()
        # Its processes have ended with their first one; the kernel takes a moment.
        for _ in range(100):
            try:
                for directory, _, _ in os.walk(self.group, topdown=False):
                    os.rmdir(directory)
                break
            except OSError:
                time.sleep(0.1)
        shutil.rmtree(self.directory)
