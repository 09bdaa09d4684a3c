"""tensorloom-study: many runs of a testbench, described by a YAML file and run by Snakemake."""
import hashlib
import os
import signal
import sys

from tensorloom.command_line import main_of, split_options
from tensorloom.option_keys import short_names
from tensorloom.quantities import number_text
from tensorloom.run_directory import InputProblem
from tensorloom.study.constraints import constraints_text, nearest
from tensorloom.study.directory import PARQUET, POINTS, REFUSED, RESULTS, StudyDirectory
from tensorloom.study.plan import plan_of, refused_runs
from tensorloom.study.claim import UNDECIDED, VERDICTS
from tensorloom.study.published import read_results, verdict_rows
from tensorloom.study.results import MISSING, designs_of, records_of, rows_of, rows_of_points, write_csv, write_parquet
from tensorloom.study.start import engine_of, run_missing, snakemake
from tensorloom.study.study_file import read_study
from tensorloom.whole_files import write_whole

USAGE = """Usage: tensorloom-study STUDY.yaml [--out DIR] [--jobs N] [--profile NAME|DIR] [--again failed|all]
       tensorloom-study --claims STUDY.yaml.. | --verdicts DIR

Runs a testbench at many points, in parallel, and writes one table of the results. STUDY.yaml names the testbench, its options
and the points: docs/studies.md. When it is started again after an interruption, it continues: runs that are published are not
repeated.

  --out DIR           directory of the study (default: the name of the file, in the current directory)
  --jobs N            number of parallel runs (default: the cores of this machine); with --profile, of jobs in the queue
                      (default: 16)
  --profile NAME|DIR  run elsewhere: slurm, or a directory with a Snakemake profile
  --again failed|all  repeat the runs that failed or had wrong results, or all of them
  --claims            print testbench, `picture` if there is one, path and claim of each file, with tabs between them
  --verdicts          write DIR/verdicts.md: the claims of all studies in DIR and below, with their verdicts
  --help              print this text and stop

Exit status: 0 all runs are done and right, but for designs of a model that the program refuses; 1 some failed or were wrong; 2 bad
input, reported in one line before anything runs; 3 runs are missing, or out of memory; 130 interrupted (SIGINT, SIGTERM)."""
OPTIONS = ("--out", "--jobs", "--profile", "--again")
AGAIN = ("failed", "all")
MOST_JOBS = 10_000
MOST_TOLD = 10      # most failed runs that are printed
MOST_ON_FRONT = 20  # most points of the front


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


def options_text(options):
    labels = short_names(options)
    return " ".join(f"{labels[name]}={text}" for name, text in options.items() if text is not None)


def point_text(row, plan):
    return f"point {row['point']}" + (f", repeat {row['repeat']}" if plan.runs[-1].repeat > 1 else "") + ": " + \
        options_text({name: row[name] for name in plan.swept})


def told_few(lines, most=MOST_TOLD):
    return lines[:most] + ([f"  and {len(lines) - most:,} more"] if len(lines) > most else [])


def front_of(plan, designs):
    """The designs on the front, the best by the last objective first."""
    name, sign = plan.objectives[-1].name, -1 if plan.objectives[-1].goal == "max" else 1
    return sorted((design for design in designs if design.on_front), key=lambda design: sign * design.values[name])


def design_text(design, plan):
    values = ", ".join(f"{name} {plan.measures[name].text(design.values[name], design.deviations[name])}"
                       for name in (objective.name for objective in plan.objectives))
    return f"point {design.point}: {options_text(design.options)}: {values}{', overclocked' * design.overclocked}"


def refuse_budget(path, plan, designs):
    """InputProblem if no right design meets the constraints: the nearest one."""
    right = [design for design in designs if design.values]
    if plan.constraints and right and not any(design.meets for design in right):
        closest = nearest(plan.constraints, right)
        values = ", ".join(dict.fromkeys(f"{constraint.name} {number_text(constraint.value(closest.values))}" for constraint in plan.constraints))
        raise InputProblem(f"{path}: no point meets {constraints_text(plan.constraints)}; the nearest is point {closest.point}, "
                           f"{options_text(closest.options)}: {values}")


def refused_text(plan, designs, rows):
    """Lines of the designs that the program refuses, by its complaint."""
    points = {design.point for design in designs if design.status == REFUSED}
    messages = {row["point"]: row["message"] for row in rows if row["status"] == REFUSED}
    by_message = {}
    for point in sorted(points):
        by_message.setdefault(messages[point], []).append(point)
    if by_message:
        yield f"{len(points):,} points are designs that {plan.testbench} refuses:\n"
    lines = [f"  point {found[0]}{f' and {len(found) - 1:,} more' * (len(found) > 1)}: {message}" for message, found in by_message.items()]
    yield from (f"{line}\n" for line in told_few(lines))


