# %% [markdown]
# # Poisson's equation between walls
#
# The second differences of u are f inside a box, and u is 0 on its walls. The grid has its points in the middle of N
# cells along each mode, so that the walls lie half a cell outside: the value beyond a wall is the negative of the value
# before it. The columns of the DST (DST-II, sin(pi (2n+1) (k+1) / (2N))) are the eigenvectors of these differences, and
# -4 sin^2(pi (k+1) / (2N)) N^2 their eigenvalues. So a solution is a chain: DST, multiply by 1 / eigenvalues, DST back.

# %%
import os
import tempfile

import numpy as np
import tensorloom as tl

shape = (12, 10, 8)
f = np.random.default_rng(0).standard_normal(shape)


def eigenvalues(size):
    return -4 * np.sin(np.pi * (np.arange(size) + 1) / (2 * size)) ** 2 * size**2


inverse = 1 / np.add.outer(np.add.outer(eigenvalues(shape[0]), eigenvalues(shape[1])), eigenvalues(shape[2]))

# %%
with tempfile.TemporaryDirectory() as folder:
    np.save(os.path.join(folder, "inverse.npy"), inverse)
    chain = os.path.join(folder, "poisson.yaml")
    with open(chain, "w", encoding="utf-8") as file:
        file.write("chain:\n  - transform: dst\n  - multiply: inverse.npy\n  - transform: dst\n    inverse: true\n")
    run = tl.dxt(f, chain_file=chain)
print(run)

# %% [markdown]
# A direct solver of the same differences, which knows no transform.


# %%
def second_differences(size):
    main = np.full(size, -2.0)
    main[0] = main[-1] = -3  # the value beyond the wall is the negative of the one before it
    return size**2 * (np.diag(main) + np.eye(size, k=1) + np.eye(size, k=-1))


a, b, c = map(second_differences, shape)
one, two, three = map(np.eye, shape)
laplacian = np.kron(np.kron(a, two), three) + np.kron(np.kron(one, b), three) + np.kron(np.kron(one, two), c)
direct = np.linalg.solve(laplacian, f.ravel()).reshape(shape)
error = abs(run.result - direct).max() / abs(direct).max()
print(f"relative difference to the direct solver {error:.1e}")
assert error < 1e-12
