#!/usr/bin/env python3
"""The roofline shows the rates of the summaries."""
import contextlib
import io
import os
import subprocess
import sys
import unittest

import plots_path
from picture import make_picture
from picture_command import run_command
from png_file import read_png
from roofline import draw, draw_roofline, read_points
from summaries import SummariesTest


def summary(name, macs_per_cycle, macs_per_word):
    return {"configuration": {"variant": name},
            "roofline": {"macs_per_cycle": macs_per_cycle, "peak_macs_per_cycle": 64, "macs_per_scratchpad_word": macs_per_word,
                         "peak_scratchpad_words_per_cycle": 16}}


class RooflineTest(SummariesTest):
    def test_points_and_roofs_are_those_of_the_files(self):
        points = read_points(self.write("a.json", summary("scan", 8, 2))) + read_points(
            self.write("b.json", summary("spmv", 1, 0.5)))
        axes = make_picture((6, 4), lambda figure: draw_roofline(figure, points)).axes[0]
        roof, *runs = axes.lines
        self.assertEqual([(line.get_xdata()[0], line.get_ydata()[0]) for line in runs], [(2, 8), (0.5, 1)])
        self.assertEqual([text.get_text() for text in axes.texts], ["scan", "spmv"])
        self.assertEqual(list(zip(roof.get_xdata(), roof.get_ydata())), [(0.125, 2), (4, 64), (16, 64)])

    def test_a_comparison_gives_its_largest_length(self):
        runs = [{"variant": name, "length": length, **summary(name, macs, 2)}
                for name, length, macs in (("scan", 4, 1), ("scan", 8, 3), ("scan_vcu", 4, 0), ("scan_vcu", 8, 0))]
        points = read_points(self.write("c.json", {"lengths": [4, 8], "runs": runs}))
        self.assertEqual([(point.name, point.macs_per_cycle) for point in points], [("scan", 3)])

    def test_command_writes_a_picture(self):
        path = os.path.join(self.scratch, "roof.png")
        done = subprocess.run([sys.executable, os.path.join(plots_path.PLOTS, "roofline.py"), path,
                               self.write("a.json", summary("scan", 8, 2))], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertGreater(read_png(path)[0], 500)

    def test_bad_use_and_bad_files_are_one_line(self):
        good, idle = self.write("a.json", summary("scan", 8, 2)), self.write("idle.json", summary("scan_vcu", 0, 0))
        for arguments, text in (((), "0 arguments"), (("x.png",), "1 arguments"), (("x.png", "absent.json"), "missing"),
                                (("x.png", self.write("bad.json", "{")), "JSON"), (("x.png", self.write("no.json", {})), "roofline."),
                                (("x.png", idle), "no run"), (("no/such/x.png", good), "cannot be written")):
            with self.subTest(arguments):
                with contextlib.redirect_stderr(io.StringIO()) as complaints:
                    self.assertEqual(run_command("roofline", "", draw, list(arguments)), 2)
                self.assertEqual(len(complaints.getvalue().splitlines()), 1, complaints.getvalue())
                self.assertIn(text, complaints.getvalue())


if __name__ == "__main__":
    unittest.main()
