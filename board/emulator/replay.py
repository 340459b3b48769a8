"""Writes what the emulated sensors play into a directory: counts of the chips, one row "x,y,z" for every 20 ms.

The movement is a recording of $GAITWAY_DATA where there is one, else made up (and it says so).
"""
import csv
import math
import os
import pathlib
import random
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = pathlib.Path(os.environ.get("GAITWAY_DATA", ROOT.parent / "shared/data"))
SAMPLES = 31_000  # ten minutes and a little
COUNTS_PER_G = 720  # of the recordings


def recorded():
    """Rows in g of the first recordings, until there are enough."""
    rows = []
    for path in sorted((DATA / "hapt").glob("*.i16")):
        data = path.read_bytes()
        values = struct.unpack(f"<{len(data) // 2}h", data)
        rows += [[v / COUNTS_PER_G for v in values[i : i + 3]] for i in range(0, len(values) - 2, 3)]
        if len(rows) >= SAMPLES:
            return rows[:SAMPLES]
    return None


def made_up():
    """Standing, walking and lying in turns."""
    noise = random.Random(5)
    rows = []
    for i in range(SAMPLES):
        minute, phase = i // 1500 % 3, 2 * math.pi * 1.8 * i / 50
        swing = 0.25 if minute == 1 else 0
        gravity = [0.05, 0.1, 0.99] if minute == 2 else [1.0, 0.05, -0.05]
        rows.append([g + swing * math.sin(phase * (1 + axis % 2) + axis) + noise.gauss(0, 0.01) for axis, g in enumerate(gravity)])
    return rows


def falling():
    """Half a minute of walking, a fall, two minutes on the floor: a recorded one where there is one."""
    index = DATA / "sisfall/index.csv"
    if index.exists():
        trials = {(row["activity"], row["person"], row["trial"]): row for row in csv.DictReader(index.open())}

        def trial(*name):
            row = trials[name]
            values = struct.unpack("<%dh" % ((DATA / "sisfall" / row["file"]).stat().st_size // 2), (DATA / "sisfall" / row["file"]).read_bytes())
            return [[v / 2048 for v in values[3 * i : 3 * i + 3]] for i in range(int(row["first"]), int(row["last"]) + 1)]

        rows = trial("D01", "SA01", "R01")[:1500] + trial("F05", "SA01", "R01")
    else:
        noise, rows = random.Random(6), []
        for i in range(1600):
            phase = 2 * math.pi * 1.8 * i / 50
            swing = 0.25 if i < 1500 else 0
            rows.append([g + swing * math.sin(phase * (1 + axis % 2) + axis) + noise.gauss(0, 0.01) for axis, g in enumerate([1.0, 0.05, -0.05])])
        rows += [[0.4, 0.1, 0.1]] * 16 + [[0.6 * g, 0.9 * g, 0.5 * g] for g in (1.5, 3.2, 4.6, 2.4, 0.8, 1.4, 1.1)]
        rows += [[0.05 + noise.gauss(0, 0.01), 0.9 + noise.gauss(0, 0.01), 0.42 + noise.gauss(0, 0.01)] for _ in range(300)]
    # On the floor, with as much movement as the last second had.
    return rows + (rows[-50:] + rows[:-51:-1]) * 60


def write(directory, name, rows, per_g, low, high, offset=0):
    text = "".join(",".join(str(max(low, min(high, round(v * per_g))) + offset) for v in row) + "\n" for row in rows)
    (directory / f"{name}.csv").write_text(text)


def write_fifo(directory, rows):
    """A BMA255 at +-4 g and 62.5 Hz, twice: movement; and moving, still, moving, ten minutes still, moving ."""
    def counts(row):
        return [max(-2048, min(2047, round(v * 512))) for v in row]

    # A minute in which the recorded person walks: the fifth that moves most.
    def travel(first):
        return sum(abs(rows[i][0] - rows[i + 1][0]) for i in range(first, first + 2500))

    begin = max(range(0, len(rows) - 2600, 500), key=travel)
    moving = [counts(row) for row in rows[begin : begin + 2500]]
    still = [counts([0.0, 0.0, 1.0])]
    plays = {"fifo": [counts(row) for row in rows[:9000]],
             "still": moving[:1500] + still * 1500 + moving[:1500] + still * 38000 + moving[:2000]}
    for name, play in plays.items():
        (directory / f"{name}.csv").write_text("".join(",".join(map(str, row)) + "\n" for row in play))
        (directory / f"{name}.bin").write_bytes(b"".join(struct.pack("<3h", *(v << 4 for v in row)) for row in play))


def main():
    directory = pathlib.Path(sys.argv[1])
    rows = recorded()
    if rows is None:
        print(f"board/emulator: no recordings in {DATA} (set GAITWAY_DATA): the movement is made up", file=sys.stderr)
        rows = made_up()
    write(directory, "replay", rows, 1024, -2048, 2047)  # mxc4005 at +-2 g
    short = rows[:3000]
    write(directory, "s12", short, 1000, -2048, 2047)
    write(directory, "u12", short, 819, -2048, 2047, offset=2048)
    write(directory, "s10", short, 250, -512, 511)
    write(directory, "hid", short, 9807, -32767, 32767)
    write_fifo(directory, rows)
    write(directory, "fall", falling(), 256, -2048, 2047)  # mxc4005 at +-8 g


main()
