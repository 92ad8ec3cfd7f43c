"""csiread as a contender of the decode bench: takes a command a line on its input, answers with a line of JSON.

A command has the capture's path, the class of csiread with its arguments, and the order of its array's axes. "export" writes the array
as complex64 [frame, rx, tx, tone], the tones ascending; "measure" reads the capture again and again for a time.
"""
import json
import resource
import sys
import time

import csiread
import numpy as np


def read(command):
    reader = getattr(csiread, command["class"])(command["capture"], if_report=False, **command["arguments"])
    reader.read(**command["read"])
    return reader


def export(command):
    reader = read(command)
    array = reader.raw["CSI"]["CSI"] if command["class"] == "Picoscenes" else reader.csi
    while array.ndim < 4:
        array = array[..., np.newaxis]
    array = np.transpose(array, command["axes"])
    if command["transform_order"]:
        array = np.fft.fftshift(array, axes=3)
    array.astype(np.complex64).tofile(command["out"])
    return {"shape": array.shape}


def cpu_s():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def measure(command):
    calls = 0
    cpu_before = cpu_s()
    began = time.perf_counter()
    while True:
        read(command)
        calls += 1
        wall_ms = (time.perf_counter() - began) * 1000
        if wall_ms >= command["budget_ms"]:
            return {"calls": calls, "wallMs": wall_ms, "cpuMs": (cpu_s() - cpu_before) * 1000}


print(json.dumps({"csiread": csiread.__version__, "numpy": np.__version__}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({"export": export, "measure": measure}[request["do"]](request)), flush=True)
