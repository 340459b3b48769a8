"""Accuracy on people left out, in an order of activities that no protocol has and however the sensor is turned: five folds a set.

    life.py PROGRAM DATA [SET ...]      a network for each set and place of the body
    life.py PROGRAM DATA together       one for all of them, as the default model is
"""
import concurrent.futures
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

PROGRAM, DATA = sys.argv[1], pathlib.Path(sys.argv[2])
FOLDS, SEEDS = 5, (7, 8, 9)
# set, placement, how it is played
LINES = [
    ("hapt", "waist", ["--life"]), ("hapt", "waist", ["--life", "--turned"]), ("hapt", "waist", []), ("motionsense", "pocket", ["--turned"]),
    ("selfback-thigh", "thigh", ["--turned"]), ("dsads", "chest", ["--turned"]), ("selfback-wrist", "wrist", ["--turned"])]


def people(name):
    table, column = ("index.csv", "person") if (DATA / name / "index.csv").exists() else ("recordings.csv", "user")
    found = {row[column] for row in csv.DictReader(open(DATA / name / table))}
    return sorted(found, key=lambda p: (len(p), p))


def run(*arguments):
    result = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, arguments))}: {result.stderr}")
    return json.loads(result.stdout)


# What the default model is trained on.
TOGETHER = ["hapt", "motionsense", "selfback-thigh", "dsads", "selfback-wrist", "sisfall", "sp-sw-har", "weda-fall"]
MORE = [("dsads", "wrist", ["--turned"]), ("dsads", "thigh", ["--turned"])]


def measure(model, line, people, seed):
    name, placement, how = line
    options = [word for flag in how for word in (flag, seed)]
    return run("evaluate", "--model", model, "--recordings", DATA / name, "--placement", placement, "--people", ",".join(people), *options, "--json")


def fold_of_all(directory, number):
    """Whoever is left out of one set is left out of all: selfBACK's two share people."""
    left_out = dict.fromkeys(person for name in TOGETHER for person in people(name)[number::FOLDS])
    model, sets = directory / f"together-{number}", [word for name in TOGETHER for word in ("--recordings", DATA / name)]
    run("train", *sets, "--leave-out", ",".join(left_out), "--output", model, "--json")
    return [(line, measure(model, line, [p for p in people(line[0]) if p in left_out], SEEDS[0])) for line in LINES + MORE]


def fold(directory, name, placement, number):
    left_out, model = ",".join(people(name)[number::FOLDS]), directory / f"{name}-{placement}-{number}"
    run("train", "--recordings", DATA / name, "--placement", placement, "--leave-out", left_out, "--output", model, "--json")
    measured = []
    for line in LINES:
        if line[:2] == (name, placement):
            for seed in SEEDS if line[2] else SEEDS[:1]:
                measured.append((line, measure(model, line, left_out.split(","), seed)))
    return measured


wanted = sys.argv[3:] or sorted({line[0] for line in LINES})
with tempfile.TemporaryDirectory() as directory, concurrent.futures.ThreadPoolExecutor(2) as pool:
    jobs = [pool.submit(fold_of_all, pathlib.Path(directory), number) for number in range(FOLDS)] if wanted == ["together"] else [
        pool.submit(fold, pathlib.Path(directory), *place, number) for place in dict.fromkeys(line[:2] for line in LINES) if place[0] in wanted for number in range(FOLDS)]
    found = [entry for job in jobs for entry in job.result()]
print(f"{'set':16}{'placement':11}{'played':20}{'right':>8}{'windows':>9}{'unoriented':>12}{'found':>8}{'shown right':>13}{'delay':>8}")
for line in LINES + MORE:
    parts = [measured for other, measured in found if other is line]
    if not parts:
        continue
    windows = sum(m["windows"] for m in parts)
    mean = lambda value: sum(value(m) * m["windows"] for m in parts) / windows
    delays = sorted(m["events"]["median_delay"] for m in parts)
    print(f"{line[0]:16}{line[1]:11}{' '.join(line[2]) or 'as recorded':20}{100 * mean(lambda m: m['accuracy']):7.1f} {windows:8}{100 * mean(lambda m: m['unoriented']):11.1f}"
          f"{100 * mean(lambda m: m['events']['recall']):9.1f}{100 * mean(lambda m: m['events']['precision']):13.1f}{delays[len(delays) // 2]:8.2f}")
