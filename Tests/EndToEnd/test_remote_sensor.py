"""A sensor of another machine: libiio's network protocol, spoken by a server that stops answering in the middle of a read."""
import signal
import socket
import socketserver
import struct
import subprocess
import threading
import time
import unittest

from support import GAITWAY, TestCase

XML = (
    '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE context [<!ELEMENT context (device | context-attribute)*><!ELEMENT context-attribute EMPTY>'
    "<!ELEMENT device (channel | attribute | debug-attribute | buffer-attribute)*><!ELEMENT channel (scan-element?, attribute*)>"
    "<!ELEMENT attribute EMPTY><!ELEMENT scan-element EMPTY><!ELEMENT debug-attribute EMPTY><!ELEMENT buffer-attribute EMPTY>"
    "<!ATTLIST context name CDATA #REQUIRED description CDATA #IMPLIED><!ATTLIST context-attribute name CDATA #REQUIRED value CDATA #REQUIRED>"
    "<!ATTLIST device id CDATA #REQUIRED name CDATA #IMPLIED><!ATTLIST channel id CDATA #REQUIRED type (input|output) #REQUIRED name CDATA #IMPLIED>"
    "<!ATTLIST scan-element index CDATA #REQUIRED format CDATA #REQUIRED scale CDATA #IMPLIED><!ATTLIST attribute name CDATA #REQUIRED filename CDATA #IMPLIED>"
    "<!ATTLIST debug-attribute name CDATA #REQUIRED><!ATTLIST buffer-attribute name CDATA #REQUIRED>]>"
    '<context name="network"><device id="iio:device0" name="adxl345"><attribute name="sampling_frequency" />'
    + "".join(
        f'<channel id="accel_{axis}" type="input"><scan-element index="{index}" format="le:S16/16&gt;&gt;0" scale="0.009577" />'
        '<attribute name="scale" filename="in_accel_scale" /></channel>'
        for index, axis in enumerate("xyz"))
    + '</device><device id="trigger0" name="adxl345-dev0"></device></context>'
)


class Connection(socketserver.StreamRequestHandler):
    def say(self, text):
        self.wfile.write(text.encode() + b"\n")

    def value(self, text):
        self.say(f"{len(text)}\n{text}")

    def handle(self):
        try:
            self.answer()
        except OSError:
            pass  # the client is gone

    def answer(self):
        for line in self.rfile:
            words = line.decode().split()
            if not words:
                continue
            self.server.asked.append(words[0])
            if words[0] == "VERSION":
                self.say("0.24.fake000")
            elif words[0] == "PRINT":
                self.value(XML)
            elif words[0] == "GETTRIG":
                self.value("adxl345-dev0")
            elif words[0] == "READ":
                self.value("50" if "sampling_frequency" in line.decode() else "0.009577")
            elif words[0] == "WRITE":
                self.rfile.read(int(words[-1]))
                self.say(words[-1])
            elif words[0] in ("TIMEOUT", "OPEN", "SET", "CLOSE"):
                self.say("0")
            elif words[0] == "READBUF":
                self.server.reads += 1
                if self.server.reads > 2:
                    self.server.hangs.set()
                    continue  # no answer, ever
                count = int(words[-1])
                self.say(f"{count}\n00000007")
                self.wfile.write(struct.pack("<hhh", 0, 0, 1024) * (count // 6))
            else:
                self.say("-38")


class Server(socketserver.ThreadingTCPServer):
    daemon_threads, allow_reuse_address = True, True
    reads, asked = 0, []


class RemoteSensor(TestCase):
    def test_a_read_that_nobody_answers_is_ended_by_a_signal(self):
        server = Server(("127.0.0.1", 0), Connection)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        server.hangs = threading.Event()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        process = subprocess.Popen([GAITWAY, "run", "--source", f"iio:ip:127.0.0.1:{server.server_address[1]}", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        self.assertTrue(server.hangs.wait(20), f"no read came: {server.asked}; {process.poll() is not None and process.communicate()}")
        time.sleep(0.3)
        process.send_signal(signal.SIGTERM)
        began = time.monotonic()
        output, errors = process.communicate(timeout=10)
        self.assertLess(time.monotonic() - began, 2, "libiio's own time limit is more than five seconds")
        self.assertEqual(process.returncode, 0, errors)
        self.assertIn("adxl345", errors)


if __name__ == "__main__":
    unittest.main()
