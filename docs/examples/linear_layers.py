# %% [markdown]
# # Linear layers along modes
#
# A network whose layers are matrices along the modes of a tensor, with ReLU between them: channels, rows, columns. The
# tensor stays in the cells, layers follow each other, and the zeros that ReLU makes are not multiplied.

# %%
import os
import tempfile

import numpy as np
import tensorloom as tl

random = np.random.default_rng(0)
shape = (16, 12, 12)
x = random.standard_normal(shape).astype(np.float32)
channels = (random.standard_normal((16, 24)) / 4).astype(np.float32)
rows, columns = ((random.standard_normal((12, 12)) / 3).astype(np.float32) for _ in range(2))
bias = random.normal(-0.5, 0.1, (24, 12, 12)).astype(np.float32)

steps = """chain:
  - transform: ["file:channels.npy", none, none]
    out_shape: 24x12x12
  - add: bias.npy
  - relu: true
  - transform: [none, "file:rows.npy", none]
  - relu: true
  - transform: [none, none, "file:columns.npy"]
  - relu: true
"""

# %%
with tempfile.TemporaryDirectory() as folder:
    for name, values in {"channels": channels, "rows": rows, "columns": columns, "bias": bias}.items():
        np.save(os.path.join(folder, name + ".npy"), values)
    with open(os.path.join(folder, "layers.yaml"), "w", encoding="utf-8") as file:
        file.write(steps)
    dense, esop = (tl.dxt(x, chain_file=file.name, sparsity=sparsity) for sparsity in ("dense", "esop"))

# %% [markdown]
# The first layer has a dense input. The next ones meet zeros that the network made.

# %%
for step in esop.summary["chain"]:
    done = step["macs"] + step["macs_skipped"]
    print(f"{step['step']:58}{step['macs']:8,} MACs" + (f", {step['macs_skipped'] / done:.0%} skipped" if done else ""))
first, second, third = (step for step in esop.summary["chain"] if step["step"].startswith("transform"))
assert first["macs_skipped"] == 0 and second["macs_skipped"] > second["macs"] and third["macs_skipped"] > 0

# %%
expected = np.maximum(np.einsum("abc,ai->ibc", x, channels, dtype=np.float64) + bias, 0)
expected = np.maximum(np.einsum("ibc,bj->ijc", expected, rows, dtype=np.float64), 0)
expected = np.maximum(np.einsum("ijc,ck->ijk", expected, columns, dtype=np.float64), 0)
error = abs(esop.result - expected).max() / abs(expected).max()
print(f"relative difference to numpy {error:.1e}; {dense.energy_pj / 1e6:.2f} uJ dense, {esop.energy_pj / 1e6:.2f} uJ with ESOP")
assert error < 1e-5 and np.array_equal(dense.result, esop.result)
