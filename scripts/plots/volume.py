"""Volumes: .npy files of three modes."""
import numpy as np

from input_problem import InputProblem


def read_volume(path):
    """The array of a .npy file with three modes of real numbers, as float64."""
    try:
        values = np.load(path, allow_pickle=False)
    except FileNotFoundError:
        raise InputProblem(f"{path} is missing, expected a .npy file with a volume") from None
    except (OSError, ValueError, EOFError) as error:
        raise InputProblem(f"{path} cannot be read as .npy: {error}") from None
    if values.dtype.kind not in "iuf":
        raise InputProblem(f"{path} has elements of type {values.dtype}, expected real numbers")
    if values.ndim != 3 or values.size == 0:
        raise InputProblem(f"{path} has the shape {values.shape}, expected three modes, none of them empty")
    return values.astype(np.float64)


def require_same_shape(first_path, first, second_path, second):
    if first.shape != second.shape:
        raise InputProblem(f"{second_path} has the shape {second.shape}, expected {first.shape} as {first_path} has")
