"""Simulates the programs of a network, each distinct one once, several at a time."""
import concurrent.futures
import csv
import json
import math
import numbers
import os
import tempfile
from dataclasses import dataclass, field

from tensorloom.arguments import Place, command_arguments, named_options
from tensorloom.execution import Processes, ends_cleanly, execute
from tensorloom.network_cost.work import FORWARD, PHASES
from tensorloom.programs import option_table
from tensorloom.progress import Bar
from tensorloom.run_directory import InputProblem

# Options of contract that plan a contraction: neither its programs for the vector unit nor tnn_step take them.
PLANNING = ("layout", "reordering", "flatten")
OBJECTIVE = "objective"  # of contract and tnn_step
DEFAULTS = {"layout": "offchip"}
# Options that a node determines, or that make no sense for many programs.
REFUSED = ("einsum", "sizes", "input", "allow-nonfinite", "output", "mapping", "split", "store", "program", "max-cycles",
           "save-program", "profile", "watch", "config", "vcd", "address-trace", "address-trace-format", "address-trace-burst",
           "no-check", "seed")
STEP_PHASES = {"fp": "forward", "bp": "backward", "wg": "weight_gradient", "update": "update"}
PROGRAM = "program.asm"
LONGEST = 10 ** 12  # cycles of a program
WHOLE = "i,i->i"    # operands of a program for the vector unit, which reads none of them


@dataclass
class Price:
    """What a simulated program costs."""
    summary: dict
    energy_by_cause: dict            # cause -> component -> pJ
    phases: dict = field(default_factory=dict)  # phase -> cycles, of a step

    @property
    def cycles(self):
        return self.summary["cycles"]

    @property
    def macs(self):
        return self.summary["macs"]


def device_options(given):
    """The options of the device from those of the caller, by the names of `contract`; rejects all others."""
    table = option_table("contract")
    named = {table.name_of(name): value for name, value in named_options(table, given).items() if value is not None}
    for name in named:
        if name in REFUSED:
            raise InputProblem(f"cost: --{name} is not an option of a network's cost: its nodes determine it")
    command_arguments(table, named, Place())
    return named


def options_of(work, named, folder):
    """The options of one program, by name."""
    own = dict(work.given)
    if work.program is not None:
        with open(os.path.join(folder, PROGRAM), "w", encoding="utf-8") as file:
            file.write(work.program.text)
        own = {"einsum": WHOLE, "sizes": {"i": memory_size(work, named)}, "program": os.path.join(folder, PROGRAM),
               "max-cycles": LONGEST}
    allowed = option_table(work.testbench).options
    taken = {name: value for name, value in named.items() if name in allowed}
    if work.testbench != "contract" or work.program is not None:
        taken = {name: value for name, value in taken.items() if name not in PLANNING}
        if work.program is not None:
            taken.pop(OBJECTIVE, None)
    else:
        taken = {**DEFAULTS, **taken}
    return {**taken, **own, "no-check": True}


def memory_size(work, named):
    """Elements of the operands: an SRAM has room for them alone, a DRAM for all."""
    return work.program.bytes // 8 + 4096 if named.get("memory") == "sram" else 1


def price(work, named, processes=None):
    """Simulates one program."""
    table = option_table(work.testbench)
    with tempfile.TemporaryDirectory(prefix="tensorloom-") as folder, Bar(work.testbench, False) as bar:
        arguments = command_arguments(table, options_of(work, named, folder), Place(folder, folder))
        out = os.path.join(folder, "run")
        execute(work.testbench, table.path, [*arguments, "--quiet", f"--out={out}"], folder, bar, processes)
        with open(os.path.join(out, "summary.json"), encoding="utf-8") as file:
            summary = json.load(file)
        by_cause = energy_by_cause(os.path.join(out, "energy.csv"))
    phases = {STEP_PHASES[name]: phase["cycles"] for name, phase in summary.get("phases", {}).items()}
    return Price(summary, by_cause, phases)


def energy_by_cause(path):
    found = {}
    with open(path, encoding="utf-8", newline="") as file:
        reader = csv.reader(file)
        names = next(reader)
        cause = names.index("cause")
        columns = [(place, name.removesuffix("_pJ")) for place, name in enumerate(names)
                   if name.endswith("_pJ") and name != "total_pJ"]
        for row in reader:
            sums = found.setdefault(row[cause], dict.fromkeys((name for _, name in columns), 0.0))
            for place, name in columns:
                sums[name] += float(row[place])
    return found


def prices(works, named, workers, progress):
    """work -> Price, of all distinct works; the largest ones first, `workers` at a time."""
    if workers is not None and (isinstance(workers, bool) or not isinstance(workers, numbers.Integral) or workers < 1):
        raise InputProblem(f"cost: workers is {workers!r}, expected an integer of at least 1")
    distinct = sorted(dict.fromkeys(works), key=size_of, reverse=True)
    workers = workers or len(os.sched_getaffinity(0))
    processes, found = Processes(), {}
    with ends_cleanly(), Bar("cost", progress) as bar, concurrent.futures.ThreadPoolExecutor(workers) as pool:
        waiting = {pool.submit(price, work, named, processes): work for work in distinct}
        try:
            for done, future in enumerate(concurrent.futures.as_completed(waiting), 1):
                found[waiting[future]] = future.result()
                bar.show(done / len(distinct), f"{done} of {len(distinct)} programs")
        except BaseException:
            processes.stop()
            pool.shutdown(cancel_futures=True)
            raise
    return found


def size_of(work):
    """An estimate of the work of simulating a program, to begin with the longest."""
    if work.testbench == "tnn_step":
        return 1e10
    if work.program is not None:
        return work.program.bytes * 100
    return math.prod(int(entry.partition("=")[2]) for entry in dict(work.given)["sizes"].split(","))


def phases_of(part, found):
    """Phase -> cycles of one run of a part."""
    cost = found[part.work]
    if part.phase != "step":
        return {part.phase: cost.cycles}
    phases = {phase: cost.phases.get(phase, 0) for phase in PHASES}
    phases[FORWARD] += cost.cycles - sum(phases.values())
    return phases
