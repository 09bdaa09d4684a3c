"""The Pareto front of a study."""
import numpy as np


def front(values, goals, deviations=None):
    """values: a row per point, a column per objective, NaN if missing; goals: min or max for each column. True for
    points that no other point dominates; False for points with a missing objective.

    A point dominates another if it is at least as good in all objectives and better in one: with deviations (of the same
    shape), better by more than the deviation of the difference, the root of the sum of both squares."""
    values = np.asarray(values, dtype=float).reshape(-1, len(goals)) * np.where(np.array(goals) == "max", -1.0, 1.0)
    whole = ~np.isnan(values).any(axis=1)
    if deviations is not None:
        deviations = np.nan_to_num(np.asarray(deviations, dtype=float).reshape(values.shape))
        if deviations.any():
            return noisy_front(values, whole, deviations)
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


def noisy_front(values, whole, deviations):
    """Beyond deviations dominance is not transitive: a point is compared with all others."""
    on_front = whole.copy()
    others, noise = values[whole], deviations[whole]
    for place in np.flatnonzero(whole):
        beyond = values[place] - others > np.sqrt(deviations[place] ** 2 + noise ** 2)
        on_front[place] = not ((others <= values[place]).all(axis=1) & beyond.any(axis=1)).any()
    return on_front
