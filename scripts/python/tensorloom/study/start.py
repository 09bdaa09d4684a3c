"""One start of Snakemake over the runs of a study that are not published yet.

Runs are distributed to batches in turn, so that each batch has some of the long runs. Each parallel job gets several
batches: few enough to keep Snakemake's overhead small, many enough for all jobs to end at about the same time.
"""
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass

from tensorloom.progress import Bar
from tensorloom.run_directory import InputProblem, TensorLoomError

HERE = os.path.dirname(os.path.abspath(__file__))
SNAKEFILE, WORKER, PROFILES = (os.path.join(HERE, name) for name in ("Snakefile", "run_batch.py", "profiles"))
PYTHON = "/usr/bin/python3"
BATCHES_PER_JOB = 16          # on this machine
BATCHES_PER_CLUSTER_JOB = 4   # a batch on a cluster starts its own Snakemake, and waits in a queue
CLUSTER_JOBS = 16             # parallel jobs by default
STEP_S = 0.25                 # interval of looking for published runs
LINES = 3                     # lines of Snakemake's log in an error message


@dataclass
class Engine:
    """How to call Snakemake."""
    jobs: int
    profile: str = None  # a folder

    def batches_per_job(self):
        return BATCHES_PER_CLUSTER_JOB if self.profile else BATCHES_PER_JOB

    def arguments(self):
        if self.profile:
            return ["--profile", self.profile, "--jobs", str(self.jobs)]
        return ["--cores", str(self.jobs), "--max-jobs-per-second", "1000"]


def snakemake():
    path = shutil.which("snakemake") or shutil.which("snakemake", path="/usr/bin")
    if not path:
        raise InputProblem("no program 'snakemake' in PATH, expected Debian's package (scripts/setup --studies)")
    return path


def engine_of(jobs, profile):
    if profile is None:
        return Engine(jobs or len(os.sched_getaffinity(0)))
    known = os.path.join(PROFILES, profile)
    folder = known if os.path.isdir(known) and os.sep not in profile else os.path.abspath(profile)
    if not os.path.isfile(os.path.join(folder, "config.yaml")):
        raise InputProblem(f"--profile is '{profile}', expected {', '.join(sorted(os.listdir(PROFILES)))} or a folder with "
                           "Snakemake's config.yaml")
    return Engine(jobs or CLUSTER_JOBS, folder)


def batches_of(runs, batch, engine):
    """Batches of `size` runs each, or several batches per job."""
    count = -(-len(runs) // batch) if batch else min(len(runs), engine.jobs * engine.batches_per_job())
    return [runs[place::count] for place in range(count)]


def write_start(folder, plan, runs, engine, directory):
    batches = batches_of(runs, plan.batch, engine)
    for number, batch in enumerate(batches):
        told = [{"id": run.id, "point": run.point, "repeat": run.repeat, "arguments": run.arguments(plan.table)} for run in batch]
        with open(os.path.join(folder, "batches", f"{number}.json"), "w", encoding="utf-8") as file:
            json.dump(told, file)
    start = {"program": plan.program, "folder": plan.folder, "runs": directory.runs, "keep": plan.keep, "batches": len(batches),
             "threads": plan.threads(), "python": PYTHON, "worker": WORKER, "name": re.sub(r"[^A-Za-z0-9_.-]", "_", os.path.basename(directory.folder))}
    with open(os.path.join(folder, "start.json"), "w", encoding="utf-8") as file:
        json.dump(start, file)


def clock_text(seconds):
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def last_lines(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = [line.strip() for line in file if line.strip()]
    return "; ".join(lines[-LINES:])


def run_missing(directory, plan, missing, engine):
    """Runs the missing runs; returns after Snakemake has ended. TensorLoomError if runs are still missing."""
    folder = directory.new_start()
    write_start(folder, plan, missing, engine, directory)
    log = os.path.join(folder, "snakemake.log")
    ids = {run.id for run in missing}
    environment = {**os.environ, "XDG_CACHE_HOME": os.path.join(folder, "cache")}  # Snakemake's own cache
    environment.pop("SNAKEMAKE_PROFILE", None)
    with open(log, "wb") as output:
        engine_process = subprocess.Popen(
            [snakemake(), "--snakefile", SNAKEFILE, "--directory", folder, "--keep-going", "--nolock", "--nocolor",
             "--scheduler", "greedy", *engine.arguments()],
            cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
    began = time.monotonic()
    try:
        with Bar(f"study of {plan.testbench}") as bar:
            while engine_process.poll() is None:
                if bar.active:
                    done = len(directory.published() & ids)
                    left = (time.monotonic() - began) * (len(ids) / done - 1) if done else 0
                    bar.show(done / len(ids), f"{done:,} of {len(ids):,} runs" + (f", {clock_text(left)} left" if done else ""))
                with contextlib.suppress(subprocess.TimeoutExpired):
                    engine_process.wait(STEP_S)
    except BaseException:
        directory.revoke_starts()
        engine_process.send_signal(signal.SIGINT)  # Snakemake then removes its jobs from a cluster's queue
        engine_process.wait()
        raise
    left = len(ids - directory.published())
    if left:
        raise TensorLoomError(f"{left:,} runs were not completed: {log}: {last_lines(log)}")
