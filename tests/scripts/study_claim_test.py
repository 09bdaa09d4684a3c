#!/usr/bin/env python3
"""The claim of a study: formulas beside plain Python, the verdict that follows, files that are refused, and the picture.
Usage: study_claim_test.py DIRECTORY with all testbenches. Nothing is scheduled here."""
import glob
import math
import os
import random
import shutil
import sys
import tempfile
import unittest
from unittest import mock

import package_path
from hand_made_study import write_study
from study_folder import StudyTest
from tensorloom.pictures import study as study_picture
from tensorloom.report.study_page import study_page_of
from tensorloom.run_directory import InputProblem
from tensorloom.study.claim import VERDICTS, Claim, Formula, ReadPoint
from tensorloom.study.plan import plan_of, refused_runs
from tensorloom.study.published import read_results
from tensorloom.study.study_file import read_study

PROGRAMS = sys.argv.pop(1)
STUDIES = sorted(glob.glob(os.path.join(package_path.ROOT, "workloads/studies/*/*.yaml")))
BEGIN = "testbench: stand_in\ngrid: {x: [1, 2]}\n"
VERDICT = "claim: it holds\nverdict: [{is: reproduced, because: yes}]\n"


class FormulaTest(unittest.TestCase):
    def setUp(self):
        rng = random.Random(5)
        self.rows = [{"n": rng.randrange(1, 100), "mode": rng.choice("ab"), "cycles": rng.uniform(1, 1e6), "latency": rng.uniform(1, 9)}
                     for _ in range(40)]
        self.points = [ReadPoint({"n": str(row["n"]), "mode": row["mode"], "latency": "7"}, {"cycles": row["cycles"], "latency": row["latency"]})
                       for row in self.rows]

    def of(self, text, **names):
        return Formula(text).of(names, self.points)

    def test_functions_over_points_are_those_of_python(self):
        rows = self.rows
        for text, value in (("most(cycles / n)", max(row["cycles"] / row["n"] for row in rows)),
                            ("least(abs(cycles - 5e5) ** 2)", min(abs(row["cycles"] - 5e5) ** 2 for row in rows)),
                            ("mean(cycles)", sum(row["cycles"] for row in rows) / 40), ("total(n)", sum(row["n"] for row in rows)),
                            ("count(n > 50 and cycles < 5e5)", sum(row["n"] > 50 and row["cycles"] < 5e5 for row in rows)),
                            ("every(n >= 1)", True), ("some(n >= 100)", False), ("not some(n > 99) or 1 / 0 > 1", True),
                            ("most(latency)", max(row["latency"] for row in rows)),  # of a measure and an option the measure
                            ("count(n > 0, latency=7)", 40),                           # to choose points, the option
                            ("mean(log2(n), mode=\"a\")", sum(math.log2(row["n"]) for row in rows if row["mode"] == "a") /
                             sum(row["mode"] == "a" for row in rows)),
                            ("max(1, 2) - min(3, ceil(0.5)) + sqrt(16) + log10(100)", 7), ("-x < +y != (x == y)", True),
                            ("1 < x < 3", True), ("slope(3 * n - 1, n)", 3), ("2 ** 3", 8)):
            found = self.of(text, x=2, y=5)
            self.assertAlmostEqual(found, value, msg=text, delta=1e-9 * max(1, abs(value)))

    def test_one_point_is_named_by_its_options(self):
        points = [ReadPoint({"layers.hidden.rank": "2", "dma-width": "64"}, {"cycles": 5.0, "absent": 1.0}), ReadPoint({"layers.hidden.rank": "4"}, {"cycles": 9.0, "absent": math.nan})]
        self.assertEqual(Formula("the(cycles, layers_hidden_rank=4)").of({}, points), 9)
        self.assertEqual(Formula("the(cycles, dma_width=64)").of({}, points), 5)
        self.assertEqual(Formula("the(cycles, class_=\"fox\")").of({}, [ReadPoint({"class": "fox"}, {"cycles": 7.0})]), 7)
        for text, words in (("the(cycles)", "over 2 points"), ("the(cycles, layers_hidden_rank=3)", "no point has"), ("1 / 0", "no value"),
                            ("most(cycles) - 'a'", "no value"), ("log2(0)", "no value"), ("x", "no value"), ("1e300 * 1e300", "found inf"),
                            ("slope(cycles, 1)", "no value"), ("most(dma_width)", "no value"), ("9 ** 9 ** 9", "no value"),
                            ("(0 - 8) ** 0.5", "no value"), ("'a' * 1000", "'a' is not a number"), ("most(absent)", "a point has no absent"),
                            ("count(absent > 0)", "a point has no absent"), ("min(1, 'b')", "not a number")):
            with self.assertRaisesRegex(ValueError, words, msg=text):
                Formula(text).of({}, points)

    def test_what_is_no_formula_is_refused(self):
        for text in ("", "1 +", "import os", "a.b", "a[0]", "[1]", "{1}", "lambda: 1", "f'{x}'", "x if y else z", "(yield)", "a := 1", "most()",
                     "most(1, 2)", "slope(1)", "open('x')", "__import__('os')", "(1).real", "abs(1, n=2)", "most(*x)", "most(1, **x)",
                     "not " * 2000 + "x", "9" * 990, "abs()", "log2(8, 2)", "max(1)", "most(most(n))", "the(n, a=b)", "-" * 60 + "x", "1 + " * 300 + "1",
                     "x @ y", "x & y", "x is y", "x in y", "1j", "None", "b'x'", 5000 * "(" + "1" + 5000 * ")", "most(a.b)", "x()(1)"):
            with self.assertRaises(ValueError, msg=text):
                Formula(text)

    def test_the_first_verdict_that_holds_is_given(self):
        for cycles, place, text in ((1.0, 0, "small, 1"), (20.0, 1, "some 20 times, 2,000 %"), (5e5, 2, "large")):
            claim = Claim("it is small", {"worst": Formula("most(cycles)"), "half": Formula("worst / 2")},
                          [(Formula("half < 1"), VERDICTS[0], "small, {worst}"), (Formula("worst < 100"), VERDICTS[1], "some {worst:x}, {worst:%}"),
                           (None, VERDICTS[2], "large")])
            self.assertEqual(claim.verdict([ReadPoint({}, {"cycles": cycles})]), (VERDICTS[place], text))
        with self.assertRaises(InputProblem):
            claim.verdict([ReadPoint({}, {"cycles": math.nan})])


