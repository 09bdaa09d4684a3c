"""The result of a run from Python: its arrays, summary and tables, in memory. Files are written only on request."""
import html
import io
import json
import os
import re
import shlex
import sys
import tempfile
import zipfile

import numpy as np

from tensorloom.manifests import manifest_of, manifests, outputs_of, summary_of
from tensorloom.progress import in_notebook
from tensorloom.quantities import quantity_text
from tensorloom.report.markup import bytes_of
from tensorloom.report.page import page_of
from tensorloom.run import run_of
from tensorloom.run_directory import InputProblem, one_line, read_json, read_run_directory, table_in
from tensorloom.whole_files import write_whole

PRINTED = "printed.txt"
BESIDE = "pytorch.csv"  # of a training: PyTorch on the same batches (pytorch/training/)
OF_EVERY_RUN = ("summary.json", "latency.csv", "energy.csv", "trace.json", "events.csv", "banks.csv", "comparison.csv", BESIDE)
ARRAYS = (".npy", ".npz")
# Programs whose runs have parameters -> whether an output is one.
STATES = {"tnn_training": lambda name: True, "tnn_step": lambda name: name not in ("Y", "dX") and not name.startswith("d")}
REALS = ("_pJ", "_pJ_s", "_ns", "_us", "_mW", "_um2", "_s")  # columns of real numbers, even if all are whole
WHOLE = 2.0 ** 53


def file_names(program, output):
    """File names of an output, as its option takes them."""
    described = outputs_of(program)[output]
    return ",".join(described.get("files", [output + (".npz" if "archive" in described else ".npy")]))


def structured(table):
    """A table as a structured array: texts, integers for columns of counts, else float64."""
    columns = {}
    for name, values in table.columns.items():
        if isinstance(values, list):
            columns[name] = np.array(values, dtype=str)
        elif not name.endswith(REALS) and np.all(values == np.rint(values)) and np.all(np.abs(values) <= WHOLE):
            columns[name] = values.astype(np.int64)
        else:
            columns[name] = values
    array = np.zeros(table.rows, dtype=[(name, values.dtype) for name, values in columns.items()])
    for name, values in columns.items():
        array[name] = values
    return array


