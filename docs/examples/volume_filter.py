# %% [markdown]
# # A filter of a volume
#
# A smoothing filter is a product in the space of the cosine transform: transform, multiply, transform back, without
# moving the volume in between. Here it takes noise from the MRI volume of the demo.

# %%
import os
import tempfile

import numpy as np
import tensorloom as tl

root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
volume = np.load(os.path.join(root, "data", "mri_128x96x24_int16.npy")).astype(np.float32)
noisy = volume + np.random.default_rng(0).normal(0, 80, volume.shape).astype(np.float32)

width = 0.5  # standard deviation of the smoothing, in voxels
decay = [np.exp(-0.5 * (np.pi * width * np.arange(size) / size) ** 2) for size in volume.shape]
smooth = np.einsum("i,j,k->ijk", *decay).astype(np.float32)

# %%
with tempfile.TemporaryDirectory() as folder:
    np.save(os.path.join(folder, "smooth.npy"), smooth)
    chain = os.path.join(folder, "filter.yaml")
    with open(chain, "w", encoding="utf-8") as file:
        file.write("chain:\n  - transform: dct\n  - multiply: smooth.npy\n"
                   "  - transform: dct\n    inverse: true\n")
    run = tl.dxt(noisy, chain_file=chain, sparsity="dense")
print(run)

# %% [markdown]
# The same filter with numpy: along each mode a matrix, the product of transform, decay and transform back.


# %%
def filter_of(size, factors):
    n, k = np.arange(size), np.arange(size)
    dct = np.cos(np.pi * (2 * n[:, None] + 1) * k / (2 * size)) * np.sqrt(np.where(k == 0, 1, 2) / size)
    return dct * factors @ dct.T


a, b, c = map(filter_of, volume.shape, decay)
expected = np.einsum("ijk,ia,jb,kc->abc", noisy.astype(np.float64), a, b, c, optimize=True)
print(f"relative difference to numpy {abs(run.result - expected).max() / abs(expected).max():.1e}")
assert abs(run.result - expected).max() < 1e-5 * abs(expected).max()
brain = volume > 200
before, after = (np.std((image - volume)[brain]) for image in (noisy, run.result))
print(f"noise in the brain {before:.1f} before, {after:.1f} after")
assert after < 0.6 * before
