"""The testbenches as functions: arrays in, a Run out.

Options are those of the programs, with underscores: dma_width=64. Tuples are sizes or lists, as the option's form says:
mesh=(32, 32, 32), shift=(2, 2, 2); flags are True; None leaves an option to the program. Every function takes `progress`,
too: True, False, or None, which shows a line on terminals and in notebooks.
"""
import functools
import inspect
import os
import tempfile

from tensorloom.arguments import Place, command_arguments, named_options
from tensorloom.execution import ends_cleanly, execute
from tensorloom.programs import option_table
from tensorloom.progress import Bar
from tensorloom.run_directory import InputProblem
from tensorloom.simulation import OUTPUTS, PRINTED, Run, file_names, files_in

# Options that ask for what has no arrays: comparisons of many runs, and products of matrices for their cost.
WITHOUT_ARRAYS = {"orbital": ("sweep", "class"), "segmented": ("compare",), "tensor_unit": ("theorems",)}
IDLE = {"large": "large-runs", "small": "small-runs"}  # of soc: jobs that may be done no times


def outputs_of(program, named):
    """Output -> option, of those that this run has."""
    if any(named.get(option) for option in WITHOUT_ARRAYS.get(program, ())):
        return {}
    return {output: option for output, option in OUTPUTS.get(program, {}).items()
            if output not in IDLE or str(named.get(IDLE[output])) != "0"}


def asked(program, given):
    """The options by the program's names. Refuses unknown ones, and what a Run has anyhow."""
    named = named_options(option_table(program), given)
    for output, option in OUTPUTS.get(program, {}).items():
        if named.get(option) is not None:
            raise InputProblem(f"{program}: --{option} is not given from Python: the run has its array, as outputs['{output}']")
    return named


def refuse_early(program, given):
    """Raises what can be known to be wrong before anything runs."""
    command_arguments(option_table(program), asked(program, given), Place())


def simulate(program, given, progress=None, processes=None):
    """Runs a testbench in a folder of its own, which is gone behind it; what it has written is in the Run."""
    table, named = option_table(program), asked(program, given)
    outputs = outputs_of(program, named)
    with ends_cleanly(), tempfile.TemporaryDirectory(prefix="tensorloom-") as folder, Bar(program, progress) as bar:
        # Paths in a configuration file start from where the caller is.
        place = Place(folder, folder if named.get("config") is None else os.getcwd())
        arguments = command_arguments(table, named, place)
        for output, option in outputs.items():
            arguments.append(f"--{option}={','.join(place.name(file) for file in file_names(output).split(','))}")
        arguments.append(f"--out={place.name('.')}")
        printed, messages = execute(program, table.path, arguments, place.working, bar, processes)
        files = files_in(folder)
    files[PRINTED] = printed.encode()
    return Run(program, arguments, files, {output: file_names(output) for output in outputs}, messages)


def testbench(request):
    """Makes of a function that returns options one that runs the program of its name with them."""
    program = request.__name__

    @functools.wraps(request)
    def run(*arguments, progress=None, **options):
        return simulate(program, request(*arguments, **options), progress)

    run.program, run.request = program, request
    signature = inspect.signature(request)
    *named, options = signature.parameters.values()
    progress = inspect.Parameter("progress", inspect.Parameter.KEYWORD_ONLY, default=None)
    run.__signature__ = signature.replace(parameters=[*named, progress, options])  # as help() shows it
    return run


def with_arguments(options, **arguments):
    """The options, and arguments that were given: those that are None must not hide an option of the same name."""
    given = {name: value for name, value in arguments.items() if value is not None}
    twice = next((name for name in given if options.get(name) is not None), None)
    if twice:
        raise InputProblem(f"'{twice}' is given as an option, too, expected it once")
    return {**options, **given}


@testbench
def dxt(x=None, **options):
    """A 3D discrete transform on a TriADA device.

    x is a tensor of three modes, or a path of a .npy file; without it shape=(N1, N2, N3) makes one. transform="dct" is for
    all modes, ("dct", "dft", "dht") for modes 1, 2, 3; a matrix is a transform of one's own. norm="ortho", the default, or
    "backward". The result is that of the device, bit for bit, checked against a long double reference unless no_check=True.
    """
    return with_arguments(options, input=x)


@testbench
def orbital(x=None, **options):
    """A 3D discrete transform on an orbital torus; options as of dxt, and those of the torus: grid=4, block=(8, 8, 8).

    With sweep= or class_= many runs are compared: then there is no result.
    """
    return with_arguments(options, input=x)


@testbench
def tucker(x=None, ranks=None, **options):
    """A Tucker decomposition whose products run on TriADA: ranks=(R1, R2, R3), or tolerance=EPS to find them.

    The result is the tensor that core and factors expand to; run.outputs["core"] and ["factors"] are they.
    """
    return with_arguments(options, input=x, ranks=ranks)


@testbench
def contract(einsum=None, a=None, b=None, **options):
    """A contraction of two tensors on FETTA, as numpy.einsum says it: contract("ij,jk->ik", a, b).

    Without arrays sizes={"i": 64, "j": 64, "k": 64} makes some. Operands are rounded to bfloat16 unless operand="f32"; the
    result is float32.
    """
    if (a is None) != (b is None):
        raise InputProblem("contract: one operand is given, expected two or none")
    return with_arguments(options, einsum=einsum, input=None if a is None else (a, b))


@testbench
def segmented(operation=None, *inputs, **options):
    """Scans, segmented operations, products and sparse products on an MMU/VCU pair.

    segmented("scan", x), segmented("segmented-sum", x, flags=flags), segmented("product", x, y), segmented("spmv", x,
    matrix=a): a matrix is an array, a sparse matrix of scipy, or the path of a MatrixMarket file.
    """
    return with_arguments(options, operation=operation, input=inputs or None)


@testbench
def tensor_unit(algorithm=None, *inputs, **options):
    """Algorithms of a tensor core unit on an MMU/VCU pair: tensor_unit("dense", a, b), tensor_unit("dft", x)."""
    return with_arguments(options, algorithm=algorithm, input=inputs or None)


@testbench
def soc(**options):
    """Two TriADA devices that share a bus: outputs["large"] and outputs["small"], the first of them is the result."""
    return options


@testbench
def tnn_step(layer=None, **options):
    """A training step of a tensorized layer on FETTA: layer="atis-tt", or format=, rows=, cols=, ranks=. No arrays."""
    return with_arguments(options, layer=layer)


@testbench
def tnn_training(model=None, **options):
    """Trains a network of dense and tensorized layers on FETTA; summary["epochs"] tells how it learns. No arrays."""
    return with_arguments(options, model=model)


@testbench
def contraction_search(layer=None, network=None, **options):
    """The best orders in which a network of tensors is contracted: that of a layer, or network={"nodes": .., "out": ..,
    "sizes": ..}. No arrays."""
    return with_arguments(options, layer=layer, network=network)


@testbench
def compare_devices(x=None, a=None, b=None, c=None, **options):
    """The same work on every device: abc,ai,bj,ck->ijk of a tensor of three modes and a matrix for each.

    Without arrays shape=(N1, N2, N3) and out_shape=(K1, K2, K3) make some. The first mode of the result is the device;
    summary["runs"] tells what each took.
    """
    given = [array is not None for array in (x, a, b, c)]
    if any(given) and not all(given):
        raise InputProblem(f"compare_devices: {sum(given)} of four arrays are given, expected x, a, b, c or none")
    return with_arguments(options, input=(x, a, b, c) if all(given) else None)


@testbench
def compare_accelerators(**options):
    """FETTA beside other accelerators on the same layers. No arrays."""
    return options