class Run:
    """A run of a testbench.

    program      "dxt", ...
    arguments    its command line, a list
    files        name -> bytes: summary.json, tables, trace.json, the printed text, and the input and output arrays
    messages     its output on stderr: warnings; mostly empty
    """

    def __init__(self, program, arguments, files, outputs, messages=""):
        self.program = program
        self.arguments = list(arguments)
        self.files = files
        self.messages = messages
        self._outputs = dict(outputs)  # name -> the names of its files, with commas
        self._read = {}                # parsed files

    def _once(self, key, make):
        if key not in self._read:
            self._read[key] = make()
        return self._read[key]

    def __getstate__(self):
        return {**self.__dict__, "_read": {}}

    @property
    def text(self):
        """The table that the program printed."""
        return self.files.get(PRINTED, b"").decode("utf-8", "replace")

    # ---- results -----------------------------------------------------------------------------------------------------

    @property
    def result(self):
        """The array that the run computed; None if the testbench has none. For `tucker` the expanded tensor, for `soc`
        the result of the large job, for `tnn_step` Y; `outputs` has all arrays."""
        name = next((outputs_of(self.program)[output].get("archive", output) for output in self._outputs), None)
        return self.outputs.get(name)

    @property
    def outputs(self):
        """Name -> array; `factors` of tucker are a tuple of three. Of `tnn_training` the parameters after the last epoch."""
        return self._once("outputs", self._all_arrays)

    def _all_arrays(self):
        found = {}
        for output, names in self._outputs.items():
            arrays = self._arrays(names)
            found.update(arrays if isinstance(arrays, dict) else {output: arrays})
        return found

    def state_dict(self):
        """Name -> float32 array of the parameters after the run: of `tnn_training` all of them, "fc1.G1", "fc1.bias", ..;
        of `tnn_step` the updated cores. tnn_training(model, initial=..) and tnn_step(cores=..) take it."""
        if self.program not in STATES:
            raise InputProblem(f"{self.program}: a run has no parameters, expected one of {', '.join(STATES)}")
        return {name: array for name, array in self.outputs.items() if STATES[self.program](name)}

    def _arrays(self, names):
        arrays = tuple(array_in(name, self.files[name]) for name in names.split(","))
        return arrays if len(arrays) > 1 else arrays[0]

    @property
    def summary(self):
        """summary.json as a dict."""
        return self._once("summary", lambda: json.loads(self.files["summary.json"]))

    @property
    def cycles(self):
        return self.summary.get("cycles")

    @property
    def time_ns(self):
        return self.summary.get("simulated_time_ns")

    @property
    def energy_pj(self):
        return (self.summary.get("energy_pJ") or {}).get("total")

    # ---- tables ------------------------------------------------------------------------------------------------------

    @property
    def tables(self):
        """The names of its tables: "latency", "energy", ..."""
        return sorted(name[:-len(".csv")] for name in self.files if name.endswith(".csv"))

    def table(self, name):
        """A table as a structured array, a column by name: run.table("latency")["cycles"]."""
        if name + ".csv" not in self.files:
            raise InputProblem(f"{self.program}: the run has no table '{name}', "
                               f"{'expected one of ' + ', '.join(self.tables) if self.tables else 'it has no tables'}")
        return self._once(name + ".csv", lambda: self._table(name + ".csv"))

    def _table(self, file):
        return structured(table_in(io.StringIO(self.files[file].decode("utf-8"), newline=""), file))

    @property
    def latency(self):
        """A row per step, instruction or transfer: its cycles, their cause, and events."""
        return self.table("latency")

    @property
    def energy(self):
        """The energy of each row of `latency`, by component."""
        return self.table("energy")

    @property
    def costs(self):
        """Cycles, multiply-adds and energy by layer, phase and step: a row per contraction, transfer and vector operation.
        They add up to those of the run. `not_modelled` has what is in none of them."""
        return self._once("costs", self._costs)

    def _costs(self):
        if "costs.csv" in self.files:
            return self.table("costs")
        if "not_modelled" not in manifest_of(self.program):
            raise InputProblem(f"{self.program}: a run has no costs by step, expected one of "
                               f"{', '.join(name for name, manifest in manifests().items() if 'not_modelled' in manifest)}")
        latency, energy, rows = self.latency, self.energy, {}
        for row, phase in enumerate(latency["phase"]):  # one contraction: its commands
            sums = rows.setdefault(str(phase), [0, 0, 0.0])
            for place, part in enumerate((latency["cycles"][row], latency["mac"][row], energy["total_pJ"][row])):
                sums[place] += part
        columns = [("layer", "U1"), ("phase", "U2"), ("step", f"U{max(map(len, rows), default=1)}"), ("cycles", np.int64),
                   ("macs", np.int64), ("energy_pJ", float)]
        return np.array([("", "fp", step, *sums) for step, sums in rows.items()], dtype=columns)

    @property
    def not_modelled(self):
        """Texts: what `costs` does not have, because the simulation does not model it."""
        return list(manifest_of(self.program).get("not_modelled", ()))

    def frame(self, name):
        """A table as a DataFrame, if pandas is installed."""
        try:
            import pandas
        except ImportError:
            raise InputProblem("pandas is not installed, expected it for frame(); table() needs numpy alone") from None
        return pandas.DataFrame(self.table(name))

    # ---- display and files -------------------------------------------------------------------------------------------

    @property
    def command(self):
        """The shell command of the run; files that the package wrote have their names of save()."""
        return shlex.join([self.program, *self.arguments])

    def save(self, directory):
        """Writes the files of --out, and the input and output arrays; each file is complete or absent. load() reads the
        directory, and the program repeats the run there: --config summary.json. The directory may exist: the files of
        another run in it are removed, all others stay."""
        try:
            os.makedirs(directory, exist_ok=True)
        except OSError as error:
            raise InputProblem(f"{directory} cannot be written: {error.strerror}") from None
        others = files_of_run_in(directory) - set(self.files)
        for name, content in self.files.items():
            write_whole(os.path.join(directory, name), content)
        for name in others:
            remove_file(os.path.join(directory, name))

    def report(self, path, title=None):
        """One HTML page, as from tensorloom-report."""
        write_report([self], path, title)

    def show(self, height=800):
        """In a notebook, shows the report below the cell; else prints the program's text."""
        if not in_notebook():
            print(self.text, end="")
            return
        display = sys.modules["IPython"].display
        page = html.escape(page_of(pictured([self])), quote=True)
        display.display(display.HTML(f'<iframe srcdoc="{page}" width="100%" height="{int(height)}" style="border:0" '
                                     f'sandbox="allow-scripts"></iframe>'))

    def __repr__(self):
        told = []
        if self.cycles is not None:
            told.append(f"{self.cycles:,} cycles")
        for value, base in ((self.time_ns, "ns"), (self.energy_pj, "pJ")):
            if value is not None:
                told.append(quantity_text(value, base))
        return f"<Run of {self.program}{': ' if told else ''}{', '.join(told)}>"

    def _repr_html_(self):
        return f"<pre>{html.escape(self.text)}</pre>"


