"""A model adapted to one person, and what the wearer says while the loop runs."""
import json
import os
import struct
import unittest

from support import DATA, MODEL, WAIST, TestCase, gaitway, lines, needs_recordings


class Personal(TestCase):
    def record(self, label, activity, seconds=12, source=None):
        # Two simulated wearers who wear the sensor alike.
        result = gaitway("record", "--label", label, "--source", source or f"simulated:seed=5,{activity}=60", "--speed", "max", "--seconds", seconds, "--recordings", self.directory / "r")
        self.assertEqual(result.returncode, 0, result.stderr)

    def environment(self):
        return {**os.environ, "STATE_DIRECTORY": str(self.directory / "state")}

    def test_ten_seconds_of_each_activity(self):
        for label, activity in (("walking", "walk"), ("standing", "stand"), ("sitting", "sit"), ("dancing", "walk")):
            self.record(label, activity, 30 if label == "walking" else 12)
        output = self.directory / "mine"
        found = lines(gaitway("personalise", "--model", MODEL, "--recordings", self.directory / "r", "--up", "x", "--output", output, "--json"))[0]
        self.assertEqual(set(found["windows"]), {"WALKING", "STANDING", "SITTING"})
        self.assertEqual(found["unknown"], ["dancing"])
        self.assertGreaterEqual(found["own"]["after"], found["own"]["before"])
        self.assertGreaterEqual(found["others"]["after"], found["others"]["before"])
        inspected = [json.loads(gaitway("model", "inspect", model, "--json").stdout) for model in (MODEL, output)]
        self.assertEqual(inspected[0]["labels"], inspected[1]["labels"])
        self.assertEqual(inspected[1]["version"], inspected[0]["version"] + 1)
        decided = lines(gaitway("run", "--model", output, "--source", "simulated:seed=9,stand=10,walk=10", "--speed", "max", "--json"))
        self.assertEqual(decided[3]["activity"], "STANDING")
        # More seconds, more windows; the same seconds, the same file.
        more = lines(gaitway("personalise", "--model", MODEL, "--recordings", self.directory / "r", "--up", "x", "--seconds", 25, "--output", output.with_name("more"), "--json"))[0]
        self.assertGreater(more["windows"]["WALKING"], found["windows"]["WALKING"])
        again = output.with_name("again")
        self.assertEqual(gaitway("personalise", "--model", MODEL, "--recordings", self.directory / "r", "--up", "x", "--output", again).returncode, 0)
        self.assertEqual(again.read_bytes(), output.read_bytes())

    def test_what_cannot_be_learnt_from(self):
        recordings, output = self.directory / "r", self.directory / "mine"
        personalise = lambda *more: gaitway("personalise", "--recordings", recordings, "--output", output, *more, env=self.environment())
        self.assertRefused(personalise(), 66, "there are no recordings", "gaitway record")
        self.record("dancing", "walk")
        self.assertRefused(personalise("--model", WAIST), 65, "no window of what the model knows")
        for recording in recordings.iterdir():
            recording.unlink()
        self.record("standing", "stand")
        self.assertRefused(personalise("--model", MODEL), 65, "which way is up", "--up")
        self.assertRefused(personalise("--seconds", 2), 64, "--seconds")
        self.assertFalse(output.exists())
        # As if lying: what was recorded is nothing that the model knows.
        wrong = personalise("--model", MODEL, "--up", "z")
        self.assertEqual(wrong.returncode, 0)
        self.assertIn("is the sensor worn as it says", wrong.stderr)

    def test_labels_while_it_runs(self):
        env = self.environment()
        kept = self.directory / "state/labelled"
        run = lambda script: gaitway("run", "--source", f"simulated:{script}", "--speed", "max", "--json", env=env)
        run("stand=30")
        self.assertFalse(kept.exists())
        for label, script in (("walking", "walk=70"), ("standing", "stand=15")):
            self.assertEqual(gaitway("label", label, env=env).returncode, 0)
            self.assertEqual(run(script).returncode, 0)
        self.assertEqual(gaitway("label", "--none", env=env).returncode, 0)
        run("sit=30")
        # Ten seconds each, the last three of each activity.
        names = sorted(p.name.split("_")[0] for p in kept.iterdir())
        self.assertEqual(names, ["STANDING", "WALKING", "WALKING", "WALKING"])
        self.assertEqual({p.stat().st_mode & 0o777 for p in kept.iterdir()}, {0o600})
        found = lines(gaitway("personalise", "--up", "x", "--json", env=env, cwd=self.directory))[0]
        self.assertEqual(set(found["windows"]), {"WALKING", "STANDING"})
        self.assertTrue((self.directory / "personal.safetensors").exists(), "there is no directory of recordings to put it beside")
        # Somebody else's recording is not what the wearer does.
        recording = self.directory / "a.csv"
        recording.write_text("time,x,y,z\n" + "".join(f"{i / 50:.2f},1,0,0\n" for i in range(1500)))
        self.assertEqual(gaitway("label", "sitting", env=env).returncode, 0)
        self.assertEqual(gaitway("run", "--source", f"recording:{recording}", "--speed", "max", env=env).returncode, 0)
        self.assertEqual(sorted(p.name.split("_")[0] for p in kept.iterdir()), names)

    @needs_recordings
    def test_a_person_of_a_set(self):
        output = self.directory / "mine"
        one = ["--recordings", DATA / "hapt", "--people", "3", "--placement", "waist"]
        found = lines(gaitway("personalise", *one, "--output", output, "--json"))[0]
        self.assertGreaterEqual(len(found["windows"]), 5)
        right = [lines(gaitway("evaluate", "--model", model, "--recordings", DATA / "hapt", "--people", people, "--json"))[0]["accuracy"] for people in ("3", "5,7") for model in (MODEL, output)]
        self.assertGreaterEqual(right[1], right[0] - 0.01)
        self.assertGreaterEqual(right[3], right[2] - 0.02)
        self.assertRefused(gaitway("personalise", "--recordings", DATA / "hapt", "--output", output), 64, "one person")


