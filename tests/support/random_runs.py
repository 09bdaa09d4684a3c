"""Runs a testbench on what a number has made, compares, and lists the complaints."""
import argparse
import json
import os
import subprocess
import tempfile
import time

import numpy as np

from numpy_training import Spread
from testbench_program import BAD_INPUT, RIGHT, load_json, program_path

MOST_SECONDS = 300
MOST_COSTS = 1.02     # cycles of what should not cost more than something else, of its cycles,
COST_OF_CHANCE = 300  # plus so many: where a refresh of the DRAM falls
DETAILED_MACS = 20000  # most of a run that is repeated with the fidelity detailed


class Runs:
    """Runs of one case, in a folder; `complaints`: a line for each thing that is wrong."""
    program = None
    too_small = None  # pattern of the refusal of a case that needs a larger memory

    def __init__(self, number, folder):
        self.number, self.folder, self.complaints, self.notes = number, folder, [], {}
        os.makedirs(folder, exist_ok=True)

    def complain(self, text):
        self.complaints.append(f"{self.program} {self.number}: {text}")

    def options(self):
        """Of the program, by name; writes its results to out.npz and files."""
        raise NotImplementedError

    def line(self, **changes):
        words = []
        for name, value in {**self.options(), **{name.replace("_", "-"): value for name, value in changes.items()}}.items():
            if value is not None:
                words += [f"--{name}"] if value is True else [f"--{name}", str(value)]
        return words

    def run(self, **changes):
        """Summary and arrays of a run; None if it was refused for its memory, or failed, which is a complaint."""
        line = self.line(**changes)
        began = time.monotonic()
        try:
            done = subprocess.run([os.path.abspath(program_path(self.program)), *line], cwd=self.folder, text=True,
                                  timeout=MOST_SECONDS, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE)
        except subprocess.TimeoutExpired:
            self.complain(f"{' '.join(line)}: not finished in {MOST_SECONDS} s")
            return None
        self.notes.setdefault("seconds", time.monotonic() - began)
        if done.returncode == BAD_INPUT and self.too_small.search(done.stderr):
            self.notes.setdefault("refused", []).append(" ".join(line) + ": " + done.stderr.strip())
            return None
        if done.returncode != RIGHT:
            self.complain(f"{' '.join(line)}: exit status {done.returncode}, {done.stderr.strip()}")
            return None
        with np.load(os.path.join(self.folder, "out.npz")) as file:
            arrays = dict(file)
        return load_json(os.path.join(self.folder, "files", "summary.json")), arrays

    def near_float64(self, results, most):
        """Each (name, array of the device, replicas)."""
        self.notes.update(worst=0, of="nothing")
        for name, found, replicas in results:
            spread = Spread(found, replicas)
            if not spread.ratio <= self.notes["worst"]:
                self.notes.update(worst=spread.ratio, of=name)
            if not spread.ratio <= most:
                self.complain(f"{name} is {spread.distance:.3g} from float64, expected at most {most * spread.size:.3g}")

    def costs_at_most(self, what, cycles, other, times=1, most=MOST_COSTS):
        self.notes[what] = cycles / other
        most = most * other + times * COST_OF_CHANCE
        if cycles > most:
            self.complain(f"{what}: {cycles} cycles, expected at most {most:.0f}, which follow from {other}")

    def larger_memory(self, bank):
        """Summary of a run with banks of four times the size, or None."""
        larger = self.run(bank_bytes=4 * bank, no_check=True)
        return larger and larger[0]

    def both_fidelities(self, summary, arrays):
        found = self.run(fidelity="detailed", no_check=True) if summary["macs"] <= DETAILED_MACS else None
        if found is None:
            return
        for field in ("cycles_by_cause", "events", "energy_pJ"):
            if found[0][field] != summary[field]:
                self.complain(f"{field} of detailed is {found[0][field]}, of fast {summary[field]}")
        if any(found[1][name].tobytes() != arrays[name].tobytes() for name in arrays):
            self.complain("results of detailed are other than those of fast")

    @staticmethod
    def complaints_of(outcome_of, numbers):
        complaints = []
        for number in numbers:
            with tempfile.TemporaryDirectory(prefix="random-") as folder:
                complaints += outcome_of(number, folder).complaints
        return complaints


def main_of(description, outcome_of):
    """The command line of a test. `outcome_of`: (number, folder, whether to compare costs) -> Runs."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--case", type=int)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--log", help="append a JSON line for each case")
    parser.add_argument("--no-costs", action="store_true", help="no runs with other memories and batches")
    o = parser.parse_args()
    numbers = range(o.first, o.first + o.count) if o.case is None else [o.case]
    failed = 0
    for number in numbers:
        if o.case is not None:
            runs = outcome_of(number, f"random-{number}", not o.no_costs)
            print(f"in {runs.folder}: {runs.program} {' '.join(runs.line())}\n{runs.notes}")
        else:
            with tempfile.TemporaryDirectory(prefix="random-") as folder:
                runs = outcome_of(number, folder, not o.no_costs)
        for complaint in runs.complaints:
            print("FAILED:", complaint, flush=True)
        failed += bool(runs.complaints)
        if o.log:
            with open(o.log, "a", encoding="utf-8") as file:
                file.write(json.dumps({"number": number, "complaints": runs.complaints, **runs.notes}) + "\n")
    print(f"{len(numbers)} cases, {failed} with complaints")
    return 1 if failed else 0
