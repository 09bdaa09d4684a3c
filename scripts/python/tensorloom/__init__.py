"""TensorLoom from Python: the testbenches as functions, and what is made of their runs.

    import tensorloom as tl
    run = tl.dxt(x, transform="dct", mesh=(32, 32, 32))
    run.result, run.summary, run.latency, run.energy; run.show(); run.save("run")

    testbenches       the testbenches as functions
    manifests         what each testbench is: testbenches/NAME/testbench.json
    parameter_sweep   a testbench over many options, in parallel processes
    simulation        what a run from Python gives back
    arguments         Python values as a command line
    execution         a program, run to its end
    progress          how far long work is
    pytorch           contractions of PyTorch on the device, forward and backward; needs torch, and is imported on its own
    programs          the testbenches' programs: where they are, and the options that they say they have
    schemas           the JSON schemas of summaries, each without references to other files
    study/            a YAML file of many points, run by Snakemake (tensorloom-study); needs python3-yaml

Pictures (tensorloom-plot) and reports (tensorloom-report) of directories that --out has written:

    run_directory     the files of such a directory, as they are
    run               a run with its records over time, whatever testbench has written it; several joined to one
    cases             what a run computed, on which device, and its points for rooflines and comparisons
    comparison        runs or cases side by side in numbers
    energy_breakdown  energy by part and by phase
    quantities        numbers with units, as texts and as one scale for a whole chart
    palette           colours that people with colour blindness tell apart
    command_line      options of the commands, and refusals
    pictures/         charts as PNG, SVG or PDF, with matplotlib
    report/           one HTML page without matplotlib
"""
from tensorloom.parameter_sweep import Sweep, sweep
from tensorloom.programs import Option, OptionTable, ProgramFailed, find_program, option_table
from tensorloom.run_directory import InputProblem, TensorLoomError
from tensorloom.simulation import Run, load, write_report
from tensorloom.testbenches import FUNCTIONS

globals().update(FUNCTIONS)  # dxt, orbital, ...: a function for each manifest


def options(program):
    """name -> Option of a testbench, as --help-json tells them: options("dxt")["mesh"].help."""
    return option_table(program).options


def __getattr__(name):
    why = "" if FUNCTIONS else ": this copy of the package has no testbench.json beside it"
    raise AttributeError(f"module 'tensorloom' has no attribute '{name}'{why}")


__all__ = ["InputProblem", "Option", "OptionTable", "ProgramFailed", "Run", "Sweep", "TensorLoomError", "find_program", "load",
           "option_table", "options", "sweep", "write_report", *FUNCTIONS]