def array_in(name, content):
    try:
        found = np.load(io.BytesIO(content))
        return dict(found) if name.endswith(".npz") else found
    except (ValueError, EOFError, OSError, zipfile.BadZipFile) as error:
        raise InputProblem(f"{name} cannot be read as an array: {one_line(error)}") from None


def pictured(runs, labels=None):
    """Runs for reports and pictures. labels: their names; by default numbered program names."""
    names = [run.program for run in runs]
    labels = labels or [name if names.count(name) == 1 else f"{name} {names[:place].count(name) + 1}"
                        for place, name in enumerate(names)]
    charted = []
    with tempfile.TemporaryDirectory(prefix="tensorloom-") as folder:
        for place, (run, label) in enumerate(zip(runs, labels)):
            kept = os.path.join(folder, str(place))
            run.save(kept)
            charted.append(run_of(read_run_directory(kept), label))
    return charted


def write_report(runs, path, title=None):
    """One HTML page of runs side by side, as from tensorloom-report. runs: a list, or label -> run."""
    if isinstance(runs, Run):
        runs = [runs]
    labels = [str(label) for label in runs] if isinstance(runs, dict) else None
    runs = list(runs.values() if isinstance(runs, dict) else runs)
    write_whole(path, bytes_of(page_of(pictured(runs, labels), title)))


def load(directory):
    """A run written by save() or by a program with --out; with its arrays if they are in the directory."""
    summary = read_json(os.path.join(directory, "summary.json"))
    try:
        program, given = summary["testbench"], summary["configuration"]["options_given"]
        written = {name: given[output["option"]] for name, output in outputs_of(program).items() if output["option"] in given}
        arguments = [f"--{name}={item}" for name, value in given.items()
                     for item in (value if isinstance(value, list) else [value])]
    except (KeyError, TypeError, AttributeError):
        raise InputProblem(f"{os.path.join(directory, 'summary.json')} does not have the options of its run, expected a directory of save() or "
                           f"--out") from None
    for option, name in written.items():
        if not isinstance(name, str):
            raise InputProblem(f"{os.path.join(directory, 'summary.json')} has {name!r} as {option}, expected names of files")
    files = files_in(directory)
    return Run(program, arguments, files,
               {output: names for output, names in written.items() if all(name in files for name in names.split(","))})


def files_of_run_in(directory):
    """Names of the files that the run of this directory has there: those of its program with --out and, if save() wrote
    it, the arrays that the package named after an option. Empty if the directory has no run; other files are the user's."""
    try:
        summary = read_json(os.path.join(directory, "summary.json"))
        program, given = summary["testbench"], summary["configuration"]["options_given"]
        present = set(os.listdir(directory))
        names = {*OF_EVERY_RUN, *(table + ".csv" for table in summary_of(program).get("tables", ()))}
        if PRINTED in present:
            names |= {PRINTED, *(file for output in outputs_of(program) for file in file_names(program, output).split(","))}
            names |= {name for option, value in given.items() for name in names_stored(option, value)}
        return names & present
    except (InputProblem, KeyError, TypeError, AttributeError):
        return set()


def names_stored(option, value):
    """The names of files in an option's text that the package has made up: the option's name, or matrix, and a number."""
    texts = value if isinstance(value, list) else [value]
    names = [part.removeprefix("file:") for text in texts for part in str(text).split(",")]
    return [name for name in names if re.fullmatch(rf"(matrix|{re.escape(option.replace('-', '_'))})[0-9]*\.[a-z]{{3,4}}", name)]


def remove_file(path):
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise InputProblem(f"{path}, of another run, cannot be removed: {error.strerror}") from None


def files_in(directory):
    """Name -> bytes of the files of a run."""
    files = {}
    for entry in sorted(os.scandir(directory), key=lambda entry: entry.name):
        if entry.is_file() and (entry.name.endswith(ARRAYS + (".json", ".csv", ".mtx", ".yaml")) or entry.name == PRINTED):
            with open(entry.path, "rb") as file:
                files[entry.name] = file.read()
    return files
