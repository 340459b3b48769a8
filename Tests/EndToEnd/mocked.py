"""Mocked IIO accelerometers (umockdev): descriptions of devices, and a test case that runs gaitway beside them."""
import fractions
import math
import os
import pathlib
import random
import struct
import subprocess
import tempfile

from support import GAITWAY, TestCase, gaitway, lines, needs

DEVICE = """P: /devices/platform/soc/i2c-1/1-0018/iio:device{number}
N: iio:device{number}
E: DEVNAME=/dev/iio:device{number}
E: DEVTYPE=iio_device
E: SUBSYSTEM=iio
A: name={name}\\n
A: in_accel_x_raw={raw[0]}\\n
A: in_accel_y_raw={raw[1]}\\n
A: in_accel_z_raw={raw[2]}\\n
"""
BUFFER = """A: current_timestamp_clock=realtime\\n
A: sampling_frequency=50\\n
A: buffer/enable=0\\n
A: buffer/length=2\\n
A: buffer/watermark=1\\n
A: buffer/data_available=0\\n
A: trigger/current_trigger=t50\\n
"""
TRIGGER = """P: /devices/iio_hrtimer_trigger/trigger0
E: DEVTYPE=iio_trigger
E: SUBSYSTEM=iio
A: name=t50\\n
A: sampling_frequency=50.000000\\n
"""


def description(name, attributes, types=None, number=0, raw=(0, 0, 0), channels=None):
    """A device with `attributes`; with `types` (x, y, z) or `channels` (name, index, type) also a buffer whose trigger runs at 50 Hz."""
    text = DEVICE.format(number=number, name=name, raw=raw) + "".join(f"A: {key}={value}\\n\n" for key, value in attributes.items())
    if types:
        channels = [(f"accel_{axis}", index, kind) for index, (axis, kind) in enumerate(zip("xyz", types))] + [("timestamp", 3, "le:s64/64>>0")]
    if channels:
        text += BUFFER
        for channel, index, kind in channels:
            text += f"A: scan_elements/in_{channel}_en=0\\n\nA: scan_elements/in_{channel}_index={index}\\n\nA: scan_elements/in_{channel}_type={kind}\\n\n"
    return text + "\n"


# feed.py DEVICE RATE CLOCK: scans of a chip that lies still, in real time, each up to 14 ms late.
FEEDER = """
import random, struct, sys, time
path, rate, clock = sys.argv[1], float(sys.argv[2]), sys.argv[3]
generator, begin = random.Random(1), time.monotonic()
with open(path, "r+b", buffering=0) as file:
    for i in range(10**6):
        time.sleep(max(0, begin + i / rate + generator.uniform(0, 0.014) - time.monotonic()))
        stamp = {"none": 0, "constant": 7, "kernel": int(1e9 * (begin + i / rate))}[clock]
        file.write(struct.pack("<hhhhq", generator.randint(-3, 3), generator.randint(-3, 3), 1023, 0, stamp))
"""


def movement(count, limit):
    """Counts of a made-up gait that uses the sensor's range."""
    generator = random.Random(4)
    return [[int(limit * (0.5 * (axis == 0) + 0.2 * math.sin(i / (4 + axis))) + generator.gauss(0, limit / 50)) for axis in range(3)] for i in range(count)]


def q12(count, scale, offset):
    """Q3.12 g of a count, exactly."""
    exact = (count + fractions.Fraction(offset)) * fractions.Fraction(scale) / fractions.Fraction("9.80665") * 4096
    return max(-32768, min(32767, math.floor(exact + fractions.Fraction(1, 2))))


