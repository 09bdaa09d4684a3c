"""What tensorloom-study would have written: four points of a mesh, two runs each, its numbers chosen by hand."""
import csv
import json
import os

# point, repeat, status, mesh, time_ns, energy_pJ, area_um2, on_front, message
ROWS = ((1, 1, "done", "2x2x2", 1000, 5e6, 3e6, "true", ""), (1, 2, "done", "2x2x2", 3000, 7e6, 3e6, "true", ""),
        (2, 1, "done", "4x4x4", 500, 9e6, 8e6, "true", ""), (2, 2, "done", "4x4x4", 500, 9e6, 8e6, "true", ""),
        (3, 1, "done", "<b>&", 4000, 8e6, 9e6, "false", ""), (3, 2, "done", "<b>&", 4000, 8e6, 9e6, "false", ""),
        (4, 1, "done", "8x8x8", 100, 1e6, 1e6, "false", ""), (4, 2, "wrong", "8x8x8", 100, 1e6, 1e6, "false", "it is <wrong>"))
# point, status, mesh, on_front, and mean and deviation of time_ns, energy_pJ, area_um2
POINTS = ((1, "done", "2x2x2", "true", 2000, 1414.2, 6e6, 1.4142e6, 3e6, 0), (2, "done", "4x4x4", "true", 500, 0, 9e6, 0, 8e6, 0),
          (3, "done", "<b>&", "false", 4000, 0, 8e6, 0, 9e6, 0), (4, "wrong", "8x8x8", "false", "", "", "", "", "", ""))
MEASURED = ("time_ns", "energy_pJ", "area_um2")
OTHERS = ("cycles", "power_mW", "utilisation", "macs", "max_rel_error")
COLUMNS = ("point", "repeat", "status", "mesh", "time_ns", "energy_pJ", "area_um2", "on_front", "message")


def write_points(folder, meets):
    with open(os.path.join(folder, "points.csv"), "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        names = [name + ending for name in (*MEASURED, *OTHERS) for ending in ("", "_deviation")]
        writer.writerow(("point", "status", "mesh", *names, "meets", "on_front"))
        for number, status, mesh, on_front, *values in POINTS:
            met = str(number in meets).lower()
            writer.writerow((number, status, mesh, *values, *[""] * 2 * len(OTHERS), met, on_front if met == "true" else "false"))


def write_study(folder, meets=(1, 2, 3), **more):
    """meets: the points that meet the constraints; more: of study.json, instead of what is told here."""
    told = {"schema": "tensorloom-study-1", "testbench": "dxt", "options": {"zeros": "0.5"}, "swept": ["mesh"], "points": 4,
            "runs": 8, "measures": {}, "objectives": {"latency": "min", "energy": "min", "area": "min"}, "constraints": [],
            "shares": ["utilisation"], "question": "", **more}
    with open(os.path.join(folder, "study.json"), "w", encoding="utf-8") as file:
        json.dump(told, file)
    with open(os.path.join(folder, "results.csv"), "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow((*COLUMNS, "wall_s", "host", "version", "commit", "id"))
        writer.writerows((*row, 0.25, "here", "0.2.0", "abc", "1") for row in ROWS)
    write_points(folder, meets)
