"""The Pareto front of a study."""
import numpy as np


def front(values, goals):
    """values: a row per point, a column per objective, NaN if missing; goals: min or max for each column. True for
    points that no other point dominates (at least as good in all objectives, better in one); False for points with a
    missing objective."""
    values = np.asarray(values, dtype=float).reshape(-1, len(goals)) * np.where(np.array(goals) == "max", -1.0, 1.0)
    whole = ~np.isnan(values).any(axis=1)
    on_front = np.zeros(len(values), dtype=bool)
    best = np.zeros((0, len(goals)))
    # In lexicographic order no later point dominates an earlier one: a point is compared only with the front.
    for place in np.lexsort(values.T[::-1]):
        if not whole[place]:
            continue
        point = values[place]
        if not ((best <= point).all(axis=1) & (best < point).any(axis=1)).any():
            on_front[place] = True
            best = np.vstack([best, point])
    return on_front