@needs_recordings
class Hours(TestCase):
    """What the memory does after ten minutes, an hour and eight hours of one posture with small movements."""

    def stretch(self, user, label):
        """A person's own longest stretch of an activity, counts of 1/720 g."""
        rows = [line.split(",") for line in (DATA / "hapt/labels.csv").read_text().splitlines()[1:]]
        recording, *_, first, last = max((r for r in rows if r[1] == user and r[3] == label), key=lambda r: int(r[5]) - int(r[4]))
        data = (DATA / f"hapt/acc_exp{int(recording):02}_user{int(user):02}.i16").read_bytes()
        return list(struct.iter_unpack("<3h", data[6 * int(first) : 6 * int(last)]))

    def test_one_posture_for_hours(self):
        (self.directory / "set.csv").write_text("name,rate_hz,counts_per_g\nhours,50,720\n")
        (self.directory / "labels.csv").write_text("activity,label\nwalk,WALKING\nsit,SITTING\nstand,STANDING\nlie,LAYING\n")
        # One's lying has movements that look like steps.
        for hours, user, name, label in ((1 / 6, "8", "sit", "SITTING"), (1, "1", "stand", "STANDING"), (8, "1", "lie", "LAYING"), (8, "1", "sit", "SITTING")):
            walking, posture, count = self.stretch(user, "WALKING"), self.stretch(user, label), int(hours * 180_000)
            there_and_back = posture + posture[::-1]
            begin = 2000
            samples = (walking * 6)[:begin] + (there_and_back * (count // len(there_and_back) + 1))[:count]
            (self.directory / "a.i16").write_bytes(b"".join(struct.pack("<3h", *s) for s in samples))
            (self.directory / "index.csv").write_text(
                "file,person,placement,activity,trial,first,last,note\n" + f"a.i16,a,waist,walk,1,0,{begin - 1},\na.i16,a,waist,{name},1,{begin},{len(samples) - 1},\n")
            with self.subTest(f"{hours} hours of {label}"):
                found = lines(gaitway("evaluate", "--recordings", self.directory, "--json"))[0]
                row = found["confusion"][found["labels"].index(label)]
                # The stretch is half a minute long: one odd window of it comes again and again.
                self.assertGreater(row[found["labels"].index(label)], 0.97 * sum(row))
                self.assertGreater(sum(row), 0.98 * count / 64)
                self.assertEqual(found["unoriented"], 0)


if __name__ == "__main__":
    unittest.main()
