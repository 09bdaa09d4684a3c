#!/usr/bin/env python3
"""PSNR follows its formula, in float64 whatever the elements' type."""
import math
import unittest

import numpy as np

import plots_path  # noqa: F401
from image_quality import psnr_db


class PsnrTest(unittest.TestCase):
    def test_closed_forms(self):
        self.assertAlmostEqual(psnr_db([0, 100], [10, 90]), 20, delta=1e-12)          # peak 100, mean square error 100
        self.assertAlmostEqual(psnr_db([1, 0, 0, 0], [1, 0, 0, 2]), 0, delta=1e-12)   # peak 1, mean square error 1
        self.assertAlmostEqual(psnr_db([255], [254]), 20 * math.log10(255), delta=1e-12)

    def test_peak_is_that_of_the_original(self):
        self.assertAlmostEqual(psnr_db([10, 0], [1010, 0]), 10 * math.log10(100 / 500000), delta=1e-12)

    def test_peak_is_the_maximum_not_the_largest_modulus(self):
        self.assertAlmostEqual(psnr_db([1, -100], [2, -99]), 0, delta=1e-12)

    def test_small_integers_do_not_overflow(self):
        original = np.array([30000, -30000], dtype=np.int16)
        self.assertAlmostEqual(psnr_db(original, -original), 20 * math.log10(0.5), delta=1e-12)

    def test_equal_volumes_have_no_noise(self):
        self.assertEqual(psnr_db([1, 2], [1, 2]), math.inf)

    def test_other_shape_is_refused(self):
        with self.assertRaisesRegex(ValueError, "shapes differ"):
            psnr_db([1, 2], [1, 2, 3])

    def test_original_without_a_peak_is_refused(self):
        with self.assertRaisesRegex(ValueError, "maximum"):
            psnr_db([0, -1], [0, 0])


if __name__ == "__main__":
    unittest.main()
