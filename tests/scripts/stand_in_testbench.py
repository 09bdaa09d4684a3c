#!/usr/bin/python3 -IS
"""A program with options and a summary like a testbench's, that does what it is told: takes its time, fails, dies. It says in
the file STAND_IN_LOG when a run begins and ends.

x 13: bad input that a run alone finds; 14: a wrong result; 15: dies; 16: ends well, but writes nothing; 17: is terminated;
18: takes the folder STAND_IN_START away; 19: and makes it anew, empty; above 1000, or a seed below 0: refused, also by --dry-run.
Latency is 1000 / x ns, energy x times y pJ, area 100 um2 in mode a and 200 in mode b."""
import json
import os
import signal
import sys
import time


def option(name, kind="text", form="TEXT", default=None, choices=None, repeatable=False):
    return {"name": name, "group": "Run", "type": kind, "unit": None, "choices": choices, "form": form, "default": default,
            "repeatable": repeatable, "help": "A help.", "synonym": "times" if name == "x" else None,
            "computes": name not in ("out", "vcd", "quiet", "dry-run")}


def flag(name):
    return option(name, "flag", None)


OPTIONS = [option("x", "integer", "COUNT", "1"), option("y", "number", "X", "1"), option("mode", "choice", "a|b", "a", ["a", "b"]),
           option("aligner", "choice", "on|off", "on", ["on", "off"]),
           flag("on"), option("tags", repeatable=True), option("input", "file", "FILE.npy"), option("burst", "integer", "BYTES"),
           option("model", "file", "NAME|FILE|{YAML}"), option("threads", "integer", "COUNT", "1"), option("technology", "file", "NAME|FILE", "45nm"),
           option("seed", "integer", "INTEGER", "1"), option("config", "file", "FILE"), option("out", "directory", "DIR"),
           option("vcd", "file", "FILE"), flag("quiet"), flag("dry-run"), flag("help"), flag("help-json"), flag("version")]


def say(text):
    handle = os.open(os.environ["STAND_IN_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(handle, (text + "\n").encode())
    os.close(handle)


def main():
    given = [word[2:].partition("=") for word in sys.argv[1:] if word != "--out"]
    options = {name: value for name, _, value in given}
    folder = sys.argv[sys.argv.index("--out") + 1] if "--out" in sys.argv else None
    if "help-json" in options:
        print(json.dumps({"schema": "tensorloom-options-1", "program": "stand_in", "purpose": "Stands in.", "options": OPTIONS}))
        return 0
    x, y = int(options.get("x", 1)), float(options.get("y", 1))
    if int(options.get("seed", 1)) < 0:
        print(f"stand_in: --seed is '{options['seed']}', expected 0 or more", file=sys.stderr)
        return 2
    if x == 13 and "dry-run" not in options or x > 1000:
        print(f"stand_in: --x is '{x}', expected something else", file=sys.stderr)
        return 2
    if "dry-run" in options:
        return 0
    name = " ".join(word for word in sys.argv[1:] if word.startswith("--") and word not in ("--out", "--quiet"))
    say(f"began {name}")
    time.sleep(float(os.environ.get("STAND_IN_SECONDS", "0")))
    if x in (15, 17):
        os.kill(os.getpid(), signal.SIGSEGV if x == 15 else signal.SIGTERM)
    if x in (18, 19):
        os.rename(os.environ["STAND_IN_START"], os.environ["STAND_IN_START"] + ".gone")
    if x == 19:
        os.mkdir(os.environ["STAND_IN_START"])
    if x != 16:
        with open(os.path.join(folder, "summary.json"), "w", encoding="utf-8") as file:
            json.dump({"schema": "stand-in-1", "testbench": "stand_in", "version": "9.8.7", "commit": "abc1234",
                       "configuration": {"x": x, "y": y}, "check": {"passed": x != 14, "max_rel_error": 0.5},
                       "cycles": 1000 // x, "simulated_time_ns": 1000 / x, "energy_pJ": {"total": x * y},
                       "area_um2": {"total": 200 if options.get("mode") == "b" else 100}}, file)
        with open(os.path.join(folder, "latency.csv"), "w", encoding="utf-8") as file:
            file.write("cycles\n1\n")
    say(f"ended {name}")
    return 1 if x == 14 else 0


sys.exit(main())
