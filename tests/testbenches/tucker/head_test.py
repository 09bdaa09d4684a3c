"""The head of Debian's package mricron-data through nifti_to_npy and a tiled tucker; skipped where the package is not installed."""
import os
import subprocess
import unittest

import numpy as np

import oracle
from tucker_program import SOURCE, TuckerTest

HEAD = os.environ.get("TENSORLOOM_HEAD", "/usr/share/mricron/templates/ch2.nii.gz")


@unittest.skipUnless(os.path.exists(HEAD), "mricron-data is not installed")
class Head(TuckerTest):
    def test_tiled_decomposition(self):
        subprocess.run([os.path.join(SOURCE, "scripts/nifti_to_npy"), HEAD, self.path("head.npy")], check=True,
                       stdout=subprocess.DEVNULL)
        x = self.load("head.npy").astype(float)
        self.assertEqual(x.shape, (181, 217, 181))
        found, core, factors, y = self.decomposed("--input head.npy --ranks 40x50x40 --method hooi --max-iterations 2 "
                                                  "--mesh 64x64x64 --double-buffer --order 123")
        self.assertIs(found["check"]["passed"], True)
        self.assert_near(core, oracle.times(x, oracle.transposed(factors)), 1e-13)
        error = np.linalg.norm(x - y) / np.linalg.norm(x)
        self.assertAlmostEqual(found["decomposition"]["error"], error, delta=1e-12)
        self.assertAlmostEqual(oracle.error(x, factors), error, delta=1e-12)
        self.assertLess(error, 0.12)
