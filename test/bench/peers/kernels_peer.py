"""Contenders of the kernels' bench: FFTW, pocketfft, OpenBLAS and NumPy, on one thread, in float32.

Arguments: the folder of its environment, and the sizes of the cases to run as JSON. Its first line has the versions and, for each
contender, the normalised rms error against float64. Then it takes a command a line, {"name": contender, "budget_ms": time}, and answers
with calls, wall and CPU time. FFTW is called in a loop of C, so that the interpreter
is not measured; where there is no C compiler it is left out.
"""
import ctypes
import ctypes.util
import glob
import json
import os
import resource
import subprocess
import sys
import time

import numpy as np
import pyfftw

environment = sys.argv[1]
generator = np.random.default_rng(1)


def complex_normal(*shape):
    return (generator.standard_normal(shape) + 1j * generator.standard_normal(shape)).astype(np.complex64)


def nrmse(actual, expected):
    error = np.abs(np.asarray(actual, np.result_type(expected.dtype)) - expected)
    return float(np.sqrt(np.sum(error**2) / np.sum(np.abs(expected) ** 2)))


def loop_in_c():
    """A function that calls a function of one pointer many times."""
    source = os.path.join(environment, "repeat.c")
    library = os.path.join(environment, "repeat.so")
    with open(source, "w") as file:
        file.write("void repeat(void (*call)(void *), void *data, long times) { while (times-- > 0) call(data); }\n")
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", library, source], check=True)
    return ctypes.CDLL(library).repeat


