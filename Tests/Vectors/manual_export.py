"""Runs the manual's export of a scikit-learn network and lets gaitway read what it wrote: manual_export.py GAITWAY

A network that can be read and no recordings to quantise it on are exit code 66; one that cannot be read would be 65.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import types

import numpy as np

gaitway = pathlib.Path(sys.argv[1]).resolve()
page = (pathlib.Path(__file__).resolve().parents[2] / "board/guide/models.md").read_text()
code = re.search(r"```python\n(.*?)```", page, re.S).group(1)
random = np.random.default_rng(1)
sizes = [384, 20, 6]
model = types.SimpleNamespace(
    coefs_=[random.normal(size=pair) for pair in zip(sizes, sizes[1:])], intercepts_=[random.normal(size=size) for size in sizes[1:]])
with tempfile.TemporaryDirectory() as directory:
    os.chdir(directory)
    exec(code, {"model": model})
    os.mkdir("empty")
    result = subprocess.run([gaitway, "model", "import", "mlp.safetensors", "--calibrate", "empty", "--output", "x.safetensors"], capture_output=True, text=True)
    assert result.returncode == 66, (result.returncode, result.stderr)
print("board/guide/models.md: its export of a scikit-learn network can be read")
