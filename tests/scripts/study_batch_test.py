#!/usr/bin/env python3
"""A batch of runs: what is published is not run again, an interrupted run is not published, and a batch whose start was
taken away stops."""
import os
import shutil
import subprocess
import sys
import unittest
from unittest import mock

from study_folder import NO_SNAKEMAKE, StudyTest, has_snakemake
from tensorloom.study.directory import StudyDirectory
from tensorloom.study.plan import plan_of
from tensorloom.study.start import WORKER, Engine, batches_of, write_start
from tensorloom.study.study_file import read_study


@unittest.skipUnless(has_snakemake(), NO_SNAKEMAKE)
class StudyBatchTest(StudyTest):
    def started(self, values):
        """The folder of a start with one batch."""
        self.write_study(f"testbench: stand_in\ngrid: {{x: {values}}}\nbatch: 100\n")
        with mock.patch.dict(os.environ, self.environment):
            plan = plan_of(read_study(self.path("study.yaml")))
        self.directory = StudyDirectory(self.path("found"))
        with self.directory.locked():
            self.directory.take(plan, "digest")
            folder = self.directory.new_start()
            write_start(folder, plan, plan.runs, Engine(1), self.directory)
        return folder

    def run_batch(self, folder):
        """Its exit status."""
        return subprocess.run([sys.executable, "-I", "-S", WORKER, folder, "0"], env=self.environment, cwd=self.folder,
                              check=False).returncode

    def test_what_is_published_is_not_run_again(self):
        folder = self.started([1, 2])
        self.assertEqual(self.run_batch(folder), 0)
        folder = self.started([2, 3, 1])  # as when another start's job has published them meanwhile
        self.assertEqual(self.run_batch(folder), 0)
        self.assertEqual(self.said("began"), {"--x=1": 1, "--x=2": 1, "--x=3": 1})
        self.assertEqual(self.published(), {"--x=1", "--x=2", "--x=3"})

    def test_an_interrupted_run_is_not_published(self):
        folder = self.started([1, 17, 2])
        self.assertEqual(self.run_batch(folder), 1)
        self.assertEqual(self.published(), {"--x=1"})
        self.assertEqual(len(os.listdir(self.directory.runs)), 1)

    def test_without_the_folder_of_its_start_nothing_is_run_or_published(self):
        for x in (18, 19):
            folder = self.started([x, 2])  # the first takes it away
            self.environment["STAND_IN_START"] = folder
            self.assertEqual(self.run_batch(folder), 1)
            self.assertEqual(self.said("began")[f"--x={x}"], 1)
            self.assertEqual((self.said("began")["--x=2"], self.published()), (0, set()))
            shutil.rmtree(self.directory.runs)

    def test_the_folder_of_a_start_may_come_back_after_it_was_taken_away(self):
        """As Snakemake makes its cache anew when it is interrupted."""
        folder = self.started([1, 2])
        self.directory.revoke_starts()
        os.makedirs(os.path.join(folder, "cache"))
        self.assertEqual(self.run_batch(self.started([1, 2])), 0)
        self.assertEqual(self.published(), {"--x=1", "--x=2"})
        self.assertEqual(len([name for name in os.listdir(self.directory.folder) if "start-" in name]), 1)

    def test_runs_are_dealt_to_batches_like_cards(self):
        runs = list(range(100))
        for engine, batch, count in ((Engine(2), None, 32), (Engine(2, "slurm"), None, 8), (Engine(2), 7, 15), (Engine(9), None, 100)):
            found = batches_of(runs, batch, engine)
            self.assertEqual((len(found), sorted(sum(found, []))), (count, runs))
            self.assertLessEqual(max(map(len, found)) - min(map(len, found)), 1)
            self.assertEqual(found[0][:2], [0, count][:len(found[0])])


if __name__ == "__main__":
    unittest.main(verbosity=2)
