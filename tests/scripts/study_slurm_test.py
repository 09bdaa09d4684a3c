#!/usr/bin/env python3
"""A study on a real Slurm of one node, which this test starts and stops: killed half way and resumed, while its jobs go on in
the queue. Without Slurm it says what it skips, but where CI is true it fails: scripts/setup --studies installs it."""
import os
import shutil
import tempfile
import time
import unittest

from one_node_slurm import OneNodeSlurm, missing_programs
from study_folder import NO_SNAKEMAKE, StudyTest, has_snakemake, in_ci

RUNS = 24


@unittest.skipUnless(has_snakemake(), NO_SNAKEMAKE)
@unittest.skipIf(missing_programs() and not in_ci(), "no Slurm (scripts/setup --studies): studies on a cluster are not tested")
class StudySlurmTest(StudyTest):
    def setUp(self):
        super().setUp()
        folder = tempfile.mkdtemp(prefix="tensorloom-slurm-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        self.slurm = OneNodeSlurm(folder)
        self.addCleanup(self.slurm.stop)
        # With CI Snakemake looks at its jobs every second, not every ten.
        self.environment = {**self.slurm.environment, **self.environment, "PATH": self.slurm.environment["PATH"], "CI": "true"}

    def test_killed_half_way_and_resumed(self):
        self.write_study("testbench: stand_in\ngrid: {x: [1, 2, 3, 4, 13, 6, 7, 8], y: [1, 2, 3]}\nbatch: 4\n")
        process = self.started("--profile", "slurm", seconds=0.2)
        self.wait_until(lambda: len(self.published()) >= RUNS // 4, process)
        self.assertIn("found", {name for _, name, _ in self.slurm.jobs()})
        self.kill(process)
        self.assertTrue(self.slurm.jobs())  # the cluster knows nothing of the kill
        whole, began = self.published(), self.said("began")

        self.done("--profile", "slurm", status=1, seconds=0.05)
        total = self.said("began")
        for name in whole:
            self.assertEqual(total[name], began[name], name)  # 0 of those that were refused
        # A run is made once, but what was under way when the study was killed, or begun by a job until the next start.
        twice = [name for name, count in total.items() if count > 1]
        self.assertLessEqual(len(twice), 2)  # jobs at a time
        self.assertLessEqual(max(total.values()), 2)
        rows = self.rows()
        self.assertEqual([row["status"] for row in rows].count("done"), RUNS - 3)
        self.assertEqual({row["x"] for row in rows if row["status"] == "failed"}, {"13"})

        deadline = time.monotonic() + 30
        while self.slurm.jobs() and time.monotonic() < deadline:
            time.sleep(0.2)
        self.assertEqual(self.slurm.jobs(), [])
        self.assertEqual(self.said("began"), total)  # jobs of the killed start have done nothing more
        self.assertFalse([name for name in os.listdir(self.path("found/runs")) if name.startswith(".")])


if __name__ == "__main__":
    unittest.main(verbosity=2)
