"""What testbenches would have written with --out, small and round, its numbers chosen by hand."""
import csv
import json
import os
import tempfile
import unittest

import numpy as np

SHAPE = (2, 3, 4)
PEAK = 200.0


def original():
    """24 elements from 0 to the peak, as int16 like the volume of the demo."""
    values = np.linspace(0, PEAK, 24).round().astype(np.int16).reshape(SHAPE)
    values[-1, -1, -1] = PEAK
    return values


# start cycle, cycles, cause, phase, MACs, and pJ by component; the last one runs beside the load
def records(macs):
    return [(0, 10, "load", "load", 0, {"mac": 0, "memory": 30, "leakage": 1000}),
            (10, 2, "compute", "stage_1", macs // 2, {"mac": macs, "memory": 0, "leakage": 200}),
            (12, 2, "compute", "stage_2", macs // 2, {"mac": macs, "memory": 0, "leakage": 200}),
            (14, 6, "unload", "unload", 0, {"mac": 0, "memory": 10, "leakage": 550}),
            (4, 0, "matrices", "matrices", 0, {"mac": 0, "memory": 0, "leakage": 50})]


def summary(macs, **more):
    """2 ns a cycle, 20 cycles, 2 pJ a MAC, 40 pJ of memory, 100 pJ of leakage a cycle; a mesh of 24 cells, 2 cycles a
    step."""
    return {"schema": "tensorloom-dxt-summary-2", "testbench": "dxt",
            "configuration": {"shape": [2, 3, 4], "out_shape": [2, 3, 4], "transform": "dct,dct,dct", "inverse": False,
                              "sparsity": "dense", "format": "f64", "mesh": [2, 3, 4], "step_cycles": 2, "dma_width_bits": 512,
                              "technology": "45nm", "clock_period_ps": 2000},
            "check": {"passed": True, "max_abs_error": 1e-10, "max_rel_error": 1e-12},
            "cycles": 20, "cycles_by_cause": {"load": 10, "compute": 4, "unload": 6, "matrices": 0}, "simulated_time_ns": 40.0,
            "steps": 2, "steps_skipped": 0, "macs": macs, "macs_skipped": 1000 - macs,
            "energy_pJ": {"total": 2 * macs + 40 + 2000, "mac": 2 * macs, "memory": 40, "leakage": 2000},
            "energy_estimated": ["leakage", "total"], "simulation": {"wall_s": 1.0, "cpu_s": 0.5}, **more}


def write_csv(path, columns, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows)


def write_json(path, content):
    with open(path, "w", encoding="utf-8") as file:
        file.write(content if isinstance(content, str) else json.dumps(content))


def write_run(folder, macs=200, **more):
    """A run of dxt: 64 bytes read and 96 written."""
    os.makedirs(folder)
    write_json(os.path.join(folder, "summary.json"), summary(macs, **more))
    columns = ("command", "cause", "phase", "id", "start_cycle", "cycles", "mac", "platform.device.dma_engine.read_byte",
               "platform.device.dma_engine.write_byte", "platform.device.dma_engine.stalled_cycle")
    write_csv(os.path.join(folder, "latency.csv"), columns,
              [(0, cause, phase, place, start, cycles, done, 64 * (cause == "load"), 96 * (cause == "unload"),
                3 * (cause == "load"))
               for place, (start, cycles, cause, phase, done, _) in enumerate(records(macs))])
    write_csv(os.path.join(folder, "energy.csv"),
              ("command", "cause", "phase", "id", "start_cycle", "cycles", "mac_pJ", "memory_pJ", "leakage_pJ", "total_pJ"),
              [(0, cause, phase, place, start, cycles, *energy.values(), sum(energy.values()))
               for place, (start, cycles, cause, phase, _, energy) in enumerate(records(macs))])
    return folder


def write_jobs(folder):
    """FOLDER/original.npy, FOLDER/dense and FOLDER/esop, each with forward/, inverse/ and reconstruction.npy.

    Every reconstruction is 2 off everywhere: PSNR = 20 log10(200 / 2) = 40 dB.
    """
    os.makedirs(folder, exist_ok=True)
    np.save(os.path.join(folder, "original.npy"), original())
    for name, macs in (("dense", (1000, 1000)), ("esop", (500, 250))):
        job = os.path.join(folder, name)
        for direction, done in zip(("forward", "inverse"), macs):
            write_run(os.path.join(job, direction), done, area_um2={"total": 2e6, "cells": 2e6})
        np.save(os.path.join(job, "reconstruction.npy"), original().astype(np.float64) + 2)


class RunsTest(unittest.TestCase):
    """Has a folder of its own, and the current directory is there."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = os.path.realpath(scratch.name)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.scratch)

    def path(self, *names):
        return os.path.join(self.scratch, *names)
