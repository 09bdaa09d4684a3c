#!/usr/bin/env python3
"""Prints a dense and an ESOP job side by side, and draws the pictures.

Usage: demo_report.py ORIGINAL.npy FOLDER

FOLDER has the folders dense/ and esop/, each a job (see job_folder.py). Into FOLDER go comparison.txt, slices.png, energy.png and
timeline.png. Exit status: 0 done; 2 wrong use, or a file is missing, damaged or cannot be written.
"""
import os
import sys

from comparison_table import Comparison, format_comparison
from energy_picture import save_energy
from input_problem import InputProblem
from job_folder import read_job
from slices_picture import save_slices
from timeline_picture import save_timeline
from volume import read_volume, require_same_shape


def report(original_path, folder):
    original = read_volume(original_path)
    if not original.max() > 0:
        raise InputProblem(f"{original_path} has no positive element, so PSNR has no peak")
    dense = read_job("dense", os.path.join(folder, "dense"))
    esop = read_job("ESOP", os.path.join(folder, "esop"))
    for job in (dense, esop):
        require_same_shape(original_path, original, job.reconstruction_path, job.reconstruction)

    table = format_comparison(Comparison(dense, esop, original))
    print(table, end="")
    table_path = os.path.join(folder, "comparison.txt")
    try:
        with open(table_path, "w", encoding="utf-8") as file:
            file.write(table)
    except OSError as error:
        raise InputProblem(f"{table_path} cannot be written: {error.strerror}") from None

    save_slices(os.path.join(folder, "slices.png"), original, esop)
    save_energy(os.path.join(folder, "energy.png"), dense, esop)
    save_timeline(os.path.join(folder, "timeline.png"), dense, esop)


def main(arguments):
    if arguments == ["--help"]:
        print(__doc__.strip())
        return 0
    if len(arguments) != 2:
        print(f"demo_report: {len(arguments)} arguments, expected ORIGINAL.npy and FOLDER (see --help)", file=sys.stderr)
        return 2
    try:
        report(*arguments)
    except InputProblem as problem:
        print(f"demo_report: {problem}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
