"""Small runs of every testbench, as their programs write them; tests/testbenches/NAME/jobs.json has them."""
import os
import subprocess

import package_path  # noqa: F401
from testbench_manifests import TEST_JOBS

# Name of a run -> its command line without --out, and the pictures that it has.
RUNS = {run: (f"{testbench} {job['job']}", job["pictures"])
        for testbench, jobs in TEST_JOBS.items() for run, job in jobs["runs"].items()}


def runs_with(picture):
    return [run for run, (_, pictures) in RUNS.items() if picture in pictures]


def run_testbenches(programs, folder):
    """Runs them into folder/NAME; the paths by name."""
    written = {}
    for run, (command, _) in RUNS.items():
        written[run] = os.path.join(folder, run)
        program, *arguments = command.split()
        subprocess.run([os.path.join(programs, program), *arguments, "--quiet", "--out", written[run]], check=True,
                       stdout=subprocess.DEVNULL)
    return written
