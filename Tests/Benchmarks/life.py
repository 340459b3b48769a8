"""Accuracy on people left out, in an order of activities that no protocol has and however the sensor is turned: five folds a set.

    life.py PROGRAM DATA [SET ...]      a network for each set and place of the body
    life.py PROGRAM DATA together       one for all of them, as the default model is
    life.py PROGRAM DATA unseen         the same without a whole set, measured on that
    life.py PROGRAM DATA unknown        the same without an activity, which is then to be unknown
    life.py PROGRAM DATA personal       the first fold's people, each after ten seconds of each activity, and the others beside
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


# selfBACK's two share people: those of the wrist are all of them.
FOLDED = [name for name in TOGETHER if name != "selfback-thigh"]


def own(name, number):
    """People of a set in a fold, each in one."""
    return [person for person in people(name) if person in people("selfback-wrist" if name == "selfback-thigh" else name)[number::FOLDS]]


def left_out_of(number):
    """Of a fold. Whoever is left out of one set is left out of all, and so is who has the same name in another."""
    return dict.fromkeys(person for name in FOLDED for person in own(name, number))


def train_together(model, *options, sets=TOGETHER):
    run("train", *[word for name in sets for word in ("--recordings", DATA / name)], *options, "--output", model, "--json")
    return model


def fold_of_all(directory, number):
    left_out = left_out_of(number)
    model = train_together(directory / f"together-{number}", "--leave-out", ",".join(left_out))
    return [(line, measure(model, line, own(line[0], number), SEEDS[0])) for line in LINES + MORE]


def fold(directory, name, placement, number):
    left_out, model = ",".join(people(name)[number::FOLDS]), directory / f"{name}-{placement}-{number}"
    run("train", "--recordings", DATA / name, "--placement", placement, "--leave-out", left_out, "--output", model, "--json")
    measured = []
    for line in LINES:
        if line[:2] == (name, placement):
            for seed in SEEDS if line[2] else SEEDS[:1]:
                measured.append((line, measure(model, line, left_out.split(","), seed)))
    return measured


# Sets that are left out together, and what is measured of them.
UNSEEN = [
    (["motionsense"], [("motionsense", "pocket")]), (["dsads"], [("dsads", place) for place in ("chest", "thigh", "wrist")]),
    (["selfback-thigh", "selfback-wrist"], [("selfback-thigh", "thigh"), ("selfback-wrist", "wrist")]),
    (["sisfall", "sp-sw-har", "weda-fall"], [("sisfall", "waist"), ("weda-fall", "wrist")])]


def without_sets(directory, names, places):
    model = train_together(directory / f"without-{names[0]}", sets=[other for other in TOGETHER if other not in names])
    lines = []
    for name, placement in places:
        found = measure(model, (name, placement, ["--turned"]), people(name), SEEDS[0])
        where = ", ".join(f"{place} {count}" for place, count in sorted(found["places"][placement].items(), key=lambda one: -one[1]))
        lines.append(f"{name:16}{placement:11}{100 * found['accuracy']:7.1f} of {found['windows']} windows, {100 * found['unoriented']:.1f} not known yet; found at: {where}")
    return "\n".join(lines)


# Without walking nothing tells how the sensor is worn.
ACTIVITIES = ["WALKING_UPSTAIRS", "WALKING_DOWNSTAIRS", "SITTING", "STANDING", "LAYING", "RUNNING", "CYCLING"]


def without_activity(directory, activity):
    """The first fold's people, at every place of the body where they do it."""
    left_out = left_out_of(0)
    model = train_together(directory / f"without-{activity}", "--leave-out", ",".join(left_out), "--without", activity)
    known = json.loads(subprocess.run([PROGRAM, "model", "inspect", model, "--json"], capture_output=True, text=True, check=True).stdout)["labels"]
    assert activity not in known
    lines, found = [], []
    for line in (LINES[1], *LINES[3:]):
        measured = measure(model, line, own(line[0], 0), SEEDS[0])
        # DSADS has others that no model knows.
        if "unknown" in measured:
            unknown = measured["unknown"]
            found.append(unknown)
            lines.append(f"{activity:20}{line[0]:16}{line[1]:9}AUROC {unknown['auroc']:.3f}  FPR95 {100 * unknown['fpr95']:5.1f} %  shown as unknown {100 * unknown['accuracy']:5.1f} % of {unknown['windows']}")
    return found, lines


