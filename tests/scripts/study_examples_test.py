#!/usr/bin/env python3
"""The studies of scripts/studies: their points have the numbers of the testbench's own summary, and the page has what they
print. Usage: study_examples_test.py DIRECTORY with dxt and tnn_training. Without snakemake it says what it skips."""
import json
import os
import re
import subprocess
import sys
import unittest

import package_path
from study_folder import NO_SNAKEMAKE, STUDY, StudyTest, has_snakemake

PROGRAMS = sys.argv.pop(1)


@unittest.skipUnless(has_snakemake(), NO_SNAKEMAKE)
class StudyExamplesTest(StudyTest):
    def read(self, path):
        with open(os.path.join(package_path.ROOT, path), encoding="utf-8") as file:
            return file.read()

    def test_the_example_has_the_numbers_of_the_testbench_and_prints_what_the_page_says(self):
        text = self.read("scripts/studies/dxt_mesh.yaml")
        self.write_study(text)
        self.environment["TENSORLOOM_BIN"] = PROGRAMS
        printed = self.done().partition("program:")[0]
        page = self.read("docs/studies.md")
        for part in (text, printed):
            self.assertIn("".join(f"    {line}\n" for line in part.splitlines()), page)
        for row in self.rows()[5::18]:
            subprocess.run([os.path.join(PROGRAMS, "dxt"), "--shape", "48x48x48", "--zeros", "0.5", "--memory", "dram", "--no-check",
                            "--mesh", row["mesh"], "--sparsity", row["sparsity"], "--dma-width", row["dma-width"], "--quiet",
                            "--out", self.path("alone")], check=True)
            with open(self.path("alone/summary.json"), encoding="utf-8") as file:
                summary = json.load(file)
            self.assertEqual([float(row[name]) for name in ("cycles", "time_ns", "energy_pJ", "area_um2", "utilisation")],
                             [summary["cycles"], summary["simulated_time_ns"], summary["energy_pJ"]["total"],
                              summary["area_um2"]["total"], summary["utilisation"]])
            self.assertEqual((row["version"], row["commit"]), (summary["version"], summary["commit"] or ""))

    def test_the_page_has_the_study_under_a_budget_and_its_answer(self):
        text = self.read("scripts/studies/training_under_budget.yaml")
        page = self.read("docs/studies.md")
        self.assertIn("".join(f"    {line}\n" for line in text.splitlines()), page)
        times, areas = [], set()
        for seed in ("1", "2", "3"):
            subprocess.run([os.path.join(PROGRAMS, "tnn_training"), "--model", "digits-ttm", "--epochs", "2", "--technology", "45nm",
                            "--mac-latency", "3", "--engines", "64", "--array", "4", "--dram", "hbm2e-3200", "--seed", seed, "--quiet",
                            "--out", self.path("alone")], check=True)
            with open(self.path("alone/summary.json"), encoding="utf-8") as file:
                summary = json.load(file)
            times.append(summary["simulated_time_ns"])
            areas.add(summary["area_um2"]["total"])
        answer = " ".join(page.partition("    Least latency: ")[2].partition("    Least energy: ")[0].split())
        self.assertRegex(answer, rf"^{sum(times) / 3000:.1f} (± \S+ )?µs at point 12 \(engines 64, array 4, dram hbm2e-3200\)")
        self.assertIn(f"area {areas.pop() / 1e6:.2f} mm²", answer)

    MODEL = ("{data: digits, batch: 32, optimizer: {kind: sgd, rate: 0.03, momentum: 0.9, rate_decay: 0.95}, layers: [{name: hidden, "
             "format: %s, rows: 16x16, cols: 8x8, ranks: %s, activation: relu}, {name: output, format: ttm, rows: 2x5, cols: 16x16, ranks: %s}]}")

    def alone(self, epochs, seed, *model):
        """Test accuracy and energy in pJ of the digits, by the program."""
        subprocess.run([os.path.join(PROGRAMS, "tnn_training"), "--model", self.MODEL % model, "--epochs", str(epochs), "--seed", str(seed),
                        "--quiet", "--no-check", "--out", self.path("alone")], check=True)
        with open(self.path("alone/summary.json"), encoding="utf-8") as file:
            summary = json.load(file)
        return summary["test_accuracy"], summary["energy_pJ"]["total"]

    def test_the_search_of_ranks_trains_what_its_points_say(self):
        text = self.read("scripts/studies/digits_ranks.yaml")
        small = re.sub(r"epochs: 5\n(repeats): 3", r"epochs: 1\n\1: 2", text)
        small = re.sub(r"(hidden.format:).*\n(.*hidden.ranks:).*\n(.*output.ranks:).*", r"\1 [tr, dense]\n\2 [1, 3]\n\3 [2]", small)
        self.write_study(small.replace("accuracy >= 0.9", "accuracy >= 0.2"))
        self.environment["TENSORLOOM_BIN"] = PROGRAMS
        out = self.done()
        rows = self.rows()
        self.assertEqual([row["status"] for row in rows], ["done"] * 4 + ["refused"] * 4 + ["done"] * 2)
        self.assertIn("2 points are designs that tnn_training refuses:\n  point 3 and 1 more: ", out)
        for row in rows[:4]:
            self.assertEqual((float(row["test_accuracy"]), float(row["energy_pJ"])),
                             self.alone(1, row["seed"], "tr", row["model.layers.hidden.ranks"], 2))
        with open(self.path(f"found/runs/{rows[-1]['id']}/summary.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["dense_parameters"], 64 * 256 + 256 + 256 * 10 + 10)
        for text, words in (("hidden.format: [tr, dense]", "hidden.rank: [1, 2]"), ("[tr, dense]", "[tr, tuckre]"),
                            ("hidden.ranks: [1, 3]", "hidden.ranks: [1, many]"), ("{format: dense, rows: 10", "{fromat: dense, rows: 10")):
            self.write_study(small.replace(text, words))
            refused = subprocess.run([STUDY, "study.yaml", "--out", "other"], cwd=self.folder, env=self.environment, capture_output=True,
                                     encoding="utf-8", check=False)
            word = re.search("rank(?=:)|tuckre|fromat|many", words)[0]
            self.assertRegex(refused.stderr, rf"\Atensorloom-study: point [0-9]+, model\S+=.*: tnn_training: .*found '{word}', expected .*\n\Z")
            self.assertEqual((refused.returncode, os.path.exists(self.path("other"))), (2, False))

    def test_the_page_has_the_search_of_ranks_and_its_front(self):
        page = self.read("docs/studies.md")
        self.assertIn("".join(f"    {line}\n" for line in self.read("scripts/studies/digits_ranks.yaml").splitlines()), page)
        found = re.findall(r"hidden.format=(\w+) hidden.ranks=(\d+) output.ranks=(\d+): energy ([0-9.]+) (?:± [0-9.]+ )?µJ, accuracy ([0-9.]+)", page)
        self.assertGreater(len(found), 8)
        for *model, energy, accuracy in found[-4::3]:
            runs = [self.alone(5, seed, *model) for seed in (1, 2, 3)]
            means = [sum(column) / 3 for column in zip(*runs)]
            self.assertEqual((f"{means[0]:.4g}", f"{means[1] / 1e6:.4g}"), (accuracy, energy))


if __name__ == "__main__":
    unittest.main(verbosity=2)
