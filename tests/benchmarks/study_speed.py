#!/usr/bin/python3
"""How much longer a study takes than its bare runs: the same command lines, as many at a time, with nothing around them.

Usage: study_speed.py STUDY.yaml [JOBS]   JOBS: at a time (default: 2). Prints both times and their ratio.
"""
import concurrent.futures
import os
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "scripts", "python"))

from tensorloom.study.plan import plan_of  # noqa: E402: the package is found through the path above
from tensorloom.study.study_file import read_study  # noqa: E402


def bare_seconds(plan, jobs, folder):
    """Every thread has a folder of its own, which each of its runs writes over."""
    own = threading.local()

    def run(one):
        if not hasattr(own, "folder"):
            own.folder = tempfile.mkdtemp(dir=folder)
        subprocess.run([plan.program, *one.arguments(plan.table), "--quiet", "--out", own.folder], check=True, cwd=plan.folder)

    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(run, plan.runs))
    return time.monotonic() - began


def study_seconds(study, jobs, folder):
    began = time.monotonic()
    subprocess.run([os.path.join(ROOT, "scripts/python/tensorloom-study"), study, "--jobs", str(jobs), "--out",
                    os.path.join(folder, "study")], check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - began


def main():
    study, jobs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2
    plan = plan_of(read_study(study))
    with tempfile.TemporaryDirectory() as folder:
        bare, whole = bare_seconds(plan, jobs, folder), study_seconds(study, jobs, folder)
    print(f"{len(plan.runs)} runs, {jobs} at a time: bare {bare:.1f} s ({1000 * bare * jobs / len(plan.runs):.0f} ms each), "
          f"study {whole:.1f} s, {whole / bare:.3f} times as long")


if __name__ == "__main__":
    main()
