"""Rows of tcu_counts.json, run through the program: every count of the model and the checksum of the result."""
import os

import numpy as np

from tensor_unit_program import ALGORITHMS, SOURCE, TensorUnitTest, load_json

GOLDEN = load_json(os.path.join(SOURCE, "tests/data/tcu_counts.json"))
COUNTS = ("calls", "rows", "tensor_time", "cpu_ops", "time")
OPTIONS = {"r": "inner", "Z": "nonzeros", "k": "sweeps", "p": "points", "thr": "cutoff"}
LARGEST = 64  # sizes: the others are run on a machine without time, by the tests of the workloads


def lin(n, k):
    return (7919 * k * np.arange(n) + 13) % 23 - 11


def eliminated(n):
    """The upper triangle after elimination without pivoting, row by row."""
    x = lin(n * n, 1).reshape(n, n) / 11 + 4 * n * np.eye(n)
    x[-1] = 0
    for k in range(n - 1):
        for i in range(k + 1, n - 1):
            x[i] -= x[i, k] / x[k, k] * x[k]
    return np.triu(x)


# Of results without a checksum.
REFERENCES = {"ge_forward": eliminated, "dft": lambda n: np.fft.fft(lin(n, 1) + 1j * lin(n, 3)),
              "dft_inverse": lambda n: np.fft.ifft(lin(n, 1) + 1j * lin(n, 3))}


class Golden(TensorUnitTest):
    def agrees(self, row):
        name = row["algorithm"]
        size = row.get("N") or row.get("n") or row.get("nl")
        line = f"--algorithm {name} --size {size} --m {row['m']} --latency {row['l']}"
        for key, option in OPTIONS.items():
            if key in row and not (key == "p" and name != "polyeval"):
                line += f" --{option} {row[key]}"
        if name in ("strassen", "recursive8"):  # down to one call
            line += f" --cutoff {row['q']}"
        if row["weak"]:
            line += " --weak"
        found = self.summary(f"{line} --output c.npy")
        self.assertIs(found["check"]["passed"], True, line)
        self.assertEqual({key: found["model"][key] for key in COUNTS}, {key: row[key] for key in COUNTS}, line)
        if row.get("checksum") is not None and name != "ge_forward":  # of ge_forward other digits count
            self.assertEqual(found["result"]["checksum"], row["checksum"], line)
        if "result_mod" in row:
            limbs = self.load("c.npy")
            self.assertEqual(sum(int(limb) << (16 * i) for i, limb in enumerate(limbs)) % (2 ** 31 - 1),
                             row["result_mod"], line)
        if name in REFERENCES:
            expected = REFERENCES[name](size)
            self.assertLessEqual(np.max(np.abs(self.load("c.npy").reshape(expected.shape) - expected)),
                                 1e-9 * np.max(np.abs(expected)), line)
        if name == "sparse":
            self.assertEqual(found["result"]["rounds"], row["rounds"], line)

    def rows(self, *algorithms):
        rows = [row for row in GOLDEN["rows"]
                if row["algorithm"] in algorithms and (row.get("N") or row.get("n") or row.get("nl")) <= LARGEST]
        self.assertGreater(len(rows), 0)
        for row in rows:
            with self.subTest(row=row):
                yield row

    def test_every_row(self):
        for name in ("dense", "rect", "strassen", "recursive8", "sparse", "ge_forward", "tclosure", "apsd", "dft", "stencil",
                     "intmul", "karatsuba", "polyeval"):
            for row in self.rows(name):
                self.agrees(row)

    def test_the_inverse_transform_has_the_counts_of_the_transform_and_scales(self):
        for row in self.rows("dft"):
            if not row["weak"]:
                scaled = row["cpu_ops"] + row["n"]
                self.agrees(dict(row, algorithm="dft_inverse", cpu_ops=scaled, time=row["tensor_time"] + scaled))

    def test_every_algorithm_is_here(self):
        self.assertEqual({row["algorithm"] for row in GOLDEN["rows"]} | {"dft_inverse", "laderman", "solve", "apsd_strassen", "polynomial"},
                         set(ALGORITHMS))
