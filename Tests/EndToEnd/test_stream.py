"""The local stream: what the running program sees and decides, for programs beside it."""
import fcntl
import json
import os
import socket
import subprocess
import threading
import time
import unittest

from support import GAITWAY, TestCase, gaitway, lines, needs


class Stream(TestCase):
    def start(self, *arguments, before=()):
        self.environment = {**os.environ, "STATE_DIRECTORY": str(self.directory)}
        process = subprocess.Popen([*before, GAITWAY, "run", "--source", "simulated:stand=600", "--json", *arguments], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, env=self.environment)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        process.stdout.readline()
        return process

    def ask(self, **question):
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(10)
        connection.connect(str(self.directory / "control.sock"))
        self.addCleanup(connection.close)
        connection.sendall(json.dumps(question).encode() + b"\n")
        return connection

    def test_follow_prints_what_is_decided(self):
        process = self.start()
        follower = subprocess.Popen([GAITWAY, "follow", "--json", "--samples"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment)
        time.sleep(5)
        process.terminate()
        decided, _ = process.communicate()
        out, err = follower.communicate(timeout=5)
        self.assertEqual(follower.returncode, 75, err)
        self.assertIn("has ended", err)
        events = [json.loads(line) for line in out.splitlines()]
        self.assertEqual(events[0]["event"], "hello")
        decisions = [{k: v for k, v in event.items() if k not in ("event", "at", "changed")} for event in events if event["event"] == "decision"]
        own = [json.loads(line) for line in decided.splitlines()]
        self.assertGreaterEqual(len(decisions), 2)
        self.assertEqual([d for d in own if d in decisions], decisions)
        samples = [event for event in events if event["event"] == "samples"]
        self.assertGreaterEqual(len(samples), 2)
        self.assertEqual({len(event["xyz"]) for event in samples}, {192})

    def test_follow_for_people(self):
        self.start()
        result = subprocess.run(["timeout", "-s", "INT", "4", GAITWAY, "follow"], capture_output=True, text=True, env=self.environment)
        self.assertEqual(result.returncode, 124, result.stderr)
        self.assertIn("STANDING", result.stdout)

    def test_without_a_running_program(self):
        self.assertRefused(gaitway("follow", env={**os.environ, "STATE_DIRECTORY": str(self.directory)}), 66, "no gaitway runs here")

    def test_a_second_program_neither_records_nor_reports(self):
        self.start()
        second = subprocess.run([GAITWAY, "run", "--source", "simulated", "--duration", "4", "--json", "--log-level", "info"], capture_output=True, text=True,
                                env={**self.environment, "GAITWAY_UPLOAD_ENABLED": "true", "GAITWAY_UPLOAD_USER": "wearer", "GAITWAY_UPLOAD_BUCKET": "b"})
        self.assertEqual(second.returncode, 0, second.stderr)
        self.assertIn("this one records and reports nothing", second.stderr)
        self.assertEqual(len(lines(second)), 2)
        self.assertEqual(sorted(p.name for p in self.directory.iterdir()), ["control.sock", "first.lock"])

    def test_of_several_that_start_at_once_one_is_the_first(self):
        environment = {**os.environ, "STATE_DIRECTORY": str(self.directory)}
        command = [GAITWAY, "run", "--source", "simulated:stand=600", "--json"]
        programs = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) for _ in range(5)]
        for program in programs:
            self.addCleanup(lambda program=program: (program.kill(), program.communicate()))
        for program in programs:
            program.stdout.readline()
        # Also where somebody took the socket away.
        (self.directory / "control.sock").unlink()
        programs.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment))
        self.addCleanup(lambda: (programs[-1].kill(), programs[-1].communicate()))
        programs[-1].stdout.readline()
        for program in programs:
            program.terminate()
        told = [program.communicate()[1] for program in programs]
        self.assertEqual([("another gaitway runs" in text) for text in told].count(False), 1, told)
        self.assertIn("another gaitway runs", told[-1])
        self.assertFalse((self.directory / "control.sock").exists(), "one that is no first answered")

    def test_one_that_ends_is_waited_for(self):
        # A killed program's lock is free a moment after its socket closed.
        with open(self.directory / "first.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            threading.Timer(1, lambda: fcntl.flock(lock, fcntl.LOCK_UN)).start()
            process = self.start()
        process.terminate()
        self.assertNotIn("another gaitway runs", process.communicate()[1])

    def test_wrong_questions(self):
        self.start()
        for question, code in (({"command": "subscribe", "events": ["gossip"]}, 64), ({"command": "dance"}, 64), ({}, 64)):
            self.assertEqual(json.loads(self.ask(**question).makefile().readline())["code"], code)

    @needs("prlimit")
    def test_without_descriptors_the_server_does_not_spin(self):
        process = self.start()
        before = len(os.listdir(f"/proc/{process.pid}/fd"))
        subprocess.run(["prlimit", "--pid", str(process.pid), f"--nofile={before + 4}:"], check=True)
        readers = [self.ask(command="subscribe") for _ in range(8)]

        def used():
            return sum(map(int, open(f"/proc/{process.pid}/stat").read().rsplit(")", 1)[1].split()[11:13]))

        time.sleep(1)
        begin = used()
        time.sleep(2)
        self.assertLess(used() - begin, 20, "clock ticks of processor time in two seconds")
        for reader in readers:
            reader.close()
        subprocess.run(["prlimit", "--pid", str(process.pid), "--nofile=1024:"], check=True)
        time.sleep(3)
        self.assertEqual(json.loads(gaitway("status", "--json", env=self.environment).stdout)["activity"], "STANDING")


if __name__ == "__main__":
    unittest.main()
