"""tensorloom-study: many runs of a testbench, asked for by a YAML file and run by Snakemake."""
import hashlib
import os
import signal
import sys

from tensorloom.command_line import main_of, split_options
from tensorloom.quantities import number_text
from tensorloom.run_directory import InputProblem
from tensorloom.study.directory import PARQUET, RESULTS, StudyDirectory
from tensorloom.study.plan import plan_of, refuse_bad_runs
from tensorloom.study.results import MISSING, rows_of, write_csv, write_parquet
from tensorloom.study.start import engine_of, run_missing, snakemake
from tensorloom.study.study_file import read_study

USAGE = """Usage: tensorloom-study STUDY.yaml [--out DIR] [--jobs N] [--profile NAME|DIR] [--again failed]

Runs a testbench at many points, in parallel, and writes one table of what came of them. STUDY.yaml says the testbench, its
options, and which points: docs/studies.md. Started again after whatever ended it, it goes on: runs that are published are
never run again.

  --out DIR           the study's folder (default: named like the file, in the current one)
  --jobs N            runs at a time (default: as many as this machine has cores); with --profile jobs in the queue
                      (default: 16)
  --profile NAME|DIR  run elsewhere: slurm, or a folder with a profile of Snakemake
  --again failed      run those again that failed or were wrong
  --help              print this text and stop

Exit status: 0 all runs are done and right; 1 some failed or were wrong; 2 bad input, in one line, before anything runs; 3 runs
are missing; 130 interrupted (SIGINT, SIGTERM)."""
OPTIONS = ("--out", "--jobs", "--profile", "--again")
MOST_JOBS = 10_000
MOST_TOLD = 10  # of failed runs, of points on the front


def count_of(options, name, most):
    text = options.get(name)
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= most:
        raise InputProblem(f"{name} is '{text}', expected 1 to {most}")
    return int(text)


def digest_of(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def point_text(row, plan):
    return f"point {row['point']}" + (f", repeat {row['repeat']}" if plan.runs[-1].repeat > 1 else "") + ": " + \
        " ".join(f"{name}={row[name]}" for name in plan.swept if row[name] is not None)


def told_few(lines):
    return lines[:MOST_TOLD] + ([f"  and {len(lines) - MOST_TOLD:,} more"] if len(lines) > MOST_TOLD else [])


def tell(plan, rows, files, made):
    states = [row["status"] for row in rows]
    bad = [row for row in rows if row["status"] not in ("done", MISSING)]
    print(f"{plan.runs[-1].point:,} points, {len(rows):,} runs: {states.count('done'):,} done" +
          (f", {len(bad):,} failed or wrong" if bad else "") + f"; {made:,} of them now")
    print("\n".join(told_few([f"  {point_text(row, plan)}: {row['message']}" for row in bad])) + "\n" * bool(bad), end="")
    names = ", ".join(f"{objective.goal} {objective.name}" for objective in plan.objectives)
    on_front = [row for row in rows if row["on_front"] and row["repeat"] == 1]
    if names:
        print(f"no point is better than these {len(on_front):,} ({names}):" if on_front else f"no point has all of {names}")
        print("\n".join(told_few([f"  {point_text(row, plan)}" for row in on_front])) + "\n" * bool(on_front), end="")
    print("written: " + ", ".join(files))


def run(arguments):
    options, names = split_options(arguments, lambda option: None if option in OPTIONS else f"unknown option '{option}'")
    if len(names) != 1:
        raise InputProblem(f"{len(names)} files, expected one study (see --help)")
    if options.get("--again", "failed") != "failed":
        raise InputProblem(f"--again is '{options['--again']}', expected failed")
    engine = engine_of(count_of(options, "--jobs", MOST_JOBS), options.get("--profile"))
    plan = plan_of(read_study(names[0]))
    snakemake()
    directory = StudyDirectory(options.get("--out") or os.path.splitext(os.path.basename(names[0]))[0])
    directory.check()
    refuse_bad_runs(plan, [one for one in plan.runs if one.id not in directory.published()], len(os.sched_getaffinity(0)))
    with directory.locked():
        directory.take(plan, digest_of(plan.program))
        published = directory.published()
        if "--again" in options:
            for one in plan.runs:
                if one.id in published and directory.record(one.id)["status"] != "done":
                    directory.forget(one.id)
                    published.discard(one.id)
        missing = [one for one in plan.runs if one.id not in published]
        try:
            if missing:
                run_missing(directory, plan, missing, engine)
        except KeyboardInterrupt:
            print(f"tensorloom-study: interrupted; started again it goes on with {directory.folder}", file=sys.stderr)
            raise
        finally:
            rows = rows_of(directory, plan)
            write_csv(directory, rows)
            files = [directory.path(RESULTS)] + ([directory.path(PARQUET)] if write_parquet(directory, rows) else [])
    tell(plan, rows, files, len(missing))
    return 0 if all(row["status"] == "done" for row in rows) else 1


def interrupt(*_):
    raise KeyboardInterrupt


def main():
    signal.signal(signal.SIGTERM, interrupt)
    return main_of("tensorloom-study", USAGE, run)