class ClaimFileTest(StudyTest):
    def refused(self, text, words, line=None):
        self.write_study(text)
        with mock.patch.dict(os.environ, self.environment), self.assertRaises(InputProblem) as problem:
            plan_of(read_study(self.path("study.yaml")))
        self.assertIn(words, str(problem.exception))
        self.assertNotIn("\n", str(problem.exception))
        if line:
            self.assertIn(f"study.yaml:{line}: ", str(problem.exception))

    def test_files_that_are_refused(self):
        for text, words, line in (
                ("claim: it holds\n", "claim and verdict together", 1), ("verdict: [{is: reproduced, because: yes}]\n", "claim and verdict together", 1),
                ("values: {a: 1}\n", "values only with them", 1), ("claim: [a]\n", "claim is empty or not a single value", 3),
                ("claim: a\nverdict: reproduced\n", "verdict is not a list", 4), ("claim: a\nverdict: []\n", "is empty", 4),
                ("claim: a\nverdict: [{is: proved, because: b}]\n", "is is 'proved', expected reproduced", 4),
                ("claim: a\nverdict: [{is: reproduced}]\n", "expected if, is and because", 4),
                ("claim: a\nverdict: [{if: 1 < 2, is: reproduced, because: b}]\n", "the last one has no if", 4),
                ("claim: a\nverdict: [{is: reproduced, because: b}, {is: reproduced, because: c}]\n", "the last one has no if", 4),
                ("claim: a\nverdict: [{when: 1, is: reproduced, because: b}]\n", "'when' is not a key of a verdict", 4),
                (VERDICT + "values:\n  a: open('x')\n", "'open' found, expected one of the functions", 6), (VERDICT + "values:\n  a-b: 1\n", "'a-b' cannot name a value", 6),
                (VERDICT + "values:\n  a: most(speed)\n", "'speed' in the value a is not known", 6),
                (VERDICT + "values:\n  a: cycles\n", "'cycles' in the value a", 6),
                ("claim: a\nvalues: {b: 1}\nverdict: [{is: reproduced, because: '{b:mm}'}]\n", "'mm' in a verdict, the unit of b", 5),
                ("claim: " + 1001 * "a" + "\n", "claim has 1,001 letters", 3), ('claim: "a\\e"\n', "control characters", 3),
                ("picture: {across: x, up: x}\n", "'x' in the picture's up", 3),
                (VERDICT + "values:\n  a: b\n  b: 1\n", "'b' in the value a is not known", 6),
                (VERDICT + "values:\n  a: count(cycles > 0, z=1)\n", "'z' in the value a", 6),
                ("claim: a\nverdict: [{is: reproduced, because: '{worst} times'}]\n", "'worst' in a verdict", 4),
                ("claim: a\nverdict: [{if: cycles > 1, is: reproduced, because: b}, {is: reproduced, because: c}]\n", "'cycles' in a verdict", 4),
                ("picture: {across: x}\n", "no across or no up", 3), ("picture: {across: z, up: cycles}\n", "'z' in the picture's across", 3),
                ("picture: {across: x, up: speed}\n", "'speed' in the picture's up", 3),
                ("picture: {across: x, up: cycles, lines: cycles}\n", "'cycles' in the picture's lines", 3),
                ("picture: {across: x, up: cycles, scale: log}\n", "scale is 'log', expected linear or logarithmic", 3),
                ("picture: {across: x, up: cycles, colour: red}\n", "'colour' is not a key of a picture", 3)):
            with self.subTest(text):
                self.refused(BEGIN + text, words, line)

    def test_the_studies_of_the_papers_are_accepted_and_their_words_are_told(self):
        self.assertGreater(len(STUDIES), 20)
        names = set()
        for path in STUDIES:
            with self.subTest(path), mock.patch.dict(os.environ, {"TENSORLOOM_BIN": PROGRAMS}):
                plan = plan_of(read_study(path))
                self.assertTrue(plan.claim and plan.picture, "expected a claim and a picture")
                self.assertEqual(refused_runs(plan, plan.runs, 2), {})
                self.assertEqual(plan.claim.verdicts[-1][1], VERDICTS[2])
                self.assertNotIn(plan.claim.text, names)
                names.add(plan.claim.text)


