"""The figures of the emulated board's log: see `energy`."""
import json
import re
import sys

scenarios = re.split(r"^== (\S+)$", open(sys.argv[1], errors="replace").read().replace("\r", ""), flags=re.M)[1:]
logs = dict(zip(scenarios[::2], scenarios[1::2]))


def part(log, name=""):
    found = re.split(r"^@ (\S+)$", logs[log], flags=re.M)
    return found[0] if not name else dict(zip(found[1::2], found[2::2]))[name]


def statistics(text):
    return [json.loads(line)["stats"] for line in text.splitlines() if line.startswith('{"stats"')]


def of(text):
    last = statistics(text)[-1]
    return last["interrupts_per_second"], last["wakeups_per_second"], last["context_switches_per_second"]


def row(what, interrupts, wakeups, switches):
    each = (f"{v:10.3f}" if v is not None else f"{'-':>10}" for v in (interrupts, wakeups, switches))
    print(f"{what:62}" + "".join(each))


print(f"{'a second':62}{'interrupts':>10}{'wake-ups':>10}{'switches':>10}")
row("mxc4005 at 50 Hz, hrtimer trigger", *of(part("classify")))
row("bma255 at 62.5 Hz through its FIFO of 32", *of(part("fifo", "fifo")))
latency = statistics(part("latency", "latency"))
first, last = latency[-6], latency[-1]
seconds = last["seconds"] - first["seconds"]
row("the same while one posture lasts, latency = 10", *(
    (last[key] * last["seconds"] - first[key] * first["seconds"]) / seconds
    for key in ("interrupts_per_second", "wakeups_per_second", "context_switches_per_second")))
counts = {(words[0], words[1]): int(words[2]) for words in (line.split() for line in part("still", "still").splitlines())
          if len(words) == 3 and words[0] in ("switches", "interrupts") and words[2].isdigit()}
asleep = [(counts[key, "end"] - counts[key, "begin"]) / 300 for key in ("interrupts", "switches")]
row("the same asleep, nothing moves (whole program)", asleep[0], None, asleep[1])
print(f"asleep: {asleep[1] * 3600:.0f} wake-ups of the whole program an hour")
