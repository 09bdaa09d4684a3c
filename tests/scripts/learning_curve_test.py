#!/usr/bin/env python3
"""The learning curve shows the epochs of the summaries."""
import math
import os
import subprocess
import sys
import unittest

import plots_path
from learning_curve import draw_curves, read_curves
from picture import make_picture
from png_file import read_png
from summaries import SummariesTest


def summary(model, losses, first=1):
    """Training losses as given, those of the test set twice as large, accuracy 90, 91, ... %."""
    return {"configuration": {"model": model}, "parameters": 1738,
            "epochs": [{"epoch": first + at, "training_loss": loss, "test_loss": None if loss is None else 2 * loss,
                        "test_accuracy": 0.9 + at / 100} for at, loss in enumerate(losses)]}


class LearningCurveTest(SummariesTest):
    def run_script(self, *arguments):
        return subprocess.run([sys.executable, os.path.join(plots_path.PLOTS, "learning_curve.py"), *arguments],
                              capture_output=True, text=True, check=False)

    def test_lines_are_those_of_the_files(self):
        paths = [self.write("a.json", summary("digits-ttm", [1, 0.5, None])), self.write("b.json", summary("dense", [2], first=4))]
        losses, accuracies = make_picture((9, 4), lambda figure: draw_curves(figure, read_curves(paths))).axes
        shown = [(line.get_label(), list(line.get_xdata()), list(line.get_ydata())) for line in losses.lines]
        self.assertEqual(shown[0][:2], ("digits-ttm, 1,738 parameters: training set", [1, 2, 3]))
        self.assertEqual((shown[0][2][:2], math.isnan(shown[0][2][2])), ([1, 0.5], True))
        self.assertEqual((shown[1][0], shown[1][2][:2]), ("digits-ttm, 1,738 parameters: test set", [2, 1]))
        self.assertEqual(shown[2:], [("dense, 1,738 parameters: training set", [4], [2]),
                                     ("dense, 1,738 parameters: test set", [4], [4])])
        self.assertEqual([line.get_linestyle() for line in losses.lines], ["-", "--"] * 2)
        self.assertEqual([list(line.get_ydata()) for line in accuracies.lines], [[90, 91, 92], [90]])
        self.assertEqual([line.get_color() for line in losses.lines][::2], [line.get_color() for line in accuracies.lines])
        self.assertEqual(losses.get_yscale(), "log")
        for axes in (losses, accuracies):
            self.assertTrue(all("[" in text for text in (axes.get_xlabel(), axes.get_ylabel())))

    def test_runs_of_one_model_are_told_apart(self):
        paths = [self.write(name, summary("digits-ttm", [1])) for name in ("a.json", "b.json")]
        for curve, path in zip(read_curves(paths), paths):
            self.assertIn(path, curve.label)

    def test_command_writes_a_picture(self):
        path = os.path.join(self.scratch, "curve.png")
        done = self.run_script(path, self.write("a.json", summary("digits-ttm", [1, 0.5])))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertGreater(read_png(path)[0], 500)
        self.assertIn("Usage: learning_curve.py PICTURE.png", self.run_script("--help").stdout)

    def test_what_is_no_run_of_training_is_one_line(self):
        short = summary("digits-ttm", [1])
        del short["epochs"][0]["test_loss"]
        for content, text in (({}, "no epochs"), ([], "no epochs"), ({"epochs": []}, "no epochs"), (short, "'epochs.test_loss'"),
                              ("{", "JSON")):
            done = self.run_script("x.png", self.write("bad.json", content))
            self.assertEqual((done.returncode, done.stdout), (2, ""), text)
            self.assertRegex(done.stderr, r"\Alearning_curve: .*bad\.json[^\n]*\n\Z")
            self.assertIn(text, done.stderr)


if __name__ == "__main__":
    unittest.main()
