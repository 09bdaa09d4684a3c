"""How close a reconstruction is to its original."""
import numpy as np


def psnr_db(original, reconstruction):
    """Peak signal-to-noise ratio in dB: 10 log10(peak^2 / mean square error), peak = the maximum of the original.

    Infinite when both are equal. Computed in float64.
    """
    original = np.asarray(original, dtype=np.float64)
    reconstruction = np.asarray(reconstruction, dtype=np.float64)
    if original.shape != reconstruction.shape:
        raise ValueError(f"shapes differ: {original.shape} and {reconstruction.shape}")
    peak = original.max()
    if not peak > 0:
        raise ValueError(f"the maximum of the original is {peak}, expected a positive one")
    mean_square_error = np.mean((original - reconstruction) ** 2)
    if mean_square_error == 0:
        return float("inf")
    return float(10 * np.log10(peak**2 / mean_square_error))
