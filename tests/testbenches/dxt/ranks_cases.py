"""Runs over ranks against one process: bits of the result, counts, energies of the stages.

As a program: all cases on 1 to 4 ranks, and a rank that is killed after each of the stages (scripts/test --label mpi).
"""
import os
import resource
import signal
import subprocess
import time
import unittest

import numpy as np

from dxt_program import INTERNAL, PROGRAM, DxtTest, load_json

HAS_MPI = os.path.exists(os.path.join(os.path.dirname(PROGRAM), "dxt_ranks"))
NO_MPI = "no Boost.MPI: scripts/setup --mpi installs it"

# Load and unload take port cycles: a run over ranks has no DMA.
OF_TRANSFERS = {"load_cycle", "unload_cycle"}
OF_STAGES = ("actuators", "lines", "registers", "mac")


class RanksTest(DxtTest):
    def compare(self, line, ranks):
        line += " --no-check --quiet"
        self.succeeds(f"{line} --output one.npy --out one")
        self.succeeds(f"{line} --output shared.npy --out shared --ranks {ranks}")
        message = f"{line} --ranks {ranks}"
        self.assertEqual(self.read_bytes("shared.npy"), self.read_bytes("one.npy"), message)
        self.assertEqual(load_json(self.path("shared/summary.json"))["ranks"]["count"], ranks, message)
        self.check_counts("shared", "one", message)

    def check_counts(self, shared_folder, one_folder, message):
        shared, one = (load_json(self.path(f"{folder}/summary.json")) for folder in (shared_folder, one_folder))
        for field in ("stages", "macs", "macs_skipped", "steps", "steps_skipped", "saturated", "active_utilisation"):
            self.assertEqual(shared[field], one[field], message)
        for event, count in one["events"].items():
            if event not in OF_TRANSFERS:
                self.assertEqual(shared["events"][event], count, f"{message}: {event}")
        for component in OF_STAGES:
            self.assertEqual(shared["energy_pJ"][component], one["energy_pJ"][component], message)
        self.assertEqual(self.steps(shared_folder), self.steps(one_folder), message)

    def steps(self, folder):
        """The time-steps of latency.csv, without their place in time and without modules beside the mesh."""
        found = [{name: cell for name, cell in row.items() if "." not in name and name != "start_cycle"}
                 for row in self.rows(f"{folder}/latency.csv") if row["cause"] == "compute"]
        self.assertGreater(len(found), 0)
        return found

    def random(self, shape, low=-1, high=1):
        return np.random.default_rng(1).uniform(low, high, shape)

    def ranks_of(self, folder):
        """Processes of ranks whose checkpoint is this folder."""
        found = []
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{process}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
                if os.path.basename(words[0]) == b"dxt_ranks" and os.readlink(f"/proc/{process}/cwd") == self.directory \
                        and folder.encode() in words:
                    found.append(int(process))
            except OSError:
                pass
        return found

    def check_killed_rank(self, line, stage=1, ranks=2):
        """Kills a rank after this stage; then another run resumes it with the same bits and counts."""
        line += " --no-check --quiet"
        self.succeeds(f"{line} --output one.npy --out one")
        resumed = f"{line} --ranks {ranks} --checkpoint saved --output shared.npy --out shared"
        run = subprocess.Popen([PROGRAM, *resumed.split()], cwd=self.directory, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
        end = time.monotonic() + 60
        while not self.has_stage(stage):
            self.assertIsNone(run.poll(), "the run ended too early for this test")
            self.assertLess(time.monotonic(), end, "no checkpoint")
            time.sleep(0.002)
        os.kill(self.ranks_of("saved")[-1], signal.SIGKILL)
        out, err = run.communicate(timeout=60)
        self.assertEqual((run.returncode, out), (INTERNAL, ""), err)
        self.assertRegex(err, r"\Adxt: [^\n]*a rank ended early[^\n]*--resume[^\n]*'saved'\n\Z")
        self.assertFalse(os.path.exists(self.path("shared.npy")))
        self.assertFalse(os.path.exists(self.path("shared/summary.json")))
        self.succeeds(resumed + " --resume")
        self.assertEqual(self.read_bytes("shared.npy"), self.read_bytes("one.npy"))
        self.check_counts("shared", "one", line)
        self.assertGreaterEqual(load_json(self.path("shared/summary.json"))["ranks"]["resumed_after_stages"], stage)
        self.assertEqual(sorted(os.listdir(self.path("saved"))),
                         ["checkpoint", *(f"rank_{rank}.stage_3.slab" for rank in range(ranks))])

    def has_stage(self, stage):
        try:
            return self.read_bytes("saved/checkpoint").startswith(b"stages %d\n" % stage)
        except FileNotFoundError:
            return False


@unittest.skipUnless(HAS_MPI, NO_MPI)
class AllCases(RanksTest):
    def compare_all(self, *lines):
        for line in lines:
            for ranks in (1, 2, 3, 4):
                with self.subTest(line=line, ranks=ranks):
                    self.compare(line, ranks)

    def test_orders(self):
        for order in ("123", "132", "213", "231", "312", "321"):
            self.compare_all(f"--shape 7x5x3 --order {order}",
                             f"--shape 7x5x3 --order {order} --sparsity dense --out-shape 4x9x5")

    def test_modes(self):
        for transform in ("dct,none,none", "none,dct,none", "none,none,dct", "dct,dct,none", "dct,none,dct",
                          "none,dct,dct"):
            self.compare_all(f"--shape 7x5x4 --transform {transform}")

    def test_formats(self):
        for name in ("f64", "f32", "c128", "c64", "bf16"):
            self.compare_all(f"--shape 7x5x6 --format {name} --zeros 0.4 --zero-threshold 0.1",
                             f"--shape 5x6x7 --format {name} --fill sparse --sparsity dense --tags random --order 132",
                             f"--shape 9x5x6 --format {name} --out-shape 3x6x8 --fill sparse --transform dht")
        self.compare_all("--shape 7x5x6 --transform dft --inverse",
                         "--shape 8x4x16 --transform dwht --norm backward --format int8 --shift 2,1,3",
                         "--shape 8x4x16 --transform dwht --norm backward --format int8 --fill ramp "
                         "--result-format element",
                         "--shape 8x4x8 --format bf16 --result-format element --tags reverse")

    def test_device(self):
        self.compare_all("--shape 6x5x4 --transform identity",
                         "--shape 6x5x4 --line-extent active --mesh 8x8x8 --mac-latency 4 --load-elements 3 "
                         "--port-aligner off", "--shape 6x5x4 --threads 2", "--shape 40x30x20 --zeros 0.9")

    def test_files(self):
        self.save("x.npy", self.random((7, 5, 6)))
        self.save("i.npy", self.random((7, 5, 6), -9, 9).astype("i2"))
        broken = self.random((7, 5, 6))
        broken[3, 2, 1], broken[4, 4, 4] = float("nan"), float("inf")
        self.save("n.npy", broken)
        self.compare_all("--input x.npy", "--input i.npy", "--input x.npy --initial i.npy",
                         "--input i.npy --initial x.npy --order 123 --sparsity dense",
                         "--input n.npy --allow-nonfinite --sparsity dense --out-shape 9x9x4",
                         "--input i.npy --initial i.npy --format int8 --transform identity --shift 1,0,2 "
                         "--result-format element")

    def test_a_rank_is_killed_after_any_stage(self):
        for stage in (1, 2):
            for ranks in (2, 3):
                with self.subTest(stage=stage, ranks=ranks):
                    self.check_killed_rank("--shape 240x240x240 --zeros 0.2", stage, ranks)
                    self.setUp()

    def test_checkpoints_of_other_problems_and_damaged_ones_are_refused(self):
        line = "--shape 16x16x16 --no-check --quiet --ranks 2 --checkpoint saved"
        self.succeeds(line)
        self.fails_with(2, line.replace("16x16x16", "16x16x15") + " --resume", "another problem", "--shape 16x16x16")
        self.fails_with(2, line.replace("--ranks 2", "--ranks 3") + " --resume", "another problem", "--ranks 2")
        self.fails_with(2, line + " --seed 2 --resume", "another problem", "--seed 1")
        slab = self.read_bytes("saved/rank_1.stage_3.slab")
        self.save_bytes("saved/rank_1.stage_3.slab", slab[:5000] + bytes([slab[5000] ^ 1]) + slab[5001:])
        self.fails_with(2, line + " --resume", "rank_1.stage_3.slab", "SHA-256")
        self.save_bytes("saved/rank_1.stage_3.slab", self.read_bytes("saved/rank_0.stage_3.slab"))
        self.fails_with(2, line + " --resume", "rank_1.stage_3.slab")
        os.remove(self.path("saved/rank_1.stage_3.slab"))
        self.fails_with(2, line + " --resume", "rank_1.stage_3.slab")
        self.save_text("saved/checkpoint", "stages\n")
        self.fails_with(2, line + " --resume", "expected the stages of a checkpoint")
        os.remove(self.path("saved/checkpoint"))
        self.fails_with(2, line + " --resume", "no complete stage")

    def test_ranks_run_what_does_not_fit_one_process(self):
        """With a limit on the memory of every process."""
        line = "--shape 256x256x256 --no-check --quiet"
        self.succeeds(line + " --output one.npy")
        limit = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, (500_000_000, 500_000_000))}
        self.fails_with(2, line, "needs about", "of memory", **limit)
        self.fails_with(2, line + " --ranks 1", "needs about", "of memory", "more ranks", **limit)
        self.succeeds(line + " --ranks 4 --output four.npy", **limit)
        self.assertEqual(self.read_bytes("four.npy"), self.read_bytes("one.npy"))

    def test_overflow_is_a_wrong_result(self):
        self.save("i.npy", self.random((3, 4, 5), 2**31 - 3, 2**31 - 1).astype("i4"))
        line = "--shape 3x4x5 --format int8 --fill ramp --transform identity --initial i.npy --no-check --quiet"
        one, shared = self.run_program(line), self.run_program(line + " --ranks 2")
        self.assertEqual((one.status, shared.status), (1, 1))
        self.assertIn("overflows its accumulator", shared.err)


if __name__ == "__main__":
    unittest.main(verbosity=2)
