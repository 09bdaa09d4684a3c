"""Fast and detailed: the same bytes in every file, but for what names the fidelity or the cost of simulating."""
import numpy as np

import transform_oracle as oracle
from dxt_program import DxtTest, load_json


class SameBytes(DxtTest):
    def same(self, line):
        self.same_totals(line)
        for name in ("latency.csv", "energy.csv", "trace.json"):
            self.assertEqual(self.read_bytes(f"fast/{name}"), self.read_bytes(f"detailed/{name}"), name)

    def same_totals(self, line):
        for fidelity in ("fast", "detailed"):
            self.succeeds(f"{line} --quiet --fidelity {fidelity} --out {fidelity} --output {fidelity}.npy")
        self.assertEqual(self.read_bytes("fast.npy"), self.read_bytes("detailed.npy"))
        fast, detailed = (load_json(self.path(f"{fidelity}/summary.json")) for fidelity in ("fast", "detailed"))
        for summary in (fast, detailed):
            del summary["simulation"], summary["configuration"]["fidelity"]
            for option in ("fidelity", "out", "output"):
                del summary["configuration"]["options"][option], summary["configuration"]["options_given"][option]
        self.assertEqual(fast, detailed)

    def test_every_kind_of_run(self):
        self.save("y0.npy", oracle.ramp((4, 5, 6)))
        for line in ("--shape 5x6x7", "--shape 5x6x7 --memory sram", "--shape 3x5x4 --mesh 8x7x9 --zeros 0.3",
                     "--shape 3x5x4 --mesh 8x7x9 --line-extent active --vertical-mode 3",
                     *(f"--shape 4x5x6 {options}" for options in (
                         "--format f32", "--format c64 --transform dft", "--format c128 --transform dft,dct,dht --zeros 0.5",
                         "--batch 3 --tags random --seed 12 --technology 7nm --clock 0.7 --allow-overclock --step-cycles 2",
                         "--initial y0.npy --inverse --norm backward", "--burst 4 --load-elements 1")),
                     *(f"--shape 4x8x2 --zeros 0.3 {options}" for options in (
                         "--format bf16 --transform dct", "--format bf16 --result-format element --out-shape 2x8x4",
                         "--format int8 --transform dwht --norm backward --shift 1,0,2",
                         "--format int8 --transform identity --result-format element --sparsity dense")),
                     *(f"--shape 5x7x6 --mesh 3x2x4 {options}" for options in (
                         "", "--sparsity dense", "--format bf16 --out-shape 4x8x6", "--zeros 0.6 --tags random --batch 2",
                         "--order 123 --line-extent active",
                         "--transform identity --look-ahead 2 --port-aligner off"))):
            with self.subTest(line=line):
                self.same(line)

    def test_every_order(self):
        self.save("c.npy", oracle.sparse_integer_matrix(1, 5))
        for options in ("--shape 3x4x5 --sparsity dense", "--shape 3x6x5 --out-shape 5x2x5 --zeros 0.4",
                        "--shape 5x5x5 --transform dct,file:c.npy,identity --zeros 0.6"):
            for order in ("123", "132", "213", "231", "312", "321"):
                with self.subTest(options=options, order=order):
                    self.same(f"{options} --order {order}")

    def test_corners_of_arithmetic(self):
        x = np.random.default_rng(1).uniform(-1, 1, (4, 5, 6))
        x[0, 0, 0], x[1, 2, 3], x[3, 3, 3], x[2, 2, 2], x[2, 2, 1] = -0.0, np.nan, np.inf, 5e-324, -1e308
        self.save("x.npy", x)
        self.save("y0.npy", np.full((4, 5, 6), -0.0))
        for options in ("", "--sparsity dense", "--initial y0.npy", "--format f32", "--zero-threshold 0.5"):
            self.same(f"--input x.npy {options} --allow-nonfinite")

    def test_double_buffering(self):
        # what memory and DMA count while a pass computes is put down to one of its steps: which one differs
        for options in ("", "--format int8 --transform identity --batch 2", "--out-shape 7x3x6 --zeros 0.5"):
            self.same_totals(f"--shape 5x7x6 --mesh 3x2x4 --double-buffer {options}")
            fast, detailed = (self.rows(f"{fidelity}/latency.csv") for fidelity in ("fast", "detailed"))
            events = load_json(self.path("fast/summary.json"))["events"]
            own = ("command", "cause", "phase", "id", "detail", "start_cycle", "cycles", *events)
            self.assertEqual([[row[key] for key in own] for row in fast],
                             [[row[key] for key in own] for row in detailed])

    def test_same_run_same_bytes(self):
        for out in ("one", "two"):
            self.succeeds(f"--shape 6x7x8 --zeros 0.5 --quiet --out {out} --output {out}.npy")
        for name in ("latency.csv", "energy.csv", "trace.json"):
            self.assertEqual(self.read_bytes(f"one/{name}"), self.read_bytes(f"two/{name}"))
        self.assertEqual(self.read_bytes("one.npy"), self.read_bytes("two.npy"))
