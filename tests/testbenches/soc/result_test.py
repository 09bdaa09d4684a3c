"""Both results are, bit by bit, what dxt gives for the same job, whatever the platform is."""
import itertools

import numpy as np

from soc_program import JOBS, QUANTA, SHAPES, SocTest

LARGE, SMALL = ("5x4x3", "dct"), ("2x3x2", "dht")  # JOBS, in the default transforms


class Results(SocTest):
    def same_for_all(self, lines, jobs=JOBS, large=LARGE, small=SMALL, options="", seed=1):
        expected = self.results_of_dxt(large, small, options, seed)
        self.assertEqual([result[:6] for result in expected], [b"\x93NUMPY"] * 2)
        for line in lines:
            with self.subTest(line=line):
                self.assertEqual(self.results(f"{jobs} {options} {line}"), expected)

    # ---- the platform

    def test_memory_transport_arbitration_and_quantum(self):
        self.same_for_all(
            f"--memory {memory} --transport {transport} --arbitration {arbitration} --quantum {quantum}"
            for memory, transport, arbitration, quantum in itertools.product(
                ("dram", "sram", "split"), ("lt", "at"), ("round-robin", "fixed-priority", "first-come"), QUANTA))

    def test_priorities_and_shares(self):
        self.same_for_all(
            f"--memory {memory} --transport {transport} --arbitration {arbitration} --quantum {quantum}"
            for memory, (transport, quantum), arbitration in itertools.product(
                ("dram", "sram"), (("lt", "0"), ("lt", "1us"), ("at", "0"), ("at", "1ms")),
                ("priority --priority small.dma=15", "weighted --share small.dma=97")))

    def test_burst(self):
        self.same_for_all(f"--burst {2**n} --transport {transport} --no-check"
                          for n, transport in itertools.product(range(2, 17), ("lt", "at")))

    def test_outstanding(self):
        self.same_for_all(f"--outstanding {n} --burst 16 --transport {transport} --memory {memory}"
                          for n, transport, memory in itertools.product((1, 2, 3, 7, 64), ("lt", "at"),
                                                                        ("dram", "sram")))

    def test_link(self):
        self.same_for_all(f"--link {n} --transport {transport} --quantum {quantum}"
                          for n, transport, quantum in itertools.product((0, 1, 3, 32, 65536), ("lt", "at"),
                                                                         ("0", "1us")))

    def test_banks_and_ports_of_the_sram(self):
        self.same_for_all(f"--sram-banks {2**n} --memory-ports {ports} --memory {memory}"
                          for n, ports, memory in itertools.product(range(0, 9, 2), (1, 3, 64), ("sram", "split")))

    def test_detailed(self):
        self.same_for_all(f"--fidelity detailed --quantum {quantum} --transport {transport}"
                          for quantum, transport in itertools.product(("0", "1us"), ("lt", "at")))

    def test_checkers(self):
        self.same_for_all(f"--checkers --memory {memory} --transport {transport} --quantum {quantum} {more}"
                          for memory, transport, quantum, more in itertools.product(
                              ("dram", "sram", "split"), ("lt", "at"), ("0", "1us"), ("", "--burst 4 --link 1")))

    def test_clock_and_technology(self):
        self.same_for_all(("--clock 0.001", "--clock 0.7 --allow-overclock", "--clock 3 --allow-overclock", "--clock 1000 --allow-overclock", "--technology 7nm"))

    def test_recorded(self):
        self.same_for_all(f"--out files --vcd wave --transport {transport}" for transport in ("lt", "at"))

    # ---- the jobs

    def test_runs(self):
        for large, small in ((1, 1), (3, 20), (20, 1)):
            self.same_for_all((f"--quantum {quantum}" for quantum in QUANTA),
                              jobs=f"{SHAPES} --large-runs {large} --small-runs {small}")

    def test_one_device_alone(self):
        expected = self.results_of_dxt(LARGE, SMALL)
        for memory in ("dram", "sram", "split"):
            for alone, idle, result in (("large", "small", expected[0]), ("small", "large", expected[1])):
                self.succeeds(f"{SHAPES} --{idle}-runs 0 --memory {memory} --quiet --{alone}-output y.npy")
                self.assertEqual(self.read_bytes("y.npy"), result)

    def test_shapes(self):
        for large, small in (("1x1x1", "1x1x1"), ("1x1x1", "13x7x11"), ("17x1x5", "1x19x1"), ("2x3x64", "1x1x130"),
                             ("8x8x8", "8x8x8")):
            self.same_for_all((f"--memory {memory} --quantum {quantum}" for memory, quantum in
                               itertools.product(("dram", "sram", "split"), ("0", "1us"))),
                              f"--large {large} --small {small}", (large, "dct"), (small, "dht"))

    def test_formats(self):
        for name in ("f64", "f32", "c128", "c64"):
            self.same_for_all((f"--memory {memory}" for memory in ("dram", "sram")), options=f"--format {name}")

    def test_transforms(self):
        for large, small in (("dft", "dct"), ("dst,dct,dht", "identity"), ("dct", "dft"), ("identity", "dst")):
            options = "--format c128" if "dft" in (large, small) else ""
            jobs = f"{JOBS} --large-transform {large} --small-transform {small}"
            expected = self.results_of_dxt((LARGE[0], large), (SMALL[0], small), options)
            self.assertEqual(self.results(jobs), expected)
            self.assertEqual(self.results(jobs + " " + options), expected)
        for large, small in (("dwht", "dwht-sequency"), ("dwht-sequency,dct,dwht", "dwht")):
            self.same_for_all(("",), f"--large 4x2x8 --small 2x2x1 --large-transform {large} --small-transform {small}",
                              ("4x2x8", large), ("2x2x1", small))

    def test_zeros(self):
        for share in ("0", "0.3", "1"):
            self.same_for_all((f"--memory {memory}" for memory in ("dram", "sram")), options=f"--zeros {share}")
        self.assertFalse(self.load("l.npy").any())

    def test_seed(self):
        for seed in (0, 2, 12345678901234567890, 2**64 - 1):
            self.same_for_all(("",), jobs=f"{JOBS} --seed {seed}", seed=seed)
        self.assertNotEqual(self.results(JOBS), self.results(f"{JOBS} --seed 2"))

    def test_element_type_of_the_file(self):
        for name, dtype in (("f64", np.float64), ("f32", np.float32), ("c128", np.complex128), ("c64", np.complex64)):
            self.results(f"{JOBS} --format {name}")
            self.assertEqual((self.load("l.npy").dtype, self.load("l.npy").shape), (dtype, (5, 4, 3)))
            self.assertEqual((self.load("s.npy").dtype, self.load("s.npy").shape), (dtype, (2, 3, 2)))

    def test_it_is_the_transform(self):
        """Not only what dxt says: the sums in the words of the definition."""
        matrices = []
        for size in (5, 4, 3):
            n, k = np.indices((size, size))
            matrix = np.cos(np.pi * (2 * n + 1) * k / (2 * size)) * np.sqrt(2 / size)
            matrix[:, 0] /= np.sqrt(2)
            matrices.append(matrix)
        self.results(f"{JOBS} --large-transform identity")
        x = self.load("l.npy")
        self.assertEqual(len(np.unique(x)), 60)
        self.results(JOBS)
        self.assert_near(self.load("l.npy"), np.einsum("abc,ai,bj,ck->ijk", x, *matrices), 1e-14)
