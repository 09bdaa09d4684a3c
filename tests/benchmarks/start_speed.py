#!/usr/bin/python3
"""How long whole processes take whose simulation is short: a product of 64 x 64 x 64 by `contract`, and its parts.

Usage: start_speed.py BIN [ROUNDS]   BIN: folder of contract. ROUNDS: in which all take turns (default: 40).

Prints user and system time of each process, the best and the median. The parts follow from differences of the bests:
technology: --dry-run less --help; search: with a search less the saved program of the same plan. `simulated` is what the
run itself reports of its simulation.
"""
import json
import os
import statistics
import sys
import tempfile

PRODUCT = ["--sizes", "i=64,j=64,k=64", "--no-check", "--layout", "conflicted"]


def seconds(arguments):
    """User and system time of a process without output; the exit status."""
    silent = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
    child = os.posix_spawn(arguments[0], arguments, os.environ, file_actions=silent)
    _, status, usage = os.wait4(child, 0)
    return usage.ru_utime + usage.ru_stime, os.waitstatus_to_exitcode(status)


def main():
    program, rounds = os.path.join(sys.argv[1], "contract"), int(sys.argv[2]) if len(sys.argv) > 2 else 40
    with tempfile.TemporaryDirectory() as folder:
        saved = os.path.join(folder, "program.bin")
        out = os.path.join(folder, "out")
        seconds([program, *PRODUCT, "--save-program", saved, "--out", out])
        with open(os.path.join(out, "summary.json"), encoding="utf-8") as file:
            simulated = json.load(file)["simulation"]["cpu_s"]
        cases = {"--help": (["--help"], 0),
                 "refused option": (["--siezs", "i=64"], 2),
                 "--dry-run": ([*PRODUCT, "--dry-run"], 0),
                 "whole run": (PRODUCT, 0),
                 "whole run, ideal layout": (PRODUCT[:3], 0),
                 "whole run with a saved program": ([*PRODUCT[:3], "--program", saved], 0)}
        times = {name: [] for name in cases}
        for _ in range(rounds):
            for name, (arguments, expected) in cases.items():
                took, status = seconds([program, *arguments])
                if status != expected:
                    sys.exit(f"start_speed.py: {name}: exit status {status}, expected {expected}")
                times[name].append(1e3 * took)
    print("ms of CPU time                     best   median")
    for name, taken in times.items():
        print(f"  {name:32}{min(taken):6.2f} {statistics.median(taken):8.2f}")
    best = {name: min(taken) for name, taken in times.items()}
    print(f"  technology {best['--dry-run'] - best['--help']:.2f}, search "
          f"{best['whole run'] - best['whole run with a saved program']:.2f}, simulated {1e3 * simulated:.2f}")


if __name__ == "__main__":
    main()
