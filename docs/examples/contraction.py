# %% [markdown]
# # What does the layout of tensors in memory cost on FETTA?
#
# A batch of matrix products: its operands in the layout that the contraction wants, in whatever order they come, and
# from memory outside the chip.

# %%
import numpy as np
import tensorloom as tl

random = np.random.default_rng(0)
a, b = random.standard_normal((8, 48, 32)), random.standard_normal((32, 24))
expected = np.einsum("bik,kj->bij", a, b)
for layout in ("ideal", "conflicted", "offchip"):
    run = tl.contract("bik,kj->bij", a, b, layout=layout)
    error = abs(run.result - expected).max() / abs(expected).max()
    print(f"{layout:12}{run.cycles:8,} cycles  {run.energy_pj / 1e6:7.2f} uJ  error {error:.1e} of the largest element")
    assert error < 0.02  # operands are bfloat16

# %% [markdown]
# A Tucker decomposition, whose products run on TriADA.

# %%
x = np.einsum("ia,ja,ka->ijk", *(random.standard_normal((size, 3)) for size in (12, 10, 8)))  # of rank 3
run = tl.tucker(x, ranks=(3, 3, 3))
core, factors = run.outputs["core"], run.outputs["factors"]
print(run, "core", core.shape, "factors", [factor.shape for factor in factors])
assert np.allclose(run.result, x)
