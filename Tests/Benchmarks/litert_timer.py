"""Times LiteRT on one network: litert_timer.py FILE. For each line of standard input it prints the median of a call in ns, and of a call
of a network of four numbers, which is Python's part."""
import statistics
import sys
import time

import numpy as np
from ai_edge_litert.interpreter import Interpreter


def call_of(content):
    interpreter = Interpreter(model_content=content, num_threads=1)
    interpreter.allocate_tensors()
    taken = interpreter.get_input_details()[0]
    random = np.random.default_rng(2)
    integers = taken["dtype"] == np.int8
    interpreter.set_tensor(
        taken["index"], random.integers(-128, 128, taken["shape"], dtype=np.int8) if integers else random.normal(size=taken["shape"]).astype(np.float32))
    return interpreter.invoke


def median_ns(call, seconds=0.15):
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter_ns()
        for _ in range(16):
            call()
        times.append((time.perf_counter_ns() - start) / 16)
    return statistics.median(times)


if __name__ == "__main__":
    network, empty = (call_of(open(name, "rb").read()) for name in sys.argv[1:])
    for _ in sys.stdin:
        print(median_ns(network), median_ns(empty), flush=True)
