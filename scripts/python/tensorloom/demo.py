"""tensorloom demo: a run on each of the four devices, checked against numpy, and one page with their pictures."""
import os
import time

import numpy as np

import tensorloom as tl
from tensorloom.quantities import number_text, quantity_text
from tensorloom.run_directory import InputProblem

OUT = "tensorloom-demo"
PAGE = "report.html"


def phantom(n):
    """A volume of n x n x n/2: a head of ellipsoids in air, which is exactly zero."""
    x, y, z = np.meshgrid(*(np.linspace(-1, 1, size) for size in (n, n, n // 2)), indexing="ij")
    volume = np.zeros(x.shape)
    for density, (a, b, c), (u, v, w) in ((1, (0.7, 0.9, 0.8), (0, 0, 0)), (-0.8, (0.65, 0.85, 0.75), (0, 0, 0)),
                                          (0.3, (0.2, 0.3, 0.4), (0.25, 0, 0)), (0.3, (0.2, 0.3, 0.4), (-0.25, 0, 0)),
                                          (0.5, (0.1, 0.1, 0.2), (0, 0.4, 0.1))):
        volume[((x - u) / a) ** 2 + ((y - v) / b) ** 2 + ((z - w) / c) ** 2 <= 1] += density
    return volume


def devices():
    """Device, what it computes, how it is run, what numpy says."""
    volume, rng = phantom(32), np.random.default_rng(1)
    cube = rng.standard_normal((16, 16, 16))
    vector = rng.integers(-100, 100, 100_000)
    left, right = rng.integers(-8, 9, (2, 64, 64)).astype(np.float32)  # numbers of bfloat16
    yield ("TriADA", "3D DFT of a head of 32 x 32 x 16, zeros skipped",
           lambda: tl.dxt(volume, transform="dft", mesh=(16, 16, 16), sparsity="esop"), np.fft.fftn(volume, norm="ortho"))
    yield ("orbital torus", "3D DFT of 16 x 16 x 16 by compute-and-roll",
           lambda: tl.orbital(cube, transform="dft"), np.fft.fftn(cube, norm="ortho"))
    yield ("MMU/VCU pair", "scan of 100,000 integers", lambda: tl.segmented("scan", vector), np.cumsum(vector))
    yield ("FETTA", "matrix product of 64, sums in float32", lambda: tl.contract("ik,kj->ij", left, right),
           left @ right)


def run_demo(out):
    start = time.monotonic()
    try:
        os.makedirs(out, exist_ok=True)
    except OSError as error:
        raise InputProblem(f"--out is '{out}', expected a directory that can be written ({error.strerror})") from error
    runs = {}
    for name, what, run, expected in devices():
        done = run()
        if not np.allclose(done.result, expected, rtol=1e-4, atol=1e-4):
            raise tl.TensorLoomError(f"{name}: the result differs from numpy's")
        bound = done.summary["bound_by"]["resource"] or "nothing"
        print(f"{name:14} {what:48} {done.cycles:8,} cycles  {quantity_text(done.time_ns, 'ns'):>9}  "
              f"{quantity_text(done.energy_pj, 'pJ'):>9}  bound by {bound}", flush=True)
        runs[name] = done
    page = os.path.join(out, PAGE)
    tl.write_report(runs, page, "Four devices")
    for name, done in runs.items():
        done.save(os.path.join(out, name.replace(" ", "_").replace("/", "_")))
    print(f"All results are those of numpy. {page} has the pictures; {number_text(time.monotonic() - start, 2)} s.")
