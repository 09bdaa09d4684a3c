# %% [markdown]
# # A layer in tensor-train format, trained with its contractions on FETTA
#
# PyTorch does everything else; forward and backward contractions run on the simulated device. Needs torch.

# %%
import torch
from tensorloom.pytorch import einsum, recorded

torch.manual_seed(0)
x = torch.randn(24, 4, 4)
target = torch.einsum("bij,ik,jl->bkl", x, torch.randn(4, 3), torch.randn(4, 3))

# %%
first = torch.nn.Parameter(torch.randn(4, 3, 2) / 2)   # input mode, output mode, rank
second = torch.nn.Parameter(torch.randn(2, 4, 3) / 2)
optimizer = torch.optim.Adam([first, second], lr=0.1)
losses = []
with recorded() as runs:
    for step in range(20):
        optimizer.zero_grad()
        hidden = einsum("bij,ikr->bjkr", x, first)
        y = einsum("bjkr,rjl->bkl", hidden, second)
        loss = ((y - target) ** 2).mean()
        loss.backward()
        optimizer.step()
        losses.append(float(loss))
print(f"loss {losses[0]:.3f}, after {len(losses)} steps {losses[-1]:.3f}")
assert losses[-1] < 0.5 * losses[0]

# %% [markdown]
# Two contractions forward and three backward in each step (the gradient of x is not needed).

# %%
per_step = len(runs) // len(losses)
print(f"{per_step} contractions a step, {sum(run.cycles for run in runs[:per_step]):,} cycles, "
      f"{sum(run.energy_pj for run in runs[:per_step]) / 1e6:.2f} uJ")
assert per_step == 5
