"""tensorloom-energy: energies of a run for Accelergy, and a technology file from Accelergy's table."""
import os

from tensorloom import accelergy, technologies
from tensorloom.command_line import main_of, split_options
from tensorloom.run_directory import InputProblem, one_line
from tensorloom.whole_files import write_all, write_whole

USAGE = """Usage: tensorloom-energy DIR --accelergy FOLDER
       tensorloom-energy DIR --from-accelergy ERT.yaml --output FILE.yaml [--base NAME|FILE]

Exchanges energies with Accelergy 0.4. DIR is a directory that a testbench has written with --out.

  --accelergy FOLDER         writes the run for Accelergy: architecture.yaml, action_counts.yaml (its events) and ERT.yaml (pJ of
                             each event). FOLDER is created if it is missing
  --from-accelergy ERT.yaml  reads such a table, with the names of the components and actions of DIR
  --output FILE.yaml         the technology file of these energies, for --technology of the testbench
  --base NAME|FILE           the technology of all other numbers (default: that of DIR)
  --help                     print this text and stop

Exit status: 0 done; 2 bad input (a directory, a file, a field or an option), 3 out of memory, both reported in one line."""
OPTIONS = ("--accelergy", "--from-accelergy", "--output", "--base")


def write_accelergy(folder, out):
    events, configuration = accelergy.read_run(folder)
    try:
        os.makedirs(out, exist_ok=True)
    except OSError as error:
        raise InputProblem(f"--accelergy is '{out}', expected a folder that can be written: {error.strerror}") from None
    texts = {"architecture.yaml": accelergy.architecture_text(events, configuration),
             "action_counts.yaml": accelergy.action_counts_text(events), "ERT.yaml": accelergy.energy_table_text(events)}
    write_all({os.path.join(out, name): text.encode() for name, text in texts.items()})
    total = sum(event.count * float(event.energy) for event in events)
    print(f"tensorloom-energy: {out}, {len(accelergy.tables_of(events))} components, {len(events)} actions, {total:.10g} pJ")


def check_voltage(configuration):
    """Energies of another voltage than the nominal one are scaled already."""
    voltage = configuration.get("voltage_V")
    if voltage is not None and voltage != technologies.nominal_voltage(configuration["technology"]):
        raise InputProblem(f"the run has --voltage {voltage}, expected the nominal voltage of its technology")


def base_of(configuration, given, out):
    """The base of the new file, which finds a file relative to itself."""
    base = given or configuration["technology"]
    if base in technologies.NOMINAL:
        return base
    if not os.path.isfile(base):
        raise InputProblem(f"{'--base' if given else 'the technology of the run'} is '{base}', expected one that ships with the "
                           f"project ({', '.join(technologies.NOMINAL)}) or a file{'' if given else ' here, or --base'}")
    if not given and technologies.has_changed(base, configuration.get("inputs")):
        raise InputProblem(f"the technology of the run, '{base}', has changed since, expected --base or another run")
    folder = os.path.dirname(os.path.abspath(out))
    path = os.path.abspath(base)
    if os.path.realpath(folder) == folder:  # else '..' depends on how the file is reached
        path = os.path.relpath(path, folder)
        path = os.path.join(".", path) if path in technologies.NOMINAL else path
    try:
        path.encode()
    except UnicodeEncodeError:
        raise InputProblem(f"{base!a} is no UTF-8 text, expected a name that a technology file can have") from None
    return path


def check_output(out, folder, table, configuration, base):
    """The new file must not replace what it is made of."""
    if out in technologies.NOMINAL:
        raise InputProblem(f"--output is '{out}', a technology that ships with the project, expected another name")
    inputs = configuration.get("inputs")
    read = {table: "the table", os.path.join(folder, "summary.json"): "the run's summary",
            os.path.join(folder, "events.csv"): "the run's events"}
    for entry in inputs if isinstance(inputs, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("name"), str):
            read.setdefault(entry["name"], "an input of the run")
    for name, what in ((configuration["technology"], "the run's technology"), (base, "the base")):
        for file in technologies.files_of(name) if name else ():
            read.setdefault(file, f"{what}, or a base of it")
    for path, what in read.items():
        if "\0" not in path and path not in technologies.NOMINAL and os.path.realpath(path) == os.path.realpath(out):
            raise InputProblem(f"--output is '{out}', {what}, expected another file")


def write_technology(folder, table, out, given):
    events, configuration = accelergy.read_run(folder)
    check_output(out, folder, table, configuration, given)
    check_voltage(configuration)
    base = base_of(configuration, given, out)
    found, left = accelergy.event_energies(accelergy.read_energy_table(table), events, table)
    name, source = (os.path.basename(path).encode(errors="replace").decode() for path in (os.path.splitext(out)[0], table))
    write_whole(out, accelergy.technology_text(name, base, found, f"Accelergy, {source}").encode())
    print(f"tensorloom-energy: {out}, {len(found)} energies over {base}")
    if left:
        print(f"  not taken, no energies of a technology file: {', '.join(left)}")


def run(arguments):
    try:
        return exchange(arguments)
    except InputProblem as problem:
        raise InputProblem(one_line(problem)) from None  # names of files may have line breaks


def exchange(arguments):
    options, names = split_options(arguments, lambda option: None if option in OPTIONS else f"unknown option '{option}'")
    if len(names) != 1:
        raise InputProblem(f"found {len(names)} directories, expected one that a testbench has written with --out (see --help)")
    if ("--accelergy" in options) == ("--from-accelergy" in options):
        raise InputProblem("expected either --accelergy or --from-accelergy (see --help)")
    for option, text in options.items():
        if not text:
            raise InputProblem(f"{option} is '', expected a name")
    if "--accelergy" in options:
        if len(options) > 1:
            raise InputProblem(f"--accelergy with {next(o for o in options if o != '--accelergy')}, expected no other option")
        return write_accelergy(names[0], options["--accelergy"])
    if "--output" not in options:
        raise InputProblem("--from-accelergy without --output, expected the technology file to write")
    return write_technology(names[0], options["--from-accelergy"], options["--output"], options.get("--base"))


def main():
    return main_of("tensorloom-energy", USAGE, run)