def tell(plan, rows, designs, files, made, folder):
    states = [row["status"] for row in rows]
    bad = [row for row in rows if row["status"] not in ("done", MISSING, REFUSED)]
    print(f"{plan.runs[-1].point:,} points, {len(rows):,} runs: {states.count('done'):,} done" +
          (f", {len(bad):,} failed or wrong" if bad else "") + f"; {made:,} of them in this start")
    print("".join(refused_text(plan, designs, rows)), end="")
    print("\n".join(told_few([f"  {point_text(row, plan)}: {row['message']}" for row in bad])) + "\n" * bool(bad), end="")
    names = ", ".join(f"{objective.goal} {objective.name}" for objective in plan.objectives)
    if plan.constraints:
        print(f"{sum(design.meets for design in designs):,} points meet {constraints_text(plan.constraints)}")
    if names:
        on_front = front_of(plan, designs)
        print(f"Pareto front, {len(on_front):,} points ({names}):" if on_front else f"no point has all of {names}")
        lines = told_few([f"  {design_text(design, plan)}" for design in on_front], MOST_ON_FRONT)
        print("".join(f"{line}\n" for line in lines), end="")
    if plan.claim:
        print(f"claim: {plan.claim.text}\n{read_results(folder).conclusion()}")
    print(f"program: {plan.program}\nwritten: " + ", ".join(files))


def run(arguments):
    if arguments[:1] == ["--claims"]:
        return tell_claims(arguments[1:])
    if arguments[:1] == ["--verdicts"]:
        return tell_verdicts(arguments[1:])
    options, names = split_options(arguments, lambda option: None if option in OPTIONS else f"unknown option '{option}'")
    if len(names) != 1:
        raise InputProblem(f"{len(names)} files, expected one study (see --help)")
    if options.get("--again", AGAIN[0]) not in AGAIN:
        raise InputProblem(f"--again is '{options['--again']}', expected {' or '.join(AGAIN)}")
    engine = engine_of(count_of(options, "--jobs", MOST_JOBS), options.get("--profile"))
    plan = plan_of(read_study(names[0]))
    snakemake()
    directory = StudyDirectory(options.get("--out") or os.path.splitext(os.path.basename(names[0]))[0])
    directory.check()
    refused = refused_runs(plan, [one for one in plan.runs if one.id not in directory.published()], len(os.sched_getaffinity(0)))
    with directory.locked():
        if options.get("--again") == "all":
            directory.forget_all()
        directory.take(plan, digest_of(plan.program))
        published = directory.published()
        if "--again" in options:
            for one in plan.runs:
                if one.id in published and directory.record(one.id)["status"] != "done":
                    directory.forget(one.id)
                    published.discard(one.id)
        missing = [one for one in plan.runs if one.id not in published and one.id not in refused]
        try:
            if missing:
                run_missing(directory, plan, missing, engine)
        except KeyboardInterrupt:
            print(f"tensorloom-study: interrupted; start it again to continue in {directory.folder}", file=sys.stderr)
            raise
        finally:
            records = records_of(directory, plan, refused)
            designs = designs_of(plan, [(run, record.get("status", MISSING), summary) for run, record, summary in records])
            rows = rows_of(plan, records, designs)
            write_csv(directory, RESULTS, rows)
            write_csv(directory, POINTS, rows_of_points(plan, designs))
            files = [directory.path(RESULTS), directory.path(POINTS)]
            files += [directory.path(PARQUET)] if write_parquet(directory, rows) else []
    refuse_budget(names[0], plan, designs)
    tell(plan, rows, designs, files, len(missing), directory.folder)
    states = {row["status"] for row in rows}
    return 0 if "done" in states and states <= {"done", REFUSED} else 1


def tell_claims(paths):
    for path in paths:
        study = read_study(path)
        if not study.claim:
            raise InputProblem(f"{path}: no claim, expected one with values and a verdict")
        print(study.testbench, "picture" if study.picture else "", path, study.claim, sep="\t")
    return 0


def tell_verdicts(folders):
    if len(folders) != 1 or not os.path.isdir(folders[0]):
        raise InputProblem(f"--verdicts {' '.join(folders)}: expected one directory")
    rows, kinds = verdict_rows(folders[0])
    write_whole(os.path.join(folders[0], "verdicts.md"), "\n".join(rows).encode() + b"\n")
    for kind in (*VERDICTS, *[UNDECIDED] * (UNDECIDED in kinds)):
        print(f"{kinds.count(kind)} of {len(kinds)} {kind}")
    return 0


def interrupt(*_):
    raise KeyboardInterrupt


def main():
    signal.signal(signal.SIGTERM, interrupt)
    return main_of("tensorloom-study", USAGE, run)
