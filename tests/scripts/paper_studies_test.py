#!/usr/bin/env python3
"""The studies of workloads/studies/triada and torus: each is a study whose runs the testbench accepts, and each of its
measures is a field of the summary. Usage: paper_studies_test.py DIRECTORY with dxt and orbital."""
import glob
import json
import os
import subprocess
import sys
import tempfile
import unittest

import package_path

PROGRAMS = sys.argv.pop(1)
os.environ["TENSORLOOM_BIN"] = PROGRAMS
sys.path.insert(0, package_path.PYTHON)

from tensorloom.study.plan import plan_of, refused_runs  # noqa: E402
from tensorloom.study.study_file import read_study  # noqa: E402

PAPERS = {"triada": "dxt", "torus": "orbital"}


def studies(paper):
    return sorted(glob.glob(os.path.join(package_path.ROOT, "workloads/studies", paper, "*.yaml")))


def value_at(summary, path):
    for name in path:
        summary = summary[int(name)] if isinstance(summary, list) else summary[name]
    return summary


class PaperStudiesTest(unittest.TestCase):
    def summary_of(self, plan, run):
        with tempfile.TemporaryDirectory(prefix="paper-studies-test-") as folder:
            subprocess.run([plan.program, *run.arguments(plan.table), "--quiet", "--out", folder], check=True)
            with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
                return json.load(file)

    def test_their_runs_are_accepted_and_have_their_measures(self):
        for paper, testbench in PAPERS.items():
            self.assertGreater(len(studies(paper)), 4)
            for path in studies(paper):
                with self.subTest(study=path):
                    study = read_study(path)
                    plan = plan_of(study)
                    self.assertEqual((plan.testbench, plan.question.endswith("?")), (testbench, True))
                    self.assertEqual(refused_runs(plan, plan.runs, 2), {})
                    summary = self.summary_of(plan, plan.runs[0])
                    for name, measure in study.measures.items():
                        value = value_at(summary, measure.path)
                        self.assertTrue(value is None or isinstance(value, (int, float)), name)

    def test_each_says_where_its_claim_is(self):
        for paper in PAPERS:
            for path in studies(paper):
                with open(path, encoding="utf-8") as file:
                    self.assertRegex(file.readline(), r"^# (TriADA, section \d\.?\d?|Aizu TR 2012-001, (abstract|section))", path)


if __name__ == "__main__":
    unittest.main()
