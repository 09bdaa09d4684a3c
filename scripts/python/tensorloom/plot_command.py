"""tensorloom-plot: pictures of runs that testbenches have written with --out."""
from tensorloom.command_line import main_of, split_options
from tensorloom.comparison import format_table, table_of
from tensorloom.pictures import comparison, energy, findings, pareto, roofline, slices, study, timeline
from tensorloom.pictures.figure import FORMATS, picture_format, save_picture
from tensorloom.run import read_runs
from tensorloom.run_directory import InputProblem

USAGE = """Usage: tensorloom-plot KIND [OPTION].. DIR [DIR]..

Draws pictures of runs that testbenches have written with --out. DIR is such a directory, labelled with its name;
LABEL=DIR gives it another label, and LABEL=DIR,DIR.. joins consecutive runs to one.

For any run:
  timeline     activity of the device over time, a lane per cause of cycles, and its power
  energy       energy by component, and by phase without leakage
  roofline     multiply-adds per cycle under the roof of the device
  comparison   runs side by side, or the cases of one run: time, cycles, multiply-adds, utilisation, bytes, energy
  pareto       jobs by time, energy and area, with the front that no other job beats; also prints the conclusion
  table        the comparison of runs as text, with cycles by cause and energy by component; printed, nothing is drawn
For some testbenches:
  rivals       compare_accelerators: cycles and energy relative to FETTA
  grid         compare_accelerators --grid: cycles relative to FETTA for every combination of rules
  sequences    contraction_search: costs of every sequence
  theorems     tensor_unit --theorems: ratio of time to the bound of every theorem; segmented --theorems: of steps and work
  latencies    tensor_unit --theorems: the largest latency at which each algorithm pays
  lengths      segmented --compare: algorithms by length
  measured     compare_measured: cycles of the model by those that were measured
  learning     tnn_training: losses and accuracy by epoch
  wires        orbital --compare triada, one or several sizes: distances, wires, cycles and energy of both devices
  study        a directory of tensorloom-study whose file has a picture
  slices       ORIGINAL.npy RECONSTRUCTION.npy instead of DIR: slices of a volume before and after

  --output FILE          file of the picture: .png, .svg or .pdf (default: KIND.png)
  --cycles FIRST:LAST    timeline: show only these cycles
  --port bus|scratchpad  roofline: port through which operands come (default: bus)
  --help                 print this text and stop

Exit status: 0 done; 2 bad input (a directory, a file, a field or an option), 3 out of memory, both reported in one line."""

PICTURES = {
    "timeline": timeline.picture_of, "energy": energy.picture_of, "roofline": roofline.picture_of,
    "comparison": comparison.picture_of, "pareto": pareto.picture_of, "rivals": findings.rivals_picture, "grid": findings.grid_picture, "sequences": findings.sequences_picture,
    "theorems": findings.theorems_picture, "latencies": findings.latencies_picture, "lengths": findings.lengths_picture,
    "measured": findings.measured_picture, "learning": findings.learning_picture,
    "wires": findings.wires_picture,
}
OF_FILES = {"study": study.picture_of, "slices": slices.picture_of}  # not of runs
OPTIONS = {"--output": None, "--cycles": "timeline", "--port": "roofline"}  # option -> the kind that has it; None: all kinds
PORTS = ("bus", "scratchpad")


def parse(arguments):
    """(kind, option -> text, names of runs or files)"""
    kinds = [*PICTURES, *OF_FILES, "table"]
    if not arguments or arguments[0].startswith("-"):
        raise InputProblem(f"{'no picture' if not arguments else repr(arguments[0])} as first argument, expected one of "
                           f"{', '.join(kinds)} (see --help)")
    kind = arguments[0]
    if kind not in kinds:
        raise InputProblem(f"no picture '{kind}', expected one of {', '.join(kinds)}")

    def refusal_of(option):
        known = option in OPTIONS and OPTIONS[option] in (None, kind) and (option, kind) != ("--output", "table")
        return None if known else f"{kind} has no option '{option}'"

    options, names = split_options(arguments[1:], refusal_of)
    if not names:
        raise InputProblem(f"{kind} without a run, expected a directory that a testbench has written with --out (see --help)")
    return kind, options, names


def window_of(text):
    """FIRST:LAST in cycles."""
    first, colon, last = text.partition(":")
    if not (colon and first.isdigit() and last.isdigit() and int(first) < int(last)):
        raise InputProblem(f"--cycles is '{text}', expected FIRST:LAST with FIRST < LAST, for example 600:800")
    return timeline.Window(int(first), int(last))


def figure_of(kind, options, names):
    if kind in OF_FILES:
        return OF_FILES[kind](names)
    more = {}
    if "--cycles" in options:
        more["window"] = window_of(options["--cycles"])
    if "--port" in options:
        if options["--port"] not in PORTS:
            raise InputProblem(f"--port is '{options['--port']}', expected {' or '.join(PORTS)}")
        more["port"] = options["--port"]
    return PICTURES[kind](read_runs(names), **more)


def run(arguments):
    kind, options, names = parse(arguments)
    if kind == "table":
        print(format_table(table_of(read_runs(names))), end="")
        return
    path = options.get("--output", f"{kind}.{FORMATS[0]}")
    picture_format(path)
    save_picture(path, figure_of(kind, options, names))
    if kind == "pareto":
        runs = read_runs(names)
        print("\n".join(text for text in (pareto.conclusion(pareto.machines_of(runs)), pareto.difference(runs)) if text))
    print(f"tensorloom-plot: {path}")


def main():
    return main_of("tensorloom-plot", USAGE, run)
