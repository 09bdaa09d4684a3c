"""Which points of a study no other point is better than."""
import numpy as np


def front(values, goals):
    """values: a row per point, a column per objective, NaN where there is none; goals: min or max of each column. True where
    no other point is at least as good in all objectives and better in one. Points without all objectives are on no front."""
    values = np.asarray(values, dtype=float).reshape(-1, len(goals)) * np.where(np.array(goals) == "max", -1.0, 1.0)
    whole = ~np.isnan(values).any(axis=1)
    on_front = np.zeros(len(values), dtype=bool)
    best = np.zeros((0, len(goals)))
    # In lexicographic order no later point is better than an earlier one: only those of the front need be asked.
    for place in np.lexsort(values.T[::-1]):
        if not whole[place]:
            continue
        point = values[place]
        if not ((best <= point).all(axis=1) & (best < point).any(axis=1)).any():
            on_front[place] = True
            best = np.vstack([best, point])
    return on_front
