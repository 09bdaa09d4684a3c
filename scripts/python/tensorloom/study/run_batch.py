"""A Snakemake job: runs the program for some runs of a study, one after the other.

Usage: run_batch.py FOLDER BATCH   FOLDER: folder of a start, with start.json and batches/BATCH.json

A run is published by one rename: it is written to a folder whose name begins with a dot, synced to the disk, and
renamed. Published runs are never repeated. If FOLDER does not exist, another start has taken over: the job runs and
publishes no more.
Exit status: 0 every run of the batch is published, whatever its result; 1 not all.

A large study starts this program thousands of times, also on nodes of a cluster: it reads nothing of the package and
imports little.
"""
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time

RECORD, SUMMARY, LOG = "record.json", "summary.json", "stderr.txt"
STATUSES = ("done", "wrong", "failed", "failed")  # by exit status
INTERRUPTED = (-signal.SIGINT, -signal.SIGTERM, -signal.SIGHUP)
MOST_OF_LINE = 500


def write_to_disk(path):
    """Syncs a file or folder to the disk, so that it survives a power cut."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def last_line(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = [line.strip() for line in file.read().replace("\r", "\n").split("\n")]
    return next((line for line in reversed(lines) if line), "")[:MOST_OF_LINE]


def message_of(status, line, complete):
    if status < 0:
        return f"ended by signal {-status} ({signal.Signals(-status).name})"
    if status == 0:
        return "" if complete else "no summary.json was written"
    return line or f"exit status {status}"


def kept(folder, keep):
    """Removes the files of a run that are not kept."""
    names = os.listdir(folder)
    if keep != "all":
        for name in names:
            if name not in (SUMMARY, RECORD):
                os.remove(os.path.join(folder, name))
        names = [name for name in names if name in (SUMMARY, RECORD)]
    return [os.path.join(folder, name) for name in names]


def run_one(start, run, made):
    """Runs the program in the folder `made`; False if it was interrupted."""
    began = time.time()
    log = os.path.join(made, LOG)
    with open(log, "wb") as complaints:
        status = subprocess.Popen([start["program"], *run["arguments"], "--quiet", "--out", made], cwd=start["folder"],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=complaints).wait()
    if status in INTERRUPTED:
        return False
    complete = os.path.exists(os.path.join(made, SUMMARY))
    state = STATUSES[status] if 0 <= status < len(STATUSES) and (complete or status) else "failed"
    record = {"schema": "tensorloom-study-run-1", "id": run["id"], "point": run["point"], "repeat": run["repeat"],
              "status": state, "exit_status": status, "message": message_of(status, last_line(log), complete),
              "arguments": run["arguments"], "host": socket.gethostname(),
              "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(began)), "wall_s": round(time.time() - began, 6)}
    with open(os.path.join(made, RECORD), "w", encoding="utf-8") as file:
        json.dump(record, file)
    for path in kept(made, start["keep"]):
        write_to_disk(path)
    write_to_disk(made)
    return True


def publish(made, final, runs):
    try:
        os.rename(made, final)
    except OSError:
        if not os.path.isdir(final):  # else another start has published the same run
            raise
    write_to_disk(runs)


def is_current(folder):
    """Whether the start is current: Snakemake may create a removed folder again, but not this file."""
    return os.path.isfile(os.path.join(folder, "start.json"))


def run_batch(folder, batch):
    with open(os.path.join(folder, "start.json"), encoding="utf-8") as file:
        start = json.load(file)
    with open(os.path.join(folder, "batches", f"{batch}.json"), encoding="utf-8") as file:
        asked = json.load(file)
    for run in asked:
        final = os.path.join(start["runs"], run["id"])
        if os.path.isdir(final):
            continue
        if not is_current(folder):
            return 1
        made = os.path.join(start["runs"], f".{run['id']}-{socket.gethostname()}-{os.getpid()}")
        os.mkdir(made)
        try:
            if not run_one(start, run, made) or not is_current(folder):
                return 1
            publish(made, final, start["runs"])
        finally:
            shutil.rmtree(made, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(run_batch(sys.argv[1], sys.argv[2]))
