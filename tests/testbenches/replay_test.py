"""Random runs of every testbench, each repeated from its summary: the second is the first to the byte, in all that it
prints and writes, apart from what the simulation itself took. Every option is among those that are drawn, each in at
least one valid run. TENSORLOOM_REPLAY_SEED draws others."""
import concurrent.futures
import json
import os
import random
import re
import shlex
import shutil
import unittest

import numpy as np

from testbench_manifests import SIMULATED, TEST_JOBS
from testbench_program import BAD_INPUT, RIGHT, SOURCE, WRONG, TestbenchTest

SEED = int(os.environ.get("TENSORLOOM_REPLAY_SEED", "18"))
LEAST_RUNS = 100
OPTIONS_OF_A_RUN = 3
PATIENCE = 30  # draws of an option's value, until a run with it is valid

# In tables of words `5?` stands for a number from 1 to 5, drawn.
JOBS = {name: jobs["replay"]["jobs"] for name, jobs in TEST_JOBS.items()}

# Options that stand with other words only: those of a job of its own, or what is added to any job.
JOB_OF = {name: {option: job for options, job in jobs["replay"].get("job_of", {}).items() for option in options.split()}
          for name, jobs in TEST_JOBS.items()}
BESIDE = {"address-trace-format": "--address-trace run.trace", "address-trace-burst": "--address-trace run.stl",
          "watch": "--vcd wave.vcd --fidelity detailed", "memory-latency": "--memory sram", "clock": "--allow-overclock",
          "budget": "--equal area --devices triada,fetta",
          "memory-ports": "--memory sram", "dram": "--memory dram", "memory-bandwidth": "--memory dram", "samples": "--batch 2",
          "zero-threshold": "--fill sparse", "priority": "--arbitration priority", "share": "--arbitration weighted"}

# Values: of any option of this name, of this form, of this type; testbenches may have others of their own.
VALUES = {
    "accelerators": "fetta tpu ette treta,tpu", "accumulator-bytes": "4096 8192 16384",
    "address-trace": "run.stl", "address-trace-burst": "8 64 4096", "address-trace-format": "ramulator ramulator2",
    "algorithm": "dense sparse tclosure", "array": "4 8", "bank-bytes": "16384 32768 65536", "banks": "8 16 64", "bits": "4?",
    "block-samples": "1 2", "budget": "30 300", "buffer-cycles": "0 1 16", "burst": "4 64 512 8192", "chain-file": "../chain.yaml", "conflicts": "2?", "cutoff": "2 4", "data": "../samples.npz",
    "dram": "lpddr4-3200 ../dram.yaml", "einsum": "ij,jk->ik ij,kj->ki", "engines": "4 16 64", "epochs": "1",
    "factors": "f1.npy,f2.npy,f3.npy", "flags": "../flags.npy", "inner": "6?", "initial": "../x.npy",
    "input": "../x.npy", "lanes": "8? 16 64", "layer": "ucf-tt atis-tt", "length": "9?", "matrix": "../matrix.mtx",
    "matrix-elements": "64 65536", "max-cycles": "1000000", "mesh": "4?x4?x4?", "model": "../model.yaml",
    "network": "../network.json", "on-chip": "1 100 1000", "outstanding": "64?", "points": "4?",
    "priority": "large_host=3 small.dma=1,large.dma=0", "share": "large.dma=60 small.dma=30,large_host=10",
    "program": "../program.bin", "program-prefetch": "0 64 256", "ranks": "2?", "resume": "../state.bin",
    "schedule": "+++ +-+ --- -++", "scratchpad": "65536 1048576", "size": "4 16",
    "split": "16,1,1,1 1,16,1,1 1,4,2,2", "sram-banks": "1 4 16 256", "sequences": "shared own ascending",
    "time-limit": "60", "trace-step": "1:2 1:1", "vcd": "wave.vcd", "variant": "scan scan_tile scan_vcu",
    "watch": "0,0,0 0,0 networks engine=0", "word-bits": "8 16", "workloads": "atis-tt",
    "step-cycles": "9?", "seed": "0 7 18446744073709551615",
    "transform": "dct dft dht,dst,dct dwht-sequency,dct,identity file:../w.npy", "load-elements": "9?",
    "312": "123 231 321", "EPS": "0.1 0.5", "F[,F,F]": "0 0.5 0,0.25,1", "FACTOR": "0.5 1 2", "FRACTION": "0 0.25 1", "GB/s": "6.4 51.2", "GHZ": "0.5 1.3 3",
    "K1xK2xK3": "6?x6?x6?", "MM": "0.5 3", "N1xN2xN3": "5?x5?x5?",
    "NAME=N[,NAME=N]": "large.dma=15? small.dma=3?,small_host=3?",
    "NAME=PERCENT[,NAME=PERCENT]": "large.dma=97? small.dma=40?,large_host=50?", "NAME|FILE": "45nm 7nm ../technology.yaml",
    "PER_PITCH": "0.5 2", "Q|R|S|none": "Q R S none", "RATE": "0.5 1e-3", "R1xR2xR3": "2?x2?x2?", "S,S,S": "3?,3?,3?",
    "TIME": "0 10ns 1us", "V": "0.65 0.7 0.8", "VALUE": "0 0.5 2", "T[,T,T]": "dct dft dht,dst,dwht-sequency identity", "X": "0 1e-3 0.5",
    "[M=]M1xM2x..": "2x2 3x2", "[N=]N1xN2x..": "2x2 4x2", "fp|fp,bp,wg|fp,bp,wg,update": "fp fp,bp,wg fp,bp,wg,update",
    "i=N,j=N,..": "i=9?,j=9?,k=9?", "none|operand|sliced[:M]|shared": "none operand sliced sliced:2 shared", "triada": "triada",
    "integer": "1 2 4 8 16?", "file": "result", "B1xB2xB3": "2 3?x3?x3?",
}

