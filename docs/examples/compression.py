# %% [markdown]
# # Compression in one program
#
# Transform a volume, drop its small coefficients, transform it back: three steps on a tensor that stays in the cells.
# A first pass finds the threshold that keeps 5 % of the coefficients.

# %%
import numpy as np
import tensorloom as tl

n = np.arange(16)
x = 100 * np.exp(-((n[:, None, None] - 7) ** 2 + (n[None, :, None] - 6) ** 2 + (n[None, None, :] - 9) ** 2) / 20)
x += np.random.default_rng(0).standard_normal(x.shape)

first = tl.dxt(x, transform="dct")
moduli = np.sort(abs(first.result).ravel())
kept = int(np.ceil(0.05 * x.size))
threshold = (moduli[-kept] + moduli[-kept - 1]) / 2  # between the smallest that is kept and the largest that is not

# %% [markdown]
# One program: forward, threshold, inverse. It loads and stores the tensor once.

# %%
run = tl.dxt(x, transform="dct", chain=True, threshold=threshold)
for step in run.summary["chain"]:
    print(f"{step['step']:30.30}{step['cycles']:9,} cycles{step['macs']:9,} MACs{step['macs_skipped']:9,} skipped")
back = run.summary["chain"][2]
assert back["macs_skipped"] > back["macs"]  # zeros that the threshold made

# %% [markdown]
# The same with numpy: keep the largest coefficients, transform back with the transposed matrices.

# %%
k = np.arange(16)
dct = np.cos(np.pi * (2 * n[:, None] + 1) * k[None, :] / 32) * np.sqrt(np.where(k == 0, 1, 2) / 16)
coefficients = np.einsum("abc,ai,bj,ck->ijk", x, dct, dct, dct, optimize=True)
coefficients[abs(coefficients) <= threshold] = 0
assert np.count_nonzero(coefficients) == kept
expected = np.einsum("ijk,ai,bj,ck->abc", coefficients, dct, dct, dct, optimize=True)
print(f"difference to numpy {abs(run.result - expected).max():.1e}, to the volume {abs(run.result - x).max():.1f} of 100")
assert abs(run.result - expected).max() < 1e-11

# %% [markdown]
# Two programs with the volume in memory between them cost more.

# %%
two = first.cycles + tl.dxt(coefficients, transform="dct", inverse=True).cycles
print(f"{run.cycles:,} cycles as a chain, {two:,} as two programs")
assert run.cycles < 0.6 * two
