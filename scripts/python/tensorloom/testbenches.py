"""The testbenches as functions: arrays in, a Run out.

Options are those of the programs, with underscores: dma_width=64. Tuples are sizes or lists, as the option's form says:
mesh=(32, 32, 32), shift=(2, 2, 2); flags are True; None leaves an option to the program. Every function takes `progress`,
too: True, False, or None, which shows a line on terminals and in notebooks.

The manifest of a testbench ("python") describes its function: its arguments, and the option of each.
"""
import inspect
import os
import tempfile

from tensorloom.arguments import Place, command_arguments, named_options
from tensorloom.execution import ends_cleanly, execute
from tensorloom.manifests import manifest_of, manifests, outputs_of
from tensorloom.programs import option_table
from tensorloom.progress import Bar
from tensorloom.run_directory import InputProblem
from tensorloom.simulation import PRINTED, Run, file_names, files_in


class WrongCall(InputProblem, TypeError):
    """Arguments that the function of a testbench does not have: a TypeError, like that of any function."""


def outputs_of_run(program, named):
    """Output -> option, for the outputs of this run."""
    if any(named.get(option) for option in manifest_of(program).get("python", {}).get("without_outputs", ())):
        return {}
    return {name: output["option"] for name, output in outputs_of(program).items()
            if "runs" not in output or str(named.get(output["runs"])) != "0"}


def asked(program, given):
    """The options by the program's names. Rejects unknown options, and outputs that a Run always has."""
    named = named_options(option_table(program), given)
    for name, output in outputs_of(program).items():
        option = output["option"]
        if named.get(option) is not None:
            raise InputProblem(f"{program}: --{option} is not given from Python: the run has its array, as outputs['{name}']")
    return named


def refuse_early(program, given):
    """Raises errors that can be detected before anything runs."""
    command_arguments(option_table(program), asked(program, given), Place())


def simulate(program, given, progress=None, processes=None):
    """Runs a testbench in a temporary folder, which is removed afterwards; the Run holds its files."""
    table, named = option_table(program), asked(program, given)
    outputs = outputs_of_run(program, named)
    with ends_cleanly(), tempfile.TemporaryDirectory(prefix="tensorloom-") as folder, Bar(program, progress) as bar:
        # Paths in a configuration file start from where the caller is.
        place = Place(folder, folder if named.get("config") is None else os.getcwd())
        arguments = command_arguments(table, named, place)
        for output, option in outputs.items():
            arguments.append(f"--{option}={','.join(place.name(file) for file in file_names(program, output).split(','))}")
        arguments.append(f"--out={place.name('.')}")
        printed, messages = execute(program, table.path, arguments, place.working, bar, processes)
        files = files_in(folder)
    files[PRINTED] = printed.encode()
    return Run(program, arguments, files, {output: file_names(program, output) for output in outputs}, messages)


def with_arguments(options, arguments):
    """The options and the arguments that were given: an argument None must not hide an option of the same name."""
    given = {name: value for name, value in arguments.items() if value is not None}
    twice = next((name for name in given if options.get(name) is not None), None)
    if twice:
        raise InputProblem(f"'{twice}' is given as an option, too, expected it once")
    return {**options, **given}


def parameters_of(arguments):
    """Signature of a function with these arguments, *rest among them, and any options."""
    plain = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None)
             for name in arguments if not name.startswith("*")]
    rest = [inspect.Parameter(name[1:], inspect.Parameter.VAR_POSITIONAL) for name in arguments if name.startswith("*")]
    return plain + rest, inspect.Parameter("options", inspect.Parameter.VAR_KEYWORD)


def value_of_option(program, names, values):
    """The value of one option from its arguments: a single value, or a tuple of all (or none) of several."""
    if len(names) == 1:
        return values[0] or None if names[0].startswith("*") else values[0]
    given = sum(value is not None for value in values)
    if 0 < given < len(names):
        raise InputProblem(f"{program}: {given} of {len(names)} arrays are given, expected {', '.join(names)} or none")
    return tuple(values) if given else None


def request_of(program, arguments):
    """The program's options from the values of a call. arguments: name -> option, in order; *name takes all further
    values."""
    own, options = parameters_of(arguments)
    signature = inspect.Signature([*own, options])
    places = {option: [name for name in arguments if arguments[name] == option] for option in arguments.values()}

    def request(*positional, **keywords):
        try:
            bound = signature.bind(*positional, **keywords)
        except TypeError as error:
            known = ", ".join(str(part).partition("=")[0] for part in own)
            raise WrongCall(f"{program}: {error}, expected {program}({known}) and options") from None
        bound.apply_defaults()
        return with_arguments(bound.arguments["options"], {
            option: value_of_option(program, names, [bound.arguments[name.lstrip("*")] for name in names])
            for option, names in places.items()})

    request.__signature__ = signature
    return request


def function_of(program, described):
    """A testbench as a function. described: the part "python" of its manifest."""
    request = request_of(program, described["arguments"])

    def run(*arguments, progress=None, **options):
        return simulate(program, request(*arguments, **options), progress)

    run.program, run.request = program, request
    run.__name__ = run.__qualname__ = program
    run.__doc__ = "\n".join(described["doc"])
    own, options = parameters_of(described["arguments"])
    progress = inspect.Parameter("progress", inspect.Parameter.KEYWORD_ONLY, default=None)
    run.__signature__ = inspect.Signature([*own, progress, options])  # as help() shows it
    return run


FUNCTIONS = {name: function_of(name, manifest["python"]) for name, manifest in manifests().items()}
globals().update(FUNCTIONS)  # for those who import one of them, or pickle it
