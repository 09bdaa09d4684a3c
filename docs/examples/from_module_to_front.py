# %% [markdown]
# # From a PyTorch module to its Pareto front
#
# What does a network cost on FETTA, does it learn there, and which rank of its tensorized layer is worth its energy?
# Needs torch.

# %%
import numpy as np
import torch
import tensorloom as tl
from tensorloom.pytorch import TTMLinear, cost, model_of, train

# %% [markdown]
# Gratings of 16 x 16 pixels in eight directions, each at a random place: no sum over pixels tells them apart.

# %%
random = np.random.default_rng(0)
directions = random.integers(0, 8, 2000)
across = np.stack([np.cos(directions * np.pi / 8), np.sin(directions * np.pi / 8)])
y, x = np.mgrid[0:16, 0:16]
waves = np.cos(across[0, :, None, None] * x + across[1, :, None, None] * y + random.uniform(0, 2 * np.pi, (2000, 1, 1)))
pictures = (waves + 1.5 * random.standard_normal(waves.shape)).astype(np.float32)
data, test = (pictures[:1600], directions[:1600]), (pictures[1600:], directions[1600:])


class Network(torch.nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.hidden, self.output = hidden, torch.nn.Linear(128, 8)

    def forward(self, pictures):
        return self.output(torch.relu(self.hidden(pictures.flatten(1))))


torch.manual_seed(0)
dense = Network(torch.nn.Linear(256, 128))
tensorized = Network(TTMLinear(256, 128, rank=8, rows=(8, 16), cols=(16, 16)))

# %% [markdown]
# The cost of a step of both, node by node, with every tensor between nodes in memory on the bus.

# %%
sample = torch.from_numpy(pictures[:64])
for name, module in (("dense", dense), ("TTM of rank 8", tensorized)):
    run = cost(module, sample, optimizer="adam")
    of_hidden = next(row for row in run.table("nodes") if row["node"] == "hidden")
    print(f"{name:14} {run.cycles:8,} cycles a step, {run.energy_pj / 1e6:6.1f} uJ; hidden layer {of_hidden['cycles']:8,} cycles")

# %% [markdown]
# Both learn on the device. Between loading a batch and reading the losses no tensor of a step is on the host. PyTorch
# trains copies of the modules on the same batches: the curves are beside each other.

# %%
trained = {}
for name, module in (("dense", dense), ("TTM of rank 8", tensorized)):
    optimizer = torch.optim.Adam(module.parameters(), lr=0.005)
    trained[name] = run = train(module, data, epochs=8, batch=64, optimizer=optimizer, test=test)
    for row in run.table("pytorch"):
        print(f"{name:14} epoch {row['epoch']}: loss {row['loss']:.4f}, PyTorch {row['pytorch_loss']:.4f}; "
              f"accuracy {row['test_accuracy']:.1%}, PyTorch {row['pytorch_test_accuracy']:.1%}")
    assert np.abs(run.table("pytorch")["loss"] - run.table("pytorch")["pytorch_loss"]).max() < 0.02

# %% [markdown]
# The parameters are those of the device now. The module goes on in PyTorch.

# %%
with torch.no_grad():
    right = (tensorized(torch.from_numpy(test[0])).argmax(dim=1).numpy() == test[1]).mean()
print(f"PyTorch with the device's parameters: {right:.1%} of the test set")
assert abs(right - trained["TTM of rank 8"].summary["test_accuracy"]) < 0.01

# %% [markdown]
# Which rank? The model of a module is a dict, its keys are options of a sweep. A point for each rank and size of the
# device.

# %%
model = {**model_of(tensorized, sample, optimizer=torch.optim.Adam(tensorized.parameters(), lr=0.005)), "epochs": 8, "batch": 64}
sweep = tl.sweep(tl.tnn_training, {"model.layers.hidden.ranks": [1, 2, 4, 8, 16], "engines": [4, 16]}, model, train=data, test=test,
                 no_check=True)
table = sweep.table

# %% [markdown]
# The Pareto front: no other point is as accurate with less energy.

# %%
front = [row for row in table if not any(
    other["test_accuracy"] >= row["test_accuracy"] and other["energy_pJ"] <= row["energy_pJ"] and tuple(other) != tuple(row)
    for other in table)]
for row in sorted(table, key=lambda row: row["energy_pJ"]):
    print(f"rank {row['model.layers.hidden.ranks']:>2} on {row['engines']:2} engines {row['energy_pJ'] / 1e6:8.1f} uJ "
          f"{row['cycles']:10,.0f} cycles  accuracy {row['test_accuracy']:6.1%}{'  front' if row in front else ''}")
assert 1 <= len(front) < len(table)
print(f"the dense network: {trained['dense'].energy_pj / 1e6:.1f} uJ, {trained['dense'].summary['test_accuracy']:.1%}")
