"""TensorLoom from Python: the testbenches as functions, and pictures and reports of their runs.

    import tensorloom as tl
    run = tl.dxt(x, transform="dct", mesh=(32, 32, 32))
    run.result, run.summary, run.latency, run.energy; run.show(); run.save("run")

    testbenches       the testbenches as functions
    manifests         the description of each testbench: testbenches/NAME/testbench.json
    parameter_sweep   a testbench over many options, in parallel processes
    simulation        the result of a run from Python
    arguments         Python values as a command line
    equations         the text of an einsum: modes, ellipsis, sizes
    execution         runs a program to its end
    progress          progress of long work
    contract_server   many contractions in one process
    pytorch/          PyTorch: contractions with gradients, tensorized layers; needs torch and is imported separately
    network_cost/     the cost of a whole network, node by node: pytorch.cost, and cost of the module onnx, which needs onnx
    programs          the testbenches' programs: their paths and options
    places            folders of files that this package reads
    schemas           the JSON schemas of summaries, each without references to other files
    needed_numpy      the error message of an interpreter without numpy
    study/            a YAML file of many points, run by Snakemake (tensorloom-study); needs python3-yaml

Pictures (tensorloom-plot) and reports (tensorloom-report) of directories written with --out:

    run_directory     the files of such a directory, unprocessed
    run               a run of any testbench with its records over time; several runs joined to one
    cases             workload and device of a run, and its points for rooflines and comparisons
    answers           the answer of a run to the question of its testbench, by the templates of its manifest
    comparison        runs or cases compared side by side, as numbers
    energy_breakdown  energy by part and by phase
    quantities        numbers with units, as texts and as a common scale of a chart
    palette           colours that people with colour blindness can distinguish
    command_line      options and error messages of the commands
    command           the command tensorloom, with its demo (demo)
    pictures/         charts as PNG, SVG or PDF, with matplotlib
    report/           one HTML page without matplotlib
"""
from tensorloom.needed_numpy import require_numpy

require_numpy()  # before all that imports it

from tensorloom.contract_server import ContractServer
from tensorloom.manifests import wrong_manifests
from tensorloom.parameter_sweep import Sweep, sweep
from tensorloom.programs import Option, OptionTable, ProgramFailed, find_program, option_table
from tensorloom.run_directory import InputProblem, TensorLoomError
from tensorloom.simulation import Run, load, write_report
from tensorloom.testbenches import FUNCTIONS

globals().update({name: call for name, call in FUNCTIONS.items() if name not in globals()})  # dxt, orbital, ...: a function for each manifest


def options(program):
    """name -> Option of a testbench, from --help-json: options("dxt")["mesh"].help."""
    return option_table(program).options


def __getattr__(name):
    why = wrong_manifests().get(name) or ("" if FUNCTIONS else "this copy of the package has no testbench.json beside it")
    raise AttributeError(f"module 'tensorloom' has no attribute '{name}'{': ' if why else ''}{why}")


__all__ = ["ContractServer", "InputProblem", "Option", "OptionTable", "ProgramFailed", "Run", "Sweep", "TensorLoomError",
           "find_program", "load", "option_table", "options", "sweep", "write_report", *FUNCTIONS]