def fftw_library():
    """The system's FFTW, else that of Debian's package, else pyfftw's own, which is old and knows no multiply-add."""
    system = ctypes.util.find_library("fftw3f")
    if system is not None:
        return ctypes.CDLL(system)
    unpacked = os.path.join(environment, "debian")
    pattern = os.path.join(unpacked, "usr", "lib", "*", "libfftw3f.so.3")
    if not glob.glob(pattern):
        try:
            quiet = {"cwd": environment, "check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            subprocess.run(["apt-get", "download", "libfftw3-single3"], **quiet)
            package = glob.glob(os.path.join(environment, "libfftw3-single3_*.deb"))[0]
            subprocess.run(["dpkg-deb", "-x", package, unpacked], **quiet)
        except (OSError, subprocess.CalledProcessError):
            pass
    own = os.path.join(os.path.dirname(pyfftw.__file__), "..", "pyfftw.libs", "libfftw3f-*")
    return ctypes.CDLL((glob.glob(pattern) or glob.glob(own))[0])


def fftw(size):
    """FFTW's best plan for one transform of interleaved numbers."""
    repeat = loop_in_c()
    library = fftw_library()
    library.fftwf_plan_dft_1d.restype = ctypes.c_void_p
    source = pyfftw.empty_aligned(size, "complex64")
    target = pyfftw.empty_aligned(size, "complex64")
    forward, patient = -1, 1 << 5
    pointers = (array.ctypes.data_as(ctypes.c_void_p) for array in (source, target))
    plan = library.fftwf_plan_dft_1d(size, *pointers, forward, patient)
    source[:] = complex_normal(size)
    execute = ctypes.cast(library.fftwf_execute, ctypes.c_void_p)
    run = lambda times: repeat(execute, ctypes.c_void_p(plan), ctypes.c_long(times))
    run(1)
    version = ctypes.string_at(ctypes.addressof(ctypes.c_char.in_dll(library, "fftwf_version"))).decode()
    return run, nrmse(target, np.fft.fft(source.astype(np.complex128))), version


def pocketfft(size, batch):
    source = complex_normal(batch, size)
    target = np.empty_like(source)
    np.fft.fft(source, axis=1, out=target)

    def run(times):
        for _ in range(times // batch):
            np.fft.fft(source, axis=1, out=target)

    return run, nrmse(target, np.fft.fft(source.astype(np.complex128), axis=1))


def product(m, k, n):
    a, b = complex_normal(m, k), complex_normal(k, n)
    c = np.empty((m, n), np.complex64)
    np.matmul(a, b, out=c)

    def run(times):
        for _ in range(times):
            np.matmul(a, b, out=c)

    return run, nrmse(c, a.astype(np.complex128) @ b.astype(np.complex128))


def back_projection(points, links, tones):
    """By sines and cosines of every tone, and by Horner's scheme in blocks that fit the cache."""
    dynamic = complex_normal(links, tones)
    steering = (0.4 * generator.random((links, points))).astype(np.float32)
    index = np.arange(tones, dtype=np.float32)
    energy = np.sum(np.abs(dynamic) ** 2, axis=1) * tones
    block = 4096

    def blocks():
        return (slice(at, at + block) for at in range(0, points, block))

    def direct():
        out = np.zeros(points, np.float32)
        for link in range(links):
            re, im = dynamic[link].real.copy(), dynamic[link].imag.copy()
            for part in blocks():
                phase = np.outer(steering[link, part], index)
                cos, sin = np.cos(phase), np.sin(phase)
                x, y = cos @ re - sin @ im, cos @ im + sin @ re
                out[part] += (x * x + y * y) / energy[link]
        return out

    def horner():
        out = np.zeros(points, np.float32)
        for link in range(links):
            for part in blocks():
                theta = steering[link, part]
                z = np.empty(len(theta), np.complex64)
                z.real, z.imag = np.cos(theta), np.sin(theta)
                total = np.full(len(theta), dynamic[link, -1], np.complex64)
                for tone in range(tones - 2, -1, -1):
                    np.multiply(total, z, out=total)
                    np.add(total, dynamic[link, tone], out=total)
                out[part] += (total.real**2 + total.imag**2) / energy[link]
        return out

    expected = np.zeros(points)
    for link in range(links):
        phase = np.outer(steering[link].astype(np.float64), np.arange(tones))
        expected += np.abs(np.exp(1j * phase) @ dynamic[link].astype(np.complex128)) ** 2 / energy[link]

    def repeated(function):
        def run(times):
            for _ in range(times):
                function()

        return run

    return (repeated(direct), nrmse(direct(), expected)), (repeated(horner), nrmse(horner(), expected))


def cpu_s():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def measure(run, grain, budget_ms):
    calls = 0
    cpu_before = cpu_s()
    began = time.perf_counter()
    while True:
        run(grain)
        calls += grain
        wall_ms = (time.perf_counter() - began) * 1000
        if wall_ms >= budget_ms:
            return {"calls": calls, "wallMs": wall_ms, "cpuMs": (cpu_s() - cpu_before) * 1000}


def openblas_core():
    """The instruction set that OpenBLAS chose."""
    found = glob.glob(os.path.join(os.path.dirname(np.__file__), "..", "numpy.libs", "libscipy_openblas*"))
    name = ctypes.CDLL(found[0]).scipy_openblas_get_corename64_
    name.restype = ctypes.c_char_p
    return name().decode()


sizes = json.loads(sys.argv[2])
versions = {"numpy": np.__version__}
contenders = {}
errors = {}


def enter(name, grain, made):
    """Makes a contender known; `grain` calls are made between two looks at the clock."""
    run, errors[name] = made
    contenders[name] = run, grain


if "fft" in sizes:
    try:
        run, error, versions["fftw"] = fftw(**sizes["fft"])
        enter("fftw", 1000, (run, error))
    except (OSError, subprocess.CalledProcessError):
        versions["fftw"] = "not run: there is no C compiler"
    enter("pocketfft", 64, pocketfft(batch=64, **sizes["fft"]))
if "gemm" in sizes:
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    versions["openblas"] = f"{blas['version']} on {openblas_core()}"
    enter("openblas", 1, product(**sizes["gemm"]))
if "projection" in sizes:
    direct, horner = back_projection(**sizes["projection"])
    enter("numpy, a sine each", 1, direct)
    enter("numpy, Horner", 1, horner)
print(json.dumps({"versions": versions, "errors": errors}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps(measure(*contenders[request["name"]], request["budget_ms"])), flush=True)
