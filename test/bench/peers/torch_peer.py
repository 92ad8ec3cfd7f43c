"""PyTorch on a CUDA device as a contender of the bench of WebGPU, in float32 without TF32.

Its first line says its version, its device, and the normalised rms error of each case against float64. Then it takes a command a line,
{"name": case, "budget_ms": time}, and answers with calls, wall and CPU time. A case is {"kernel", "params"}; the last
argument is all of them by name, as JSON. A call takes arrays of the host to the device, computes, and brings the result back; "<case> on the device" is computing alone.
"""
import json
import resource
import sys
import time

import torch
from torch.nn import functional

torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
device = torch.device("cuda")
generator = torch.Generator().manual_seed(1)


def normal(*shape):
    return torch.randn(*shape, generator=generator)


def complex_normal(*shape):
    return torch.complex(normal(*shape), normal(*shape))


def activated(x, activation):
    return [x, functional.relu(x), functional.gelu(x, approximate="tanh"), functional.silu(x)][activation]


cases = {
    "fft": lambda p: (torch.fft.fft, (complex_normal(p["batch"], p["size"]),)),
    "complex-gemm": lambda p: (
        torch.matmul,
        (complex_normal(p["batch"], p["m"], p["k"]), complex_normal(p["batch"], p["k"], p["n"])),
    ),
    "dense": lambda p: (
        lambda x, weight, bias: activated(functional.linear(x, weight, bias), p["activation"]),
        (normal(p["batch"], p["inputs"]), normal(p["outputs"], p["inputs"]), normal(p["outputs"])),
    ),
}


def contenders(kernel, params):
    run, inputs = cases[kernel](params)
    held = [array.to(device) for array in inputs]
    wide = [array.to(torch.complex128 if array.is_complex() else torch.float64) for array in inputs]
    expected = run(*wide)
    error = (run(*held).cpu().to(expected.dtype) - expected).abs().square().sum().sqrt() / expected.abs().square().sum().sqrt()

    def whole():
        run(*(array.to(device) for array in inputs)).cpu()

    def computing():
        run(*held)
        torch.cuda.synchronize()

    return whole, computing, float(error)


calls, errors = {}, {}
for name, case in json.loads(sys.argv[2]).items():
    if case["kernel"] in cases:
        calls[name], calls[f"{name} on the device"], errors[name] = contenders(case["kernel"], case["params"])

hello = {"torch": torch.__version__, "device": torch.cuda.get_device_name(), "errors": errors}
print(json.dumps(hello), flush=True)
for line in sys.stdin:
    command = json.loads(line)
    call, before, began, count = calls[command["name"]], resource.getrusage(resource.RUSAGE_SELF), time.perf_counter(), 0
    while count == 0 or time.perf_counter() - began < command["budget_ms"] / 1000:
        call()
        count += 1
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(json.dumps({"calls": count, "wallMs": wall * 1000, "cpuMs": cpu * 1000}), flush=True)
