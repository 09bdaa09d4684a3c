# %% [markdown]
# # How large a mesh, and how wide a port?
#
# Every combination runs in a process of its own, as many at a time as there are processors.

# %%
import numpy as np
import tensorloom as tl

x = np.random.default_rng(0).standard_normal((24, 24, 24))
sweep = tl.sweep(tl.dxt, {"mesh": [(8, 8, 8), (12, 12, 12), (24, 24, 24)], "dma_width": [64, 512]}, x, transform="dct")
for row in sweep.table:
    print(f"{row['mesh']:>10}  {row['dma_width']:4} bit  {row['cycles']:8,.0f} cycles  {row['energy_pJ'] / 1e6:8.2f} uJ")

# %% [markdown]
# Which points are not beaten in both time and energy?

# %%
table = sweep.table
front = [row for row in table
         if not any(other["cycles"] <= row["cycles"] and other["energy_pJ"] < row["energy_pJ"] for other in table)]
print("not beaten:", ", ".join(f"{row['mesh']} with {row['dma_width']} bit" for row in front))
assert 1 <= len(front) <= len(table)

# %% [markdown]
# What the options' table knows to be wrong is refused before anything runs: there is no port of 16 bits.

# %%
try:
    tl.sweep(tl.dxt, {"dma_width": [16, 32]}, x)
except tl.TensorLoomError as error:
    print(error)
