"""A dense and an ESOP job on disk whose numbers were chosen by hand: what dxt would have written, small and round."""
import csv
import json
import os

import numpy as np

SHAPE = (2, 3, 4)
PEAK = 200.0


def original():
    """24 elements from 0 to the peak, as int16 like the volume of the demo."""
    values = np.linspace(0, PEAK, 24).round().astype(np.int16).reshape(SHAPE)
    values[-1, -1, -1] = PEAK
    return values


# start cycle, cycles, cause, phase, MACs, and pJ by component
def records(macs):
    return [(0, 10, "load", "load", 0, {"mac": 0, "memory": 30, "leakage": 1000}),
            (10, 2, "compute", "stage_1", macs // 2, {"mac": macs, "memory": 0, "leakage": 200}),
            (12, 2, "compute", "stage_2", macs // 2, {"mac": macs, "memory": 0, "leakage": 200}),
            (14, 6, "unload", "unload", 0, {"mac": 0, "memory": 10, "leakage": 600})]


def summary(macs, steps_skipped, kept, error, cpu_s):
    """2 ns a cycle, 20 cycles, 2 pJ a MAC, 40 pJ of memory, 100 pJ of leakage a cycle."""
    return {"schema": "tensorloom-dxt-summary-1",
            "configuration": {"technology": "45nm", "clock_period_ps": 2000},
            "check": {"passed": True, "max_abs_error": error, "max_rel_error": error / PEAK},
            "cycles": 20,
            "cycles_by_cause": {"load": 10, "compute": 4, "unload": 6},
            "simulated_time_ns": 40.0,
            "steps": 2,
            "steps_skipped": steps_skipped,
            "macs": macs,
            "macs_skipped": 1000 - macs,
            "utilisation": macs / 1000,
            "energy_pJ": {"total": 2 * macs + 40 + 2000, "mac": 2 * macs, "memory": 40, "leakage": 2000},
            "energy_estimated": ["leakage", "total"],
            "kept": kept,
            "simulation": {"wall_s": 2 * cpu_s, "cpu_s": cpu_s}}


def write_csv(path, columns, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows)


def write_run(folder, macs, steps_skipped, kept, error, cpu_s):
    os.makedirs(folder)
    with open(os.path.join(folder, "summary.json"), "w", encoding="utf-8") as file:
        json.dump(summary(macs, steps_skipped, kept, error, cpu_s), file)
    write_csv(os.path.join(folder, "latency.csv"), ("command", "cause", "phase", "id", "start_cycle", "cycles", "mac"),
              [(0, cause, phase, 0, start, cycles, done) for start, cycles, cause, phase, done, _ in records(macs)])
    write_csv(os.path.join(folder, "energy.csv"),
              ("command", "cause", "phase", "id", "start_cycle", "cycles", "mac_pJ", "memory_pJ", "leakage_pJ", "total_pJ"),
              [(0, cause, phase, 0, start, cycles, *energy.values(), sum(energy.values()))
               for start, cycles, cause, phase, _, energy in records(macs)])


def write_jobs(folder):
    """FOLDER/original.npy, FOLDER/dense and FOLDER/esop.

    Every reconstruction is 2 off everywhere: PSNR = 20 log10(200 / 2) = 40 dB.
    """
    os.makedirs(folder, exist_ok=True)
    np.save(os.path.join(folder, "original.npy"), original())
    for name, macs, skipped, cpu_s in (("dense", (1000, 1000), 0, 0.5), ("esop", (500, 250), 3, 0.25)):
        job = os.path.join(folder, name)
        write_run(os.path.join(job, "forward"), macs[0], skipped, 5, 1e-10, cpu_s)
        write_run(os.path.join(job, "inverse"), macs[1], skipped, None, 3e-12, cpu_s)
        np.save(os.path.join(job, "reconstruction.npy"), original().astype(np.float64) + 2)