# Options that run nothing (--serve: without requests), are in every run, or take long.
NOT_DRAWN = {"config", "dry-run", "help", "help-json", "version", "out", "theorems", "serve"}
OF_A_SIMULATION = {"vcd", "watch", "address-trace", "address-trace-burst", "address-trace-format"}
OF_A_PLATFORM = {"memory", "dram", "memory-bandwidth", "memory-latency", "memory-ports", "dma-width", "burst", "outstanding",
                 "overlap-runs"}
# Matters of one run, which its repetition is asked again: where results go, what is shown.
OF_ONE_RUN = {"address-trace", "address-trace-burst", "address-trace-format", "checkpoint", "checkpoint-every", "core", "factors",
              "json", "large-output", "output", "profile", "quiet", "save", "save-program", "small-output", "trace-step", "vcd",
              "watch", "weights-out"}

SIMULATION = re.compile(rb'\n    "simulation": \{[^{}]*\}')
SIMULATION_LINE = re.compile(rb"\n  simulation {12}[^\n]*")
DATE = re.compile(rb"\A\$date\s[^$]*\$end")


def lasting(name, data):
    """A file without what is of the time when it was made."""
    if name in ("stdout", "out/summary.json", "found.json"):
        kept, cuts = (SIMULATION_LINE if name == "stdout" else SIMULATION).subn(b"", data)
        assert cuts <= 1, name
        return kept
    return DATE.sub(b"", data) if name == "wave.vcd" else data


