"""Runs a network in TFLite Micro so many times: micro_times.py FILE TIMES (see peers_micro)."""
import sys

import numpy
from tflite_micro import runtime

network = runtime.Interpreter.from_file(sys.argv[1])
details = network.get_input_details(0)
network.set_input(numpy.zeros(details["shape"], details["dtype"]), 0)
for _ in range(int(sys.argv[2])):
    network.invoke()
