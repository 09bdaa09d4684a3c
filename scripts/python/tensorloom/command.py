"""tensorloom: one command for the demo, the testbenches, pictures, reports and studies; also python3 -m tensorloom."""
import importlib
import os
import subprocess
import sys

from tensorloom.command_line import main_of, split_options
from tensorloom.demo import OUT, run_demo
from tensorloom.manifests import manifests
from tensorloom.programs import find_program
from tensorloom.run_directory import InputProblem

PYTHON = ("plot", "report", "study", "energy")  # each is a command of its own, too: tensorloom-plot
TOOLS = ("tensorloom-asm", "tensorloom-modules", "tensorloom-registers")  # programs that are no testbenches

USAGE = f"""Usage: tensorloom COMMAND [ARGUMENT]..

  demo [--out DIR]     a run on each device, checked against numpy, and a page of pictures (default: {OUT}/)
  plot|report|study .. as tensorloom-plot, tensorloom-report, tensorloom-study: pictures, a page and studies of runs
  energy ..            as tensorloom-energy: energies of a run for Accelergy, and back
  TESTBENCH ..         a testbench with its options: {{testbenches}}
  asm|registers ..     as tensorloom-asm, tensorloom-registers: the assembler, and registers as files
  modules ..           as tensorloom-modules: fields and properties of modules
  --version            print the version and stop
  --help               print this text and stop

tensorloom COMMAND --help says more. Exit status: that of the command; 2 for no or an unknown command."""


def version():
    """Of the programs that the package finds."""
    program = next(iter(manifests()))
    return subprocess.run([find_program(program), "--version"], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout.split()[-1]


def demo(arguments):
    options, names = split_options(arguments, lambda option: None if option == "--out" else f"unknown option '{option}'")
    if names:
        raise InputProblem(f"demo: unexpected argument '{names[0]}' (see --help)")
    if options.get("--out") == "":
        raise InputProblem("--out is '', expected a directory that can be written")
    run_demo(options.get("--out", OUT))


def run(arguments):
    if not arguments:
        raise InputProblem("no command, expected one (see --help)")
    command, rest = arguments[0], arguments[1:]
    if command == "--version":
        print(f"tensorloom {version()}")
        return 0
    if command == "demo":
        return demo(rest)
    if command in PYTHON:
        sys.argv = [f"tensorloom-{command}", *rest]
        return importlib.import_module(f"tensorloom.{command}_command").main()
    program = f"tensorloom-{command}" if f"tensorloom-{command}" in TOOLS else command
    if program not in (*TOOLS, *manifests()):
        raise InputProblem(f"unknown command '{command}' (see --help)")
    path = find_program(program)
    sys.stdout.flush()
    os.execv(path, [program, *rest])


def main():
    usage = USAGE.format(testbenches=", ".join(manifests()))
    return main_of("tensorloom", usage, run)
