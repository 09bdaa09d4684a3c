#!/usr/bin/env python3
"""The picture of a comparison of accelerators shows the numbers of its summary."""
import contextlib
import io
import os
import subprocess
import sys
import unittest

import plots_path
import rivals
from picture import make_picture
from picture_command import run_command
from png_file import read_png
from summaries import SummariesTest


def row(workload, accelerator, cycles, energy, sequence="shared"):
    return {"workload": workload, "sequence": sequence, "accelerator": accelerator, "cycles_by_fetta": cycles,
            "energy_by_fetta": energy}


def ranges(**means):
    return [{"accelerator": name, "cycles_by_fetta": {"mean": mean}} for name, mean in means.items()]


SUMMARY = {"results": [row("a", "tpu", 3, 2), row("a", "sigma", None, None), row("a", "fetta", 1, 1),
                       row("b", "tpu", 5, 4), row("b", "sigma", 1.5, 1.25), row("b", "fetta", 1, 1)],
           "ranges": ranges(tpu=4, sigma=1.5, fetta=1),
           "sweeps": [{"rule": "conflicts", "value": "1", "ranges": ranges(tpu=1.25, sigma=1.5, fetta=1)},
                      {"rule": "conflicts", "value": "16", "ranges": ranges(tpu=9, sigma=2, fetta=1)},
                      {"rule": "layouts", "value": "ideal", "ranges": ranges(tpu=1.25, sigma=None, fetta=1)}]}


class RivalsTest(SummariesTest):
    def axes_of(self, summary):
        found, names = rivals.read_comparison(self.write("s.json", summary))
        self.assertEqual(names, ["tpu", "sigma"])
        return make_picture((6, 6), lambda figure: rivals.draw_rivals(figure, found, names)).axes

    def test_bars_are_the_ratios(self):
        cycles, energy = self.axes_of({**SUMMARY, "sweeps": []})
        self.assertEqual([bar.get_height() for bar in cycles.patches], [3, 5, 1.5])
        self.assertEqual([bar.get_height() for bar in energy.patches], [2, 4, 1.25])
        self.assertEqual([label.get_text() for label in cycles.get_xticklabels()], ["a", "b"])
        for bar, place in zip(cycles.patches, (0, 1, 1)):
            self.assertLess(abs(bar.get_x() + bar.get_width() / 2 - place), 0.5)

    def test_sequences_are_named_where_there_are_several(self):
        rows = SUMMARY["results"] + [row("a", "tpu", 7, 7, "own")]
        axes = self.axes_of({**SUMMARY, "results": rows, "sweeps": []})[0]
        self.assertEqual([label.get_text() for label in axes.get_xticklabels()], ["a, shared", "b, shared", "a, own"])

    def test_lines_are_the_means_by_the_values_of_a_rule(self):
        *_, conflicts, layouts = self.axes_of(SUMMARY)
        self.assertEqual([list(line.get_ydata()) for line in conflicts.lines], [[1.25, 9], [1.5, 2]])
        self.assertEqual([label.get_text() for label in conflicts.get_xticklabels()], ["1", "16"])
        self.assertEqual([list(line.get_ydata()) for line in layouts.lines], [[1.25]])

    def test_command_writes_a_picture(self):
        path = os.path.join(self.scratch, "rivals.png")
        done = subprocess.run([sys.executable, os.path.join(plots_path.PLOTS, "rivals.py"), path,
                               self.write("s.json", SUMMARY)], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertGreater(read_png(path)[0], 900)

    def test_bad_use_and_bad_files_are_one_line(self):
        good, alone = self.write("a.json", SUMMARY), self.write("f.json", {**SUMMARY, "ranges": ranges(fetta=1)})
        for arguments, text in (((), "0 arguments"), (("x.png",), "1 arguments"), (("x.png", good, good), "2 summaries"), (("x.png", "absent.json"), "missing"),
                                (("x.png", self.write("bad.json", "{")), "JSON"), (("x.png", alone), "besides fetta"),
                                (("x.png", self.write("no.json", {"results": []})), "'ranges'"),
                                (("no/such/x.png", good), "cannot be written")):
            with self.subTest(arguments):
                with contextlib.redirect_stderr(io.StringIO()) as complaints:
                    self.assertEqual(run_command("rivals", rivals.__doc__, rivals.draw, list(arguments)), 2)
                self.assertEqual(len(complaints.getvalue().splitlines()), 1, complaints.getvalue())
                self.assertIn(text, complaints.getvalue())


if __name__ == "__main__":
    unittest.main()
