# %% [markdown]
# # A transform of an array, and what it cost
#
# A 3D discrete Fourier transform on a TriADA device with a mesh of 8 x 8 x 8 cells, beside numpy's.

# %%
import numpy as np
import tensorloom as tl

x = np.random.default_rng(0).standard_normal((16, 16, 16))
run = tl.dxt(x, transform="dft", mesh=(8, 8, 8))
error = abs(run.result - np.fft.fftn(x, norm="ortho")).max()
print(run, f"error {error:.1e}")
assert error < 1e-12

# %% [markdown]
# Where did the cycles go? The table of latencies has a row per time-step and transfer.

# %%
latency = run.latency
for cause in np.unique(latency["cause"]):
    print(f"{cause:10}{latency['cycles'][latency['cause'] == cause].sum():8} cycles")
assert latency["cycles"].sum() == run.cycles

# %% [markdown]
# And the energy? Rows stand beside those of the latencies, a column per component.

# %%
for component in run.energy.dtype.names:
    if component.endswith("_pJ"):
        print(f"{component:20}{run.energy[component].sum() / 1e6:10.3f} uJ")

# %% [markdown]
# What would zeros save? Nine in ten elements are 0, and the device skips them.

# %%
sparse = np.where(np.random.default_rng(1).random(x.shape) < 0.1, x, 0)
dense_run, sparse_run = (tl.dxt(sparse, mesh=(16, 16, 16), sparsity=sparsity) for sparsity in ("dense", "esop"))
print(f"multiply-adds: {dense_run.summary['macs']:,} dense, {sparse_run.summary['macs']:,} where zeros are skipped")
assert np.array_equal(dense_run.result, sparse_run.result)

# %% [markdown]
# The report of the run, to look into; in a script what the program printed.

# %%
run.show()
