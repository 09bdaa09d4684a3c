"""tensorloom-energy: energies of a run for Accelergy, and a technology file from Accelergy's table."""
import os

from tensorloom import accelergy
from tensorloom.command_line import main_of, split_options
from tensorloom.run_directory import InputProblem
from tensorloom.whole_files import write_whole

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
    events, configuration = accelergy.read_events(folder), accelergy.read_configuration(folder)
    try:
        os.makedirs(out, exist_ok=True)
    except OSError as error:
        raise InputProblem(f"--accelergy is '{out}', expected a folder that can be written: {error.strerror}") from None
    for name, text in (("architecture.yaml", accelergy.architecture_text(events, configuration)),
                       ("action_counts.yaml", accelergy.action_counts_text(events)),
                       ("ERT.yaml", accelergy.energy_table_text(events))):
        write_whole(os.path.join(out, name), text.encode())
    total = sum(event.count * float(event.energy) for event in events)
    print(f"tensorloom-energy: {out}, {len(accelergy.tables_of(events))} components, {len(events)} actions, {total:.10g} pJ")


def base_of(configuration, given, out):
    """The base of the new file, which finds a file relative to itself."""
    if configuration.get("voltage_V") is not None:
        raise InputProblem(f"the run has --voltage {configuration['voltage_V']}, expected the nominal voltage of its technology")
    base = given or configuration.get("options", {}).get("technology")
    if not base:
        raise InputProblem("the run names no technology, expected --base")
    return os.path.relpath(base, os.path.dirname(os.path.abspath(out))) if os.path.isfile(base) else base


def write_technology(folder, table, out, base):
    events, configuration = accelergy.read_events(folder), accelergy.read_configuration(folder)
    base = base_of(configuration, base, out)
    found, left = accelergy.event_energies(accelergy.read_energy_table(table), events, table)
    name = os.path.splitext(os.path.basename(out))[0]
    write_whole(out, accelergy.technology_text(name, base, found, f"Accelergy, {os.path.basename(table)}").encode())
    print(f"tensorloom-energy: {out}, {len(found)} energies over {base}")
    if left:
        print(f"  not taken, no energies of a technology file: {', '.join(left)}")


def run(arguments):
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