class PublishedClaimTest(unittest.TestCase):
    CLAIM = {"claim": "A larger mesh is faster", "values": {"gain": "the(latency, mesh=\"2x2x2\") / the(latency, mesh=\"4x4x4\")"},
             "verdicts": [{"if": "gain > 1", "is": "reproduced", "because": "{gain:x} as fast."}, {"if": None, "is": "not reproduced", "because": "{gain:x}"}]}

    def results(self, **more):
        folder = tempfile.mkdtemp(prefix="tensorloom-claim-test-")
        self.addCleanup(shutil.rmtree, folder)
        write_study(folder, **more)
        return folder

    def test_a_study_with_a_wrong_run_decides_nothing(self):
        folder = self.results(claim=self.CLAIM)
        self.assertEqual(read_results(folder).conclusion(), "undecided: 1 of 8 runs are not done")
        self.assertIn("undecided: 1 of 8 runs", study_page_of(folder))

    def test_the_page_and_the_picture_tell_the_verdict(self):
        folder = self.results(claim=self.CLAIM, picture={"across": "mesh", "up": "latency", "scale": "logarithmic"})
        with open(os.path.join(folder, "results.csv"), encoding="utf-8") as file:
            text = file.read()
        with open(os.path.join(folder, "results.csv"), "w", encoding="utf-8") as file:
            file.write(text.replace(",wrong,", ",done,"))
        self.assertEqual(read_results(folder).verdict(), ("reproduced", "4 times as fast."))
        page = study_page_of(folder)
        self.assertIn("Claim: A larger mesh is faster", page)
        self.assertIn("reproduced: 4 times as fast.", page)
        figure = study_picture.picture_of([folder])
        self.assertEqual(figure._suptitle.get_text(), "A larger mesh is faster")
        self.assertIn("reproduced: 4 times as fast.", figure._supxlabel.get_text())
        heights = [float(value) for value in figure.axes[0].lines[0].get_ydata()]
        self.assertEqual(heights, [2000, 500, 4000])
        self.assertEqual(figure.axes[0].get_yscale(), "log")

    def test_without_a_picture_or_a_claim(self):
        folder = self.results()
        for wrong in ([folder], [folder, folder], ["/nowhere"]):
            with self.assertRaises(InputProblem):
                study_picture.picture_of(wrong)
        with self.assertRaisesRegex(InputProblem, "makes no claim"):
            read_results(folder).verdict()


if __name__ == "__main__":
    unittest.main(verbosity=2)
