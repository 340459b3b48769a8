"""An arm64 board in qemu: Debian 12 under its own kernel and systemd, a real sensor driver, and packages that come over a network."""
import base64
import contextlib
import functools
import hashlib
import http.server
import itertools
import os
import pathlib
import shlex
import shutil
import socket
import subprocess
import tempfile
import threading

HERE = pathlib.Path(__file__).parent / "board"
IMAGES = pathlib.Path(os.environ.get("GAITWAY_MACHINES", "/var/cache/gaitway-machines")) / "board"
# This machine, as the board sees it.
HOST = "10.0.2.2"


def missing():
    """Why no board can be started here; nothing where one can."""
    if os.geteuid() != 0:
        return "not root"
    needed = ["mmdebstrap", "qemu-system-aarch64", "dpkg-deb", "dpkg-scanpackages", "modprobe", "depmod", "mke2fs", "cpio", "xz", "aarch64-linux-gnu-gcc"]
    if os.uname().machine != "aarch64":
        needed.append("qemu-aarch64-static")
    programs = [program for program in needed if not shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin")]
    return f"not installed: {', '.join(programs)}" if programs else None


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Board:
    """Starts at once; `close` switches it off. Nothing that it writes stays."""

    def __init__(self):
        subprocess.run([HERE / "image", IMAGES], check=True)
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="gaitway-board-", dir="/var/tmp"))
        self.ending = contextlib.ExitStack()
        self.ending.callback(shutil.rmtree, self.directory)
        try:
            self.serve()
            self.start()
        except BaseException:
            self.close()
            raise

    def serve(self):
        """A server of packages on this machine."""
        self.packages = self.directory / "packages"
        self.packages.mkdir()
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(self.packages)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.ending.callback(server.server_close)
        self.ending.callback(server.shutdown)
        self.address = f"http://{HOST}:{server.server_port}"

    def start(self):
        self.numbers, agent, console = itertools.count(1), self.directory / "agent", self.directory / "console"
        with socket.socket(socket.AF_UNIX) as listener, open(console, "w") as printed:
            listener.bind(str(agent))
            listener.listen()
            listener.settimeout(30)
            process = subprocess.Popen(
                ["qemu-system-aarch64", "-M", "virt,gic-version=3", "-cpu", "cortex-a53", "-smp", "2", "-m", "1024", "-nographic", "-no-reboot", "-snapshot",
                 "-kernel", IMAGES / "kernel", "-initrd", IMAGES / "initramfs", "-append", "console=ttyAMA0 quiet panic=-1",
                 "-drive", f"file={IMAGES / 'root.ext4'},format=raw,if=virtio", "-netdev", "user,id=network", "-device", "virtio-net-device,netdev=network",
                 "-device", "virtio-serial-device", "-chardev", f"socket,id=agent,path={agent}", "-device", "virtserialport,chardev=agent,name=agent"],
                stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.STDOUT)
            self.ending.callback(process.wait)
            self.ending.callback(process.kill)
            try:
                self.connection, _ = listener.accept()
                self.ending.callback(self.connection.close)
                self.connection.settimeout(180)
                self.lines = self.connection.makefile("rb")
                assert self.lines.readline().strip() == b"ready"
            except (OSError, AssertionError):
                raise RuntimeError(f"the board does not start: {console.read_text(errors='replace')[-2000:]}") from None

    def run(self, *command, check=False, seconds=180):
        """A command on the board, as text for bash where it is one word; the result has returncode, stdout and stderr as text."""
        command = command[0] if len(command) == 1 else shlex.join(map(str, command))
        number = next(self.numbers)
        self.connection.settimeout(seconds)
        try:
            self.connection.sendall(f"{number} {base64.b64encode(command.encode()).decode()}\n".encode())
            answer = self.lines.readline().split()
        except OSError as error:
            raise RuntimeError(f"the board does not answer {command}: {error}") from None
        assert len(answer) == 4 and int(answer[0]) == number, f"no answer to {command}: {answer[:2]}"
        code, output, errors = answer[1], *(base64.b64decode(part[1:]).decode(errors="replace") for part in answer[2:])
        assert int(code) == 0 or not check, f"{command}: {int(code)}: {errors[-1000:]}"
        return subprocess.CompletedProcess(command, int(code), output, errors)

    def write(self, path, text):
        encoded = base64.b64encode(text.encode()).decode()
        self.run(f"mkdir -p $(dirname /{path}) && base64 -d <<< {encoded} > /{path}", check=True)

    def read(self, path):
        return self.run("cat", f"/{path}", check=True).stdout

    def exists(self, path):
        return self.run("test", "-e", f"/{path}").returncode == 0

    def offer(self, *packages):
        """Makes these the packages that apt finds, and those alone."""
        for old in set(self.packages.iterdir()) - set(packages):
            old.unlink()
        for package in packages:
            if package.parent != self.packages:
                shutil.copy(package, self.packages)
        index = subprocess.run(["dpkg-scanpackages", "--multiversion", "."], cwd=self.packages, capture_output=True, text=True, check=True).stdout
        (self.packages / "Packages").write_text(index)
        sum = hashlib.sha256(index.encode()).hexdigest()
        (self.packages / "Release").write_text(f"Origin: Gaitway\nSHA256:\n {sum} {len(index.encode())} Packages\n")
        self.write("etc/apt/sources.list.d/test.list", f"deb [trusted=yes] {self.address} ./\n")
        self.run("apt-get -qq -o APT::Update::Error-Mode=any update", check=True)

    def close(self):
        self.ending.close()


def versioned(package, version, into, edit=lambda tree: None):
    """A package of another version, and of other contents where `edit` changes its unpacked tree."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as directory:
        tree = pathlib.Path(directory) / "tree"
        subprocess.run(["dpkg-deb", "--raw-extract", package, tree], check=True)
        control = tree / "DEBIAN/control"
        lines = control.read_text().splitlines()
        control.write_text("\n".join(f"Version: {version}+deb12" if line.startswith("Version:") else line for line in lines) + "\n")
        edit(tree)
        made = pathlib.Path(into) / f"gaitway_{version}+deb12_arm64.deb"
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "--build", tree, made], check=True, capture_output=True)
    return made
