"""The files of a study.

    study.json           the testbench, options and points
    runs/ID/             a published run: record.json, summary.json, with `keep: all` also its tables and trace
    runs/.ID-HOST-PID/   an unfinished run; it is never read
    start-NAME/          the folder of the newest start: start.json, batches/N.json, snakemake.log, and Snakemake's files
    results.csv          the table of the runs, written when a start ends; also results.parquet if pyarrow is installed
    points.csv           the points: mean and deviation of their runs, written with it
    .lock                held during a start; released when its process ends for any reason
"""
import contextlib
import fcntl
import json
import os
import secrets
import shutil

from tensorloom.run_directory import InputProblem, read_json
from tensorloom.whole_files import write_whole

STUDY, RUNS, LOCK = "study.json", "runs", ".lock"
RESULTS, PARQUET, POINTS = "results.csv", "results.parquet", "points.csv"
REFUSED = "refused"  # status of a design of a model that the program does not accept
DEVIATION = "_deviation"  # the ending of columns of points.csv
SCHEMA = "tensorloom-study-1"
RECORD, SUMMARY = "record.json", "summary.json"
START = "start-"


def is_study(folder):
    return os.path.isfile(os.path.join(folder, STUDY))


class StudyDirectory:
    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        self.runs = self.path(RUNS)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def check(self):
        """Rejects a folder with other content."""
        if os.path.exists(self.folder) and not os.path.isdir(self.folder):
            raise InputProblem(f"{self.folder} is a file, expected a folder for the study")
        if os.path.isdir(self.folder) and not is_study(self.folder) and any(name != LOCK for name in os.listdir(self.folder)):
            raise InputProblem(f"{self.folder} holds files that do not belong to a study, expected a new folder or that of a study")

    @contextlib.contextmanager
    def locked(self):
        """Allows only one start at a time."""
        self.check()
        try:
            os.makedirs(self.folder, exist_ok=True)
            lock = open(self.path(LOCK), "a", encoding="utf-8")
        except OSError as error:
            raise InputProblem(f"{self.folder} cannot be written: {error.strerror}") from None
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InputProblem(f"{self.folder} is in use by another tensorloom-study") from None
            except OSError as error:
                raise InputProblem(f"{self.folder} cannot be locked: {error.strerror}") from None
            yield

    def take(self, plan, program_digest):
        """Writes study.json. Points may have been added or removed; the program must be that of the existing runs."""
        if is_study(self.folder):
            before = read_json(self.path(STUDY))
            for name, now in (("testbench", plan.testbench), ("program_sha256", program_digest)):
                if before.get(name) != now and self.published():
                    what = "another testbench" if name == "testbench" else f"another build of {plan.testbench}"
                    raise InputProblem(f"{self.folder} has runs of {what}, expected the same, another --out, or --again all")
        os.makedirs(self.runs, exist_ok=True)
        described = json.dumps({**plan.described(), "program_sha256": program_digest}, indent=2) + "\n"
        write_whole(self.path(STUDY), described.encode(), sync=True)

    def published(self):
        """The ids of complete runs."""
        if not os.path.isdir(self.runs):
            return set()
        return {name for name in os.listdir(self.runs) if not name.startswith(".")}

    def record(self, run_id):
        return read_json(os.path.join(self.runs, run_id, RECORD))

    def summary(self, run_id):
        """The run's summary; None if it has written none."""
        path = os.path.join(self.runs, run_id, SUMMARY)
        return read_json(path) if os.path.exists(path) else None

    def forget_all(self):
        for run_id in self.published():
            self.forget(run_id)

    def forget(self, run_id):
        """Removes a run that is to be repeated. It is renamed first, so that it is never partly there."""
        unnamed = os.path.join(self.runs, f".{run_id}-forgotten")
        os.rename(os.path.join(self.runs, run_id), unnamed)
        shutil.rmtree(unnamed)

    def revoke_starts(self):
        """Renames the folder of an earlier start: jobs of it that still run, here or on a cluster, publish nothing more
        and stop before their next run. Snakemake may create the folder again for its cache: then that is renamed,
        too."""
        for name in os.listdir(self.folder):
            if name.startswith(START):
                os.rename(self.path(name), self.path(f".{name}-{secrets.token_hex(4)}"))

    def new_start(self):
        """Creates an empty folder for a start, and removes those of earlier starts."""
        self.revoke_starts()
        unnamed = [self.path(name) for name in os.listdir(self.folder) if name.startswith(f".{START}")]
        unnamed += [os.path.join(self.runs, name) for name in os.listdir(self.runs) if name.startswith(".")]
        for path in unnamed:
            shutil.rmtree(path, ignore_errors=True)
        made = self.path(START + secrets.token_hex(4))
        os.makedirs(os.path.join(made, "batches"))
        return made
