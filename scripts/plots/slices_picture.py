"""Slices of the volume before and after: original, reconstruction, difference."""
import numpy as np

from image_quality import psnr_db
from picture import save_picture


def chosen_slices(count, wanted=5):
    """Positions spread evenly over the third mode, the outermost left out where there are enough."""
    if count <= wanted:
        return list(range(count))
    return [int(round(position)) for position in np.linspace(0, count - 1, wanted + 2)[1:-1]]


def draw_slices(figure, original, job):
    slices = chosen_slices(original.shape[2])
    difference = job.reconstruction - original
    # Ringing at edges has a few large values; the range holds all but 1 in 1000 of them.
    spread = float(np.quantile(np.abs(difference), 0.999)) or 1.0
    rows = [("original", original, {"cmap": "gray", "vmin": original.min(), "vmax": original.max()}),
            (f"reconstruction ({job.label})", job.reconstruction,
             {"cmap": "gray", "vmin": original.min(), "vmax": original.max()}),
            ("reconstruction - original", difference, {"cmap": "RdBu_r", "vmin": -spread, "vmax": spread})]

    axes = figure.subplots(len(rows), len(slices), sharex=True, sharey=True, squeeze=False)
    for row, (title, values, look) in zip(axes, rows):
        for place, position in zip(row, slices):
            image = place.imshow(values[:, :, position], origin="lower", interpolation="nearest", **look)
            for spine in place.spines.values():
                spine.set_visible(False)
        row[0].set_ylabel(f"{title}\n\nmode 1 [voxel]")
        extend = "both" if look["cmap"] == "RdBu_r" else "neither"
        figure.colorbar(image, ax=list(row), label="intensity [unit of the file]", extend=extend, aspect=15, pad=0.01)
    for place, position in zip(axes[0], slices):
        place.set_title(f"slice {position + 1} of {original.shape[2]}", loc="center")
    for place in axes[-1]:
        place.set_xlabel("mode 2 [voxel]")

    kept = job.forward.summary["kept"]
    share = "" if kept is None else f", {kept:,} of {original.size:,} coefficients kept ({100 * kept / original.size:.3g} %)"
    shape = " x ".join(str(size) for size in original.shape)
    figure.suptitle(f"Volume of {shape}{share}: PSNR {psnr_db(original, job.reconstruction):.2f} dB")


def save_slices(path, original, job):
    columns = len(chosen_slices(original.shape[2]))
    height = 2.3 * original.shape[0] / original.shape[1]
    save_picture(path, (2.0 * columns + 2.2, min(max(3 * height, 4.5), 12)), lambda figure: draw_slices(figure, original, job))
