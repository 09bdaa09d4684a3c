"""Slices of a volume before and after: original, reconstruction, difference, and their PSNR."""
import numpy as np

from tensorloom.pictures.figure import make_picture
from tensorloom.quantities import size_text
from tensorloom.run_directory import InputProblem, one_line

WANTED = 5          # slices
HIDDEN = 0.001      # share of the differences beyond the colour scale: ringing at edges has a few large ones


def read_volume(path):
    """The array of a .npy file with three modes of real numbers, as float64."""
    try:
        values = np.load(path, allow_pickle=False)
    except FileNotFoundError:
        raise InputProblem(f"{path} is missing, expected a .npy file with a volume") from None
    except (OSError, ValueError, EOFError) as error:
        raise InputProblem(f"{path} cannot be read as .npy: {one_line(error)}") from None
    if values.dtype.kind not in "iuf":
        raise InputProblem(f"{path} has elements of type {values.dtype}, expected real numbers")
    if values.ndim != 3 or values.size == 0:
        raise InputProblem(f"{path} has the shape {values.shape}, expected three modes, none of them empty")
    return values.astype(np.float64)


def psnr_db(original, reconstruction):
    """Peak signal-to-noise ratio in dB: 10 log10(peak^2 / mean square error), peak = the maximum of the original.

    Infinite when both are equal. Computed in float64.
    """
    original, reconstruction = np.asarray(original, dtype=np.float64), np.asarray(reconstruction, dtype=np.float64)
    if original.shape != reconstruction.shape:
        raise ValueError(f"shapes differ: {original.shape} and {reconstruction.shape}")
    peak = original.max()
    if not peak > 0:
        raise ValueError(f"the maximum of the original is {peak}, expected a positive one")
    mean_square_error = np.mean((original - reconstruction) ** 2)
    return float("inf") if mean_square_error == 0 else float(10 * np.log10(peak**2 / mean_square_error))


def chosen_slices(count, wanted=WANTED):
    """Positions spread evenly over the third mode, without the outermost ones if there are enough."""
    if count <= wanted:
        return list(range(count))
    return [int(round(position)) for position in np.linspace(0, count - 1, wanted + 2)[1:-1]]


def draw_slices(figure, original, reconstruction):
    slices = chosen_slices(original.shape[2])
    difference = reconstruction - original
    spread = float(np.quantile(np.abs(difference), 1 - HIDDEN)) or 1.0
    grey = {"cmap": "gray", "vmin": original.min(), "vmax": original.max()}
    rows = [("original", original, grey), ("reconstruction", reconstruction, grey),
            ("difference", difference, {"cmap": "RdBu_r", "vmin": -spread, "vmax": spread})]
    axes = figure.subplots(len(rows), len(slices), sharex=True, sharey=True, squeeze=False)
    for row, (title, values, look) in zip(axes, rows):
        for place, position in zip(row, slices):
            image = place.imshow(values[:, :, position], origin="lower", interpolation="nearest", **look)
            place.spines[:].set_visible(False)
        row[0].set_ylabel(f"{title}\nmode 1 [voxel]")
        figure.colorbar(image, ax=list(row), label="intensity", extend="both" if title == "difference" else "neither", aspect=15,
                        pad=0.01)
    for place, position in zip(axes[0], slices):
        place.set_title(f"slice {position + 1} of {original.shape[2]}", loc="center")
    for place in axes[-1]:
        place.set_xlabel("mode 2 [voxel]")
    figure.suptitle(f"Volume of {size_text(original.shape)} before and after: PSNR {psnr_db(original, reconstruction):.2f} dB",
                    x=0.01, ha="left")


def picture_of(paths):
    """The figure of ORIGINAL.npy and RECONSTRUCTION.npy."""
    if len(paths) != 2:
        raise InputProblem(f"{len(paths)} files, expected ORIGINAL.npy and RECONSTRUCTION.npy")
    original, reconstruction = (read_volume(path) for path in paths)
    if original.shape != reconstruction.shape:
        raise InputProblem(f"{paths[1]} has the shape {reconstruction.shape}, expected {original.shape} as {paths[0]} has")
    if not original.max() > 0:
        raise InputProblem(f"{paths[0]} has no positive element, so PSNR has no peak")
    return make_picture(lambda figure: draw_slices(figure, original, reconstruction), 8.0)
