#!/usr/bin/env python3
"""The pictures show the numbers of the files."""
import os
import tempfile
import unittest

import numpy as np
from matplotlib.patches import StepPatch

import plots_path  # noqa: F401
from energy_picture import draw_energy
from hand_made_jobs import original, write_jobs
from job_folder import read_job
from picture import make_picture
from slices_picture import chosen_slices, draw_slices
from timeline_picture import draw_timeline

SIZE = (12, 8)  # inches


class PicturesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            write_jobs(folder)
            cls.jobs = (read_job("dense", os.path.join(folder, "dense")), read_job("ESOP", os.path.join(folder, "esop")))
        cls.original = original().astype(np.float64)

    def axes_titled(self, figure, text):
        found = [axes for axes in figure.axes if text in axes.get_title(loc="left")]
        self.assertEqual(len(found), 1, text)
        return found[0]

    def assert_axes_have_units(self, figure):
        for axes in figure.axes:
            for label in (axes.get_xlabel(), axes.get_ylabel()):
                self.assertTrue(not label or "[" in label, label)

    def test_chosen_slices_are_spread_and_inside(self):
        self.assertEqual(chosen_slices(4), [0, 1, 2, 3])
        self.assertEqual(chosen_slices(24), [4, 8, 12, 15, 19])

    def test_slices(self):
        job = self.jobs[1]
        figure = make_picture(SIZE, lambda figure: draw_slices(figure, self.original, job))
        shown = [axes.images[0].get_array() for axes in figure.axes if axes.images]
        wanted = [volume[:, :, k] for volume in (self.original, job.reconstruction, job.reconstruction - self.original)
                  for k in range(4)]
        self.assertEqual(len(shown), len(wanted))
        for image, slice_wanted in zip(shown, wanted):
            np.testing.assert_array_equal(image, slice_wanted)
        self.assertIn("PSNR 40.00 dB", figure.texts[0].get_text())
        self.assert_axes_have_units(figure)

    def test_stage_bars_sum_to_the_dynamic_energy(self):
        figure = make_picture(SIZE, lambda figure: draw_energy(figure, self.jobs))
        bars = self.axes_titled(figure, "by stage and component").patches
        self.assertAlmostEqual(sum(bar.get_height() for bar in bars), 4.08e-3 + 1.58e-3, delta=1e-15)
        self.assert_axes_have_units(figure)

    def test_component_bars_are_those_of_both_directions(self):
        figure = make_picture(SIZE, lambda figure: draw_energy(figure, self.jobs))
        bars = self.axes_titled(figure, "by component").patches
        widths = [bar.get_width() for bar in bars]
        wanted = [80e-6, 4e-3, 4e-3, 8.08e-3, 80e-6, 1.5e-3, 4e-3, 5.58e-3]  # memory, mac, leakage, total; dense, then ESOP
        np.testing.assert_allclose(widths, wanted, rtol=1e-12)

    def test_phase_bars_sum_to_the_total_energy(self):
        figure = make_picture(SIZE, lambda figure: draw_energy(figure, self.jobs))
        bars = self.axes_titled(figure, "by phase").patches
        self.assertAlmostEqual(sum(bar.get_width() for bar in bars), (8.08e-3 + 5.58e-3) / 1000, delta=1e-15)
        ends = [bar.get_x() + bar.get_width() for bar in bars]
        self.assertAlmostEqual(max(ends), 2.4e-6, delta=1e-15)  # a stage, dense: 400 pJ of leakage, then 2000 pJ

    def test_estimates_are_marked(self):
        figure = make_picture(SIZE, lambda figure: draw_energy(figure, self.jobs))
        names = [label.get_text() for label in self.axes_titled(figure, "by component").get_yticklabels()]
        self.assertEqual(names, ["memory", "mac", "leakage*", "total*"])

    def curve(self, axes, position):
        curves = [patch for patch in axes.patches if isinstance(patch, StepPatch)]
        return curves[position].get_data()

    def test_power_of_the_steps(self):
        figure = make_picture(SIZE, lambda figure: draw_timeline(figure, self.jobs))
        axes = self.axes_titled(figure, "time-steps of the inverse")
        for position, watts in ((0, 0.25), (1, 250 / 4 / 1000)):  # dense: 1000 pJ in 4 ns
            np.testing.assert_allclose(self.curve(axes, position).values, [watts, watts])
            np.testing.assert_allclose(self.curve(axes, position).edges, [0, 4, 8])
        self.assert_axes_have_units(figure)

    def test_power_of_the_job(self):
        figure = make_picture(SIZE, lambda figure: draw_timeline(figure, self.jobs))
        axes = self.axes_titled(figure, "Power of the whole job")
        with_leakage = self.curve(axes, 0)
        np.testing.assert_allclose(with_leakage.edges, [0, 0.02, 0.024, 0.028, 0.04])
        np.testing.assert_allclose(with_leakage.values, [1030 / 20e3, 1200 / 4e3, 1200 / 4e3, 610 / 12e3])
        without_leakage = self.curve(axes, 1)
        np.testing.assert_allclose(without_leakage.values, [30 / 20e3, 1000 / 4e3, 1000 / 4e3, 10 / 12e3])

    def test_causes_take_their_time(self):
        figure = make_picture(SIZE, lambda figure: draw_timeline(figure, self.jobs))
        bars = self.axes_titled(figure, "What the device does").patches
        np.testing.assert_allclose([bar.get_width() for bar in bars], [0.02, 0.008, 0.012] * 4)


if __name__ == "__main__":
    unittest.main()
