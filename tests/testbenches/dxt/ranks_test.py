"""dxt --ranks: transforms that processes of MPI share. Most cases are in ranks_cases.py."""
import shutil
import subprocess
import unittest

import jsonschema
import numpy as np
from tensorloom.schemas import load_schema

from dxt_program import PROGRAM, DxtTest, load_json
from ranks_cases import HAS_MPI, NO_MPI, RanksTest


class WithoutMpi(DxtTest):
    def test_the_option_says_what_is_missing(self):
        """A program without the one of ranks beside it is that of a build without MPI."""
        alone = self.path("dxt")
        shutil.copy(PROGRAM, alone)
        run = subprocess.run([alone, "--shape", "4x4x4", "--no-check", "--ranks", "2"], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, encoding="utf-8", check=False)
        self.assertEqual((run.returncode, run.stdout, run.stderr), (
            2, "", "dxt: --ranks: this build has no MPI, expected scripts/setup --mpi and then cmake -D TENSORLOOM_MPI=ON\n"))


class BadOptions(DxtTest):
    """Found before any rank starts, also without MPI."""

    outputs = ("--output y.npy", "--out files")

    def test_are_refused(self):
        self.save("f.npy", np.ones((3, 4, 5)).T)
        for line, words in (
                ("--shape 7x5x3 --no-check --ranks 6", ("found 6", "at most 5")),
                ("--shape 7x5x3 --no-check --ranks 0", ("--ranks is '0'",)),
                ("--shape 7x5x3 --ranks 2", ("--no-check",)),
                ("--shape 7x5x3 --no-check --ranks 2 --batch 2", ("--batch", "without")),
                ("--shape 7x5x3 --no-check --ranks 2 --chain", ("--chain", "without")),
                ("--shape 7x5x3 --no-check --ranks 2 --memory sram", ("--memory", "without")),
                ("--shape 7x5x3 --no-check --ranks 2 --mesh 4x4x4", ("4 x 4 x 4 cells",)),
                ("--shape 7x5x3 --no-check --ranks 2 --fidelity detailed", ("fast with --ranks",)),
                ("--shape 7x5x3 --no-check --checkpoint made", ("--checkpoint", "without --ranks")),
                ("--shape 7x5x3 --no-check --ranks 2 --resume", ("--resume", "without --checkpoint")),
                ("--input f.npy --no-check --ranks 2", ("Fortran order",))):
            with self.subTest(line=line):
                self.refuses(line, *words)


@unittest.skipUnless(HAS_MPI, NO_MPI)
class Ranks(RanksTest):
    """A few of the cases of ranks_cases.py."""

    def test_bits_and_counts_are_those_of_one_process(self):
        self.compare("--shape 7x5x3 --zeros 0.4 --zero-threshold 0.1", 3)
        self.compare("--shape 5x6x7 --transform dft --order 132 --sparsity dense --out-shape 4x8x7", 2)
        summary = load_json(self.path("shared/summary.json"))
        jsonschema.Draft201909Validator(load_schema("dxt-summary")).validate(summary)
        self.assertEqual(summary["ranks"]["splits"], [2, 2, 3])
        self.assertEqual([e["after_stage"] for e in summary["ranks"]["exchanges"]], [2])

    def test_a_killed_rank_ends_the_run_and_another_one_resumes_it(self):
        self.check_killed_rank("--shape 200x200x200 --zeros 0.2")


if __name__ == "__main__":
    unittest.main()