def personal(directory):
    left_out, adapted = left_out_of(0), directory / "own"
    model = train_together(directory / "first", "--leave-out", ",".join(left_out))
    for name, placement in (("hapt", "waist"), ("motionsense", "pocket"), ("selfback-thigh", "thigh"), ("selfback-wrist", "wrist")):
        line, some, gained, others = (name, placement, []), own(name, 0), [], []
        before = {p: measure(model, line, [p], 0)["accuracy"] for p in some}
        for p in some:
            run("personalise", "--model", model, "--recordings", DATA / name, "--placement", placement, "--people", p, "--output", adapted, "--json")
            gained.append(measure(adapted, line, [p], 0)["accuracy"] - before[p])
            others += [measure(adapted, line, [other], 0)["accuracy"] - before[other] for other in some if other != p]
        mean = lambda values: 100 * sum(values) / len(values)
        print(f"{name:16}{placement:9}{mean(before.values()):6.1f} before, {mean(gained):+.1f} for the person, {mean(others):+.1f} for the {len(some) - 1} others")


def report(mode):
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(2) as pool:
        directory = pathlib.Path(name)
        if mode == "personal":
            return personal(directory)
        if mode == "unseen":
            print(*pool.map(lambda left_out: without_sets(directory, *left_out), UNSEEN), sep="\n")
            return
        results = list(pool.map(lambda activity: without_activity(directory, activity), ACTIVITIES))
        print(*[line for _, lines in results for line in lines], sep="\n")
        found = [one for some, _ in results for one in some]
        mean = lambda key: sum(one[key] for one in found) / len(found)
        print(f"mean: AUROC {mean('auroc'):.3f}, FPR95 {100 * mean('fpr95'):.1f} %, shown as unknown {100 * mean('accuracy'):.1f} %")


def placed(parts):
    """Recordings whose place of the body was found from half a minute of walking."""
    found = [m["placed"] for m in parts if "placed" in m]
    wearings = sum(one["windows"] for one in found)
    return f"{100 * sum(one['accuracy'] * one['windows'] for one in found) / wearings:.1f}" if wearings else "-"


if sys.argv[3:] in (["unseen"], ["unknown"], ["personal"]):
    sys.exit(report(sys.argv[3]))
wanted = sys.argv[3:] or sorted({line[0] for line in LINES})
with tempfile.TemporaryDirectory() as directory, concurrent.futures.ThreadPoolExecutor(2) as pool:
    jobs = [pool.submit(fold_of_all, pathlib.Path(directory), number) for number in range(FOLDS)] if wanted == ["together"] else [
        pool.submit(fold, pathlib.Path(directory), *place, number) for place in dict.fromkeys(line[:2] for line in LINES) if place[0] in wanted for number in range(FOLDS)]
    found = [entry for job in jobs for entry in job.result()]
print(f"{'set':16}{'placement':11}{'played':20}{'right':>8}{'windows':>9}{'unoriented':>12}{'found':>8}{'shown right':>13}{'delay':>8}{'calibration':>13}{'placed':>8}  folds")
for line in LINES + MORE:
    parts = [measured for other, measured in found if other is line]
    if not parts:
        continue
    windows = sum(m["windows"] for m in parts)
    mean = lambda value: sum(value(m) * m["windows"] for m in parts) / windows
    delays = sorted(m["events"]["median_delay"] for m in parts)
    print(f"{line[0]:16}{line[1]:11}{' '.join(line[2]) or 'as recorded':20}{100 * mean(lambda m: m['accuracy']):7.1f} {windows:8}{100 * mean(lambda m: m['unoriented']):11.1f}"
          f"{100 * mean(lambda m: m['events']['recall']):9.1f}{100 * mean(lambda m: m['events']['precision']):13.1f}{delays[len(delays) // 2]:8.2f}"
          f"{100 * mean(lambda m: m['calibration']['expected_error']):13.1f}{placed(parts):>8}  {' '.join(format(100 * m['accuracy'], '.1f') for m in parts)}")