def difference(first, second):
    """The first place where two runs are not the same, as a phrase, or none."""
    for name in sorted(set(first) | set(second)):
        if name not in first or name not in second:
            return f"{name} is written by one of them alone"
        a, b = (lasting(name, files[name]).splitlines() for files in (first, second))
        if a != b:
            at = next((n for n, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            return f"{name}, line {at + 1}: {a[at:at + 1]} became {b[at:at + 1]}"
    return None


class Runs:
    """Of one testbench: draws command lines, runs each of the valid ones twice."""

    def __init__(self, test, program):
        self.test, self.program = test, program
        self.random = random.Random(f"{SEED} {program}")
        listing = json.loads(test.succeeds("--help-json", program=program).out)
        self.options = {option["name"]: option for option in listing["options"]}
        self.named = {option["synonym"]: option["name"] for option in listing["options"] if option["synonym"]}
        self.valid, self.drawn, self.wrong = [], 0, []

    def words(self, table):
        """Of a table, with the numbers drawn, as options and values; the value of a flag is nothing."""
        text = re.sub(r"(\d+)\?", lambda m: str(self.random.randint(1, int(m[1]))), table)
        line, words = {}, shlex.split(text)
        while words:
            name = words.pop(0)[2:]
            name = self.named.get(name, name)
            line[name] = words.pop(0) if self.options[name]["form"] else None
        return line

    def value(self, option):
        draw, form = self.random, option["form"]
        own = TEST_JOBS[self.program]["replay"].get("values", {})
        for values, key in ((own, option["name"]), (VALUES, option["name"]), (VALUES, form)):
            if key in values:
                return draw.choice(values[key].split())
        if option["choices"]:
            return draw.choice(option["choices"])
        self.test.assertIn(option["type"], VALUES, f"no value is known for --{option['name']} {form} of {self.program}")
        return draw.choice(VALUES[option["type"]].split())

    def line(self, names):
        """A job with these options."""
        own = JOB_OF[self.program]
        jobs = [own[name] for name in names if name in own]
        line = self.words(jobs[0] if jobs else self.random.choice(JOBS[self.program]))
        for name in names:
            if self.options[name]["form"] is None:
                line[name] = None
            else:
                value = shlex.quote(self.value(self.options[name]))
                line.update(self.words(f"--{name} {value} {BESIDE.get(name, '')}"))
        return line

    def run(self, words, folder):
        """The status, and all that a run prints and writes."""
        place = self.test.path(f"{self.program}-{len(self.valid)}-{self.drawn}-{folder}")
        os.mkdir(place)
        done = self.test.run_program(shlex.join([*words, "--out", "out"]), program=self.program, cwd=place)
        files = {"stdout": done.out.encode(), "stderr": done.err.encode()}
        for at, _, names in os.walk(place):
            for name in names:
                path = os.path.join(at, name)
                files[os.path.relpath(path, place)] = self.test.read_bytes(path)
        return done.status, files, place

    def told(self, line):
        return [word for name, value in line.items() for word in (f"--{name}", value) if word is not None]

    def repeat(self, names):
        """A run with these options, and its repetition; false if it is refused."""
        line = self.line(names)
        self.drawn += 1
        status, first, place = self.run(self.told(line), "first")
        if status == BAD_INPUT:
            return False
        again = {name: value for name, value in line.items() if name in OF_ONE_RUN}
        summary = os.path.join("..", os.path.basename(place), "out/summary.json")
        second_status, second, _ = self.run(["--config", summary, *self.told(again)], "second")
        found = f"status {status} became {second_status}" if status != second_status else difference(first, second)
        if found or status not in (RIGHT, WRONG) or "out/summary.json" not in first:
            self.wrong.append((" ".join([self.program, *self.told(line)]), found or f"status {status}"))
        self.valid.append(line)
        return True

    def repeat_all(self):
        """Every option in some valid run, a few in each."""
        own = set(TEST_JOBS[self.program]["replay"].get("not_drawn", "").split())
        deck = sorted(set(self.options) - NOT_DRAWN - own - (OF_A_SIMULATION if self.program not in SIMULATED else set())
                      - (OF_A_PLATFORM if TEST_JOBS[self.program].get("own_platform") else set()))
        self.random.shuffle(deck)
        while deck:
            names, deck = deck[:OPTIONS_OF_A_RUN], deck[OPTIONS_OF_A_RUN:]
            if not self.repeat(names):
                for name in names:
                    if not any(self.repeat([name]) for _ in range(PATIENCE)):
                        self.wrong.append((self.program, f"no valid run with --{name}"))
        return self


class Replay(TestbenchTest):
    program = "replay"

    def prepare(self):
        """The files that command lines name."""
        draw = np.random.default_rng(5)
        self.save("x.npy", draw.integers(-3, 4, (4, 3, 5)).astype(float))
        self.save("numbers.npy", np.arange(20))
        self.save("flags.npy", np.arange(20) % 3 % 2)
        self.save("a.npy", draw.normal(size=(6, 7)).astype(np.float32))
        self.save("b.npy", draw.normal(size=(7, 5)).astype(np.float32))
        self.save("s.npy", np.arange(16.0).reshape(4, 4))
        self.save("w.npy", np.eye(4))
        self.save("m3.npy", draw.normal(size=(3, 2)))
        self.save("m5.npy", draw.normal(size=(5, 6)))
        self.save("step-x.npy", draw.normal(size=(2, 6)))
        self.save("step-dy.npy", draw.normal(size=(2, 4)))
        np.savez(self.path("step-cores.npz"), G1=draw.normal(size=(2, 2, 2)), G2=draw.normal(size=(2, 2, 3)))
        self.save_text("chain.yaml", "chain:\n  - transform: dct\n  - multiply: x.npy\n  - threshold: 1\n  - transform: dst\n")
        self.save_text("matrix.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n3 2 2\n")
        np.savez(self.path("samples.npz"), x=draw.integers(0, 5, (150, 8, 8)), y=np.arange(150) % 10)
        self.save_text("model.yaml", "layers: [{format: ttm, rows: 2x5, cols: 8x8, ranks: 2}]\n")
        self.save_text("network.json", '{"nodes": [["A", ["i", "j"]], ["B", ["j", "k"]], ["C", ["k", "i"]]], "out": [],'
                                       ' "sizes": {"i": 3, "j": 4, "k": 2}}')
        for name, shipped in (("technology", "technologies/45nm"), ("dram", "dram/memories/lpddr4-3200")):
            with open(os.path.join(SOURCE, "models/costs", f"{shipped}.yaml"), encoding="utf-8") as file:
                self.save_text(f"{name}.yaml", file.read())
        shutil.copy(os.path.join(SOURCE, "data/gemmini_firesim.csv"), self.path("cases.csv"))
        self.succeeds("--sizes i=6,j=9,k=5 --quiet --save-program program.bin", program="contract")
        self.succeeds("--model model.yaml --epochs 1 --batch 100 --quiet --save state.bin --weights-out weights.npz",
                      program="tnn_training")

    def test_is_the_same_to_the_byte(self):
        print(f"TENSORLOOM_REPLAY_SEED={SEED}", flush=True)
        self.prepare()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            runs = list(pool.map(lambda program: Runs(self, program).repeat_all(), sorted(JOBS)))
        for of in runs:
            print(f"{of.program}: {len(of.valid)} runs repeated, of {of.drawn} drawn")
        self.assertEqual([wrong for of in runs for wrong in of.wrong], [], f"seed {SEED}")
        self.assertGreaterEqual(sum(len(of.valid) for of in runs), LEAST_RUNS)


if __name__ == "__main__":
    unittest.main()
