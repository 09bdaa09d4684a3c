"""Options that orbital refuses: status 2, one line that says which, what was found and expected, and nothing written."""
import re

import numpy as np

from orbital_program import OrbitalTest
from testbench_refusals import RefusedOptions

PROBLEM = "--shape 6x5x4"


class BadOption(RefusedOptions, OrbitalTest):
    job = PROBLEM
    abbreviated = {"--gri 2": "--grid", "--over none": "--overlap", "--sched +++": "--schedule"}
    repeated = ("--grid 2", "--chain", "--schedule +++")
    values = {
        "array": (("0", "-1", "65", "2x2x2", "1.5", "many"), ("1", "6", "64")),
        "block": (("0", "-1", "1025", "2x2", "2x2x0", "2x2x1025", "1.5", "x", "2x2x2x2"), ("1", "6", "1024", "6x1x2")),
        "schedule": (("++", "++++", "+", "+0-", "QRS", "1,1,1", "+ -"), ("+++", "-+-", "---")),
        "overlap": (("sliced:", "sliced:0", "sliced:1025", "sliced:x", "slices", "all", "none:2", "Operand"),
                    ("none", "operand", "shared", "sliced", "sliced:1", "sliced:1024")),
        "tiles folded": (("yes", "True", "1", "On"), ("on", "off")),
        "vertical-axis": (("q", "X", "1", "None"), ("Q", "R", "S", "none")),
        "macs-per-cycle words-per-cycle": (("0", "-1", "65537", "1.5"), ("1", "65536")),
        "mac-latency": (("0", "65", "x"), ("1", "64")),
        "cycles-per-pitch": (("-1", "1001", "nan", "x"), ("0", "0.5", "1000")),
        "sync-cycles": (("-1", "1000001", "1.5"), ("0", "1", "1000000"), f"{PROBLEM} --overlap shared"),
        "load-elements": (("0", "1048577"), ("1", "1048576")),
        "dma-ports": (("0", "17"), ("1", "16")),
        "threads": (("0", "257"), ("1", "3")),
        "format": (("int16", "f16", "F64"), ("f64", "f32", "c128", "c64", "bf16")),
        "order": (("112", "12", "0"), ("123", "321")),
        "batch": (("0", "x", "1000000"), ("1", "2")),
        "compare": (("fetta", "TriADA", "on"), ("triada",)),
        "mm-per-cycle": (("0", "-1", "1000001", "nan"), ("0.001", "10")),
        "sweep": (("0", "8,,8", "8,8", "1025", "x", "2x3x4", "-1", "4,"), ("1", "4,2", "5,6,7"), ""),
        "step-cycles": (("0", "1000001", "1.5"), ("1", "1000"), f"{PROBLEM} --compare triada"),
        "watch": (("4,0,0", "0,0", "0,0,0,0", "a,b,c", "-1,0,0"), ("0,0,0", "3,3,3"),
                  f"{PROBLEM} --fidelity detailed --vcd wave"),
    }

    def test_combinations(self):
        self.save("x.npy", np.zeros((2, 3, 4)))
        self.save("matrix.npy", np.zeros((6, 6)))
        self.save("ones.npy", np.ones((6, 5, 4)))
        for name, steps in (("relu", "relu: true"), ("modes", "transform: [dct, none, dct]\n  - transform: dct"),
                            ("between", "\n  - ".join(3 * ["transform: [dct, dct, none]"])),
                            ("before", "\n  - ".join(2 * ["transform: [dct, dct, none]"] + ["relu: true"])),
                            ("good", "transform: dct"),
                            ("kept", "multiply: ones.npy\n    resident: true".join(
                                ["transform: dct\n  - ", "\n  - transform: dct\n  - ", "\n"]))):
            self.save_text(f"{name}.yaml", f"chain:\n  - {steps}\n")
        for line, words in (
                ("", ("--input", "--shape", "expected")),
                ("--input x.npy --shape 2x3x4", ("--input", "--shape", "expected")),
                ("--input x.npy --fill ramp", ("--fill", "--input", "expected")),
                ("--input matrix.npy", ("rank 2", "expected 3")),
                ("--sweep 4,8 --shape 4x4x4", ("--shape", "--sweep", "expected it without")),
                ("--sweep 4,8 --output y.npy", ("--output", "--sweep", "expected it with --shape")),
                ("--sweep 4,8 --vcd wave", ("--vcd", "--sweep", "expected")),
                (f"{PROBLEM} --block 2 --grid 2 --tiles off", ("--tiles off", "6x5x4", "2 blocks of 2x2x2", "expected")),
                ("--shape 65x1x1 --block 1", ("grid of 65 nodes", "at most 64", "--block")),
                ("--shape 1025x1x1 --grid 1 --tiles off", ("blocks of 1025x1x1", "at most 1024", "--array")),
                (f"{PROBLEM} --coefficient-elements 7", ("coefficients", "at most 7", "--coefficient-elements")),
                (f"{PROBLEM} --chain --grid 2 --block 2", ("--chain", "6 x 5 x 4", "expected a larger")),
                (f"{PROBLEM} --threshold 0.5", ("--threshold", "--chain")),
                (f"{PROBLEM} --chain=false --threshold 0.5", ("--threshold", "without --chain")),
                ("--class cra --shape 4x4x4 --threshold 0.5", ("--threshold", "--class", "expected it without")),
                ("--class cra --shape 4x4x4 --chain-file good.yaml", ("--chain-file", "--class", "expected it without")),
                (f"{PROBLEM} --chain --threshold -1", ("--threshold", "-1")),
                (f"{PROBLEM} --chain-file none.yaml", ("none.yaml", "no such file")),
                (f"{PROBLEM} --chain-file relu.yaml", ("--chain-file", "step 1: relu.yaml:2: relu found", "expected a transform")),
                (f"{PROBLEM} --chain-file modes.yaml", ("step 2: modes.yaml:3: a transform of mode 2 found", "modes of the first")),
                (f"{PROBLEM} --chain-file between.yaml", ("step 2: between.yaml:3: no transform of mode 3", "between two steps")),
                (f"{PROBLEM} --chain-file before.yaml", ("step 2: before.yaml:3: no transform of mode 3", "between two steps")),
                (f"{PROBLEM} --chain-file kept.yaml", ("step 4: kept.yaml", "an operand", "before a transform", "expected one")),
                ("--input x.npy --chain --allow-nonfinite --grid 3", ("--allow-nonfinite", "2 x 3 x 4", "padding")),
                (f"{PROBLEM} --chain-file good.yaml --chain", ("--chain", "--chain-file", "expected it without")),
                (f"{PROBLEM} --chain-file good.yaml --inverse", ("--chain-file", "--inverse", "without")),
                ("--sweep 4 --chain-file good.yaml", ("--sweep",)),
                (f"{PROBLEM} --chain-file good.yaml --grid 2 --block 2", ("--chain-file", "6 x 5 x 4", "expected a larger")),
                (f"{PROBLEM} --also dct,dct", ("--also", "'dct,dct'", "expected one transform, or three")),
                (f"{PROBLEM} --also dct --also fft", ("--also", "'fft'", "expected")),
                (f"{PROBLEM} --also dht --chain", ("--chain", "--also", "expected it without")),
                (f"{PROBLEM} --also dht --compare triada", ("--compare", "--also", "expected it without")),
                ("--sweep 4 --also dht", ("--sweep", "--also", "expected it without")),
                (f"{PROBLEM} --also dht --batch 2", ("--batch is '2'", "expected 1, or a run without --also")),
                (f"{PROBLEM} --also dht --grid 2 --block 2", ("--also", "6 x 5 x 4", "expected a larger")),
                (f"{PROBLEM} --also dft --format f64", ("--format", "f64", "complex", "expected")),
                (f"{PROBLEM} --also file:matrix.npy,dct,dct --out-shape 5x5x4", ("matrix.npy", "6 x 6", "expected")),
                (f"{PROBLEM} --sync-cycles 1", ("--sync-cycles is '1'", "expected 0, or --overlap shared")),
                (f"{PROBLEM} --step-cycles 3", ("--step-cycles", "--compare", "expected")),
                (f"{PROBLEM} --mm-per-cycle 1 --cycles-per-pitch 2", ("--cycles-per-pitch", "--mm-per-cycle", "expected")),
                ("--shape 1025x1x1 --compare triada", ("--compare", "1025", "at most 1024")),
                (f"{PROBLEM} --transform dft --format f64", ("--format", "f64", "complex", "expected")),
                (f"{PROBLEM} --result-format element", ("--result-format", "element", "--format bf16")),
                (f"{PROBLEM} --transform dwht", ("dwht", "power of two")),
                (f"{PROBLEM} --watch 0,0,0 --vcd wave", ("--watch", "--fidelity fast", "expected")),
                (f"{PROBLEM} --transform file:matrix.npy,dct,dct --out-shape 5x5x4", ("matrix.npy", "6 x 6", "expected"))):
            with self.subTest(line=line):
                if "--sweep" in line:
                    self.fails_with(2, line, *words)
                else:
                    self.refuses(line, *words)
        self.fails_with(2, f"{PROBLEM} --watch 0,0,0 --fidelity detailed", "--watch", "--vcd", "expected")

    def test_a_program_that_is_too_long_names_the_largest_batch(self):
        for line in ("--chain --threshold 0.1", "--chain --compare triada", "--compare triada"):
            done = self.refuses(f"--shape 2x2x2 --batch 22000 {line}", "--batch is '22000'")
            most = int(re.search("an integer from 1 to ([0-9]+)", done.err)[1])
            self.refuses(f"--shape 2x2x2 --batch {most + 1} {line}", f"from 1 to {most}: ")
            self.succeeds(f"--shape 2x2x2 --batch {most} {line} --no-check --quiet")
