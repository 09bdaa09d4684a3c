"""A job: a forward transform of which a part is kept, and the inverse of that part, both in one sparsity.

    FOLDER/forward/             what dxt --out wrote for the forward transform
    FOLDER/inverse/             and for the inverse
    FOLDER/reconstruction.npy   the result of the inverse
"""
import os
from dataclasses import dataclass

import numpy as np

from run_folder import Run, read_run
from volume import read_volume


@dataclass
class Job:
    label: str  # as it is shown: "dense" or "ESOP"
    forward: Run
    inverse: Run
    reconstruction: np.ndarray
    reconstruction_path: str

    def runs(self):
        return {"forward": self.forward, "inverse": self.inverse}


def read_job(label, folder):
    path = os.path.join(folder, "reconstruction.npy")
    return Job(label, read_run(os.path.join(folder, "forward")), read_run(os.path.join(folder, "inverse")),
               read_volume(path), path)