@needs("umockdev-run")
class Mocked(TestCase):
    def mocked(self, descriptions, scans, *arguments):
        """Runs gaitway beside mocked devices; /dev/iio:device0 gives `scans`, and is silent after them; None: it is no device."""
        (self.directory / "devices").write_text("".join(descriptions) + TRIGGER)
        if scans is not None:
            (self.directory / "scans").write_bytes(b"".join(scans))
        script = """D=$UMOCKDEV_DIR/dev/iio:device0
            if [ -e "$1/scans" ]; then
                env -u LD_PRELOAD sh -c "rm -f $D; mkfifo -m 666 $D"
                # Opened for reading too, so that neither side waits for the other; held open until gaitway ends.
                env -u LD_PRELOAD sh -c "exec 3<>$D; cat $1/scans >&3; exec sleep 30" > /dev/null 2>&1 & F=$!
            fi
            D=$1; shift; "$@"; rc=$?; [ -z "$F" ] || env -u LD_PRELOAD kill $F; exit $rc"""
        return subprocess.run(
            ["umockdev-run", "--device", self.directory / "devices", "--", "sh", "-c", script, "sh", str(self.directory), GAITWAY, *arguments],
            capture_output=True, text=True, timeout=25, env={**os.environ, "LC_ALL": "C"})

    def fed(self, rate, seconds, clock, *arguments):
        """Runs gaitway beside a device that announces 50 Hz and gives `rate`, its scans one by one as time goes; `clock` gives their
        times of (index, ns). Ends it with SIGTERM after `seconds`."""
        directory = pathlib.Path(tempfile.mkdtemp(dir=self.directory))
        (directory / "devices").write_text(description("lis3dh", {"in_accel_scale": "0.009582"}, ["le:s16/16>>0"] * 3) + TRIGGER)
        (directory / "feed.py").write_text(FEEDER)
        script = """D=$UMOCKDEV_DIR/dev/iio:device0
            env -u LD_PRELOAD sh -c "rm -f $D; mkfifo -m 666 $D"
            env -u LD_PRELOAD python3 "$1/feed.py" $D "$2" "$3" & F=$!
            S=$4; shift 4; timeout --preserve-status -s TERM $S "$@"; rc=$?; env -u LD_PRELOAD kill $F; exit $rc"""
        return subprocess.run(
            ["umockdev-run", "--device", directory / "devices", "--", "sh", "-c", script, "sh", str(directory), str(rate), clock, str(seconds), GAITWAY,
             *arguments],
            capture_output=True, text=True, timeout=seconds + 30, env={**os.environ, "LC_ALL": "C", "STATE_DIRECTORY": str(directory)})

    def same_as_file(self, found, counts, scale, offset="0", mount=lambda v: v, model=None):
        rows = ["time,x,y,z"]
        for i, xyz in enumerate(counts):
            rows.append(f"{i / 50:.2f}," + ",".join(f"{v / 4096:.12f}" for v in mount([q12(v, scale, offset) for v in xyz])))
        (self.directory / "same.csv").write_text("\n".join(rows) + "\n")
        expected = lines(gaitway("run", "--source", f"recording:{self.directory / 'same.csv'}", "--speed", "max", "--json", *(["--model", model] if model else [])))
        self.assertGreater(len(found), 0)
        self.assertEqual(found, expected[: len(found)])

    def buffered(self, name, kind, pack, scale, offset=None, extra=None, limit=1000, mount=lambda v: v):
        counts = movement(640, limit)
        if "u" in kind:
            counts = [[v - int(float(offset)) for v in xyz] for xyz in counts]
        attributes = {"in_accel_scale": scale, **({"in_accel_offset": offset} if offset else {}), **(extra or {})}
        scans = [pack(xyz) for xyz in counts]
        scans = [scan + bytes(-len(scan) % 8) + struct.pack("<q", 10**18 + i * 20_000_000) for i, scan in enumerate(scans)]
        result = self.mocked([description(name, attributes, [kind] * 3)], scans, "run", "--source", f"iio:{name}", "--duration", "11.52", "--json")
        self.assertIn("through its buffer, trigger t50", result.stderr)
        found = lines(result)
        self.assertEqual(len(found), 8)
        self.same_as_file(found, counts, scale, offset or "0", mount)
