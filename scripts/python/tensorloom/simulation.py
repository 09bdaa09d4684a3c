"""What a run from Python gives back: its result, summary and tables, in memory. Files are written on request alone."""
import html
import io
import json
import os
import shlex
import sys
import tempfile
import uuid

import numpy as np

from tensorloom.manifests import outputs_of
from tensorloom.progress import in_notebook
from tensorloom.quantities import quantity_text
from tensorloom.report.page import page_of
from tensorloom.run import run_of
from tensorloom.run_directory import InputProblem, one_line, read_json, read_run_directory, table_in

PRINTED = "printed.txt"
REALS = ("_pJ", "_pJ_s", "_ns", "_us", "_mW", "_um2", "_s")  # columns of real numbers, also where all are whole
WHOLE = 2.0 ** 53


def file_names(program, output):
    """Of an output, as its option takes them."""
    return ",".join(outputs_of(program)[output].get("files", [output + ".npy"]))


def structured(table):
    """A table as a structured array: texts, integers where a column counts, else float64."""
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
    files        name -> bytes: summary.json, tables, trace.json, what was printed, and the arrays that went in and came out
    messages     what it said on stderr: warnings; mostly empty
    """

    def __init__(self, program, arguments, files, outputs, messages=""):
        self.program = program
        self.arguments = list(arguments)
        self.files = files
        self.messages = messages
        self._outputs = dict(outputs)  # name -> the names of its files, with commas
        self._read = {}                # what has been made of files

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

    # ---- what came out -----------------------------------------------------------------------------------------------

    @property
    def result(self):
        """The array that the run computed; None where a testbench has none. Of `tucker` the expanded tensor, of `soc` that
        of the large job; `outputs` has them all."""
        return next(iter(self.outputs.values()), None)

    @property
    def outputs(self):
        """Name -> array; `factors` of tucker are a tuple of three."""
        return self._once("outputs", lambda: {output: self._arrays(names) for output, names in self._outputs.items()})

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

    # ---- its tables --------------------------------------------------------------------------------------------------

    @property
    def tables(self):
        """The names of its tables: "latency", "energy", ..."""
        return sorted(name[:-len(".csv")] for name in self.files if name.endswith(".csv"))

    def table(self, name):
        """A table as a structured array, a column by name: run.table("latency")["cycles"]."""
        if name + ".csv" not in self.files:
            raise InputProblem(f"{self.program}: the run has no table '{name}', "
                               f"{'expected one of ' + ', '.join(self.tables) if self.tables else 'nor any other'}")
        return self._once(name + ".csv", lambda: self._table(name + ".csv"))

    def _table(self, file):
        return structured(table_in(io.StringIO(self.files[file].decode("utf-8"), newline=""), file))

    @property
    def latency(self):
        """A row per step, instruction or transfer: where cycles went, and events."""
        return self.table("latency")

    @property
    def energy(self):
        """The energy of each row of `latency`, by component."""
        return self.table("energy")

    def frame(self, name):
        """A table as a DataFrame, where pandas is installed."""
        try:
            import pandas
        except ImportError:
            raise InputProblem("pandas is not installed, expected it for frame(); table() needs numpy alone") from None
        return pandas.DataFrame(self.table(name))

    # ---- to look at, and to keep -------------------------------------------------------------------------------------

    @property
    def command(self):
        """What a shell would be told; files that the package wrote are those of save()."""
        return shlex.join([self.program, *self.arguments])

    def save(self, directory):
        """Writes what --out writes, and the arrays that went in and came out; each file is whole or not there. The
        directory may be there. load() reads it again, and the program repeats the run there: --config summary.json."""
        try:
            os.makedirs(directory, exist_ok=True)
        except OSError as error:
            raise InputProblem(f"{directory} cannot be written: {error.strerror}") from None
        for name, content in self.files.items():
            write_whole(os.path.join(directory, name), content)

    def report(self, path, title=None):
        """One HTML page to look into, as of tensorloom-report."""
        write_report([self], path, title)

    def show(self, height=800):
        """In a notebook the report below the cell; else what the program printed."""
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
        return np.load(io.BytesIO(content))
    except (ValueError, EOFError) as error:
        raise InputProblem(f"{name} cannot be read as an array: {one_line(error)}") from None


def write_whole(path, content):
    """A file that is there whole or as it was."""
    try:
        write_beside(path, content)
    except OSError as error:
        raise InputProblem(f"{path} cannot be written: {error.strerror}") from None


def write_beside(path, content):
    folder, name = os.path.split(os.path.abspath(path))
    waiting = os.path.join(folder, f".{name}.{uuid.uuid4().hex}")
    try:
        with open(waiting, "xb") as file:
            file.write(content)
        os.replace(waiting, path)
    except BaseException:
        if os.path.exists(waiting):
            os.unlink(waiting)
        raise


def pictured(runs, labels=None):
    """Runs as reports and pictures take them. labels: their names; else those of their programs, numbered."""
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
    """One HTML page of runs side by side, as of tensorloom-report: a list of them, or label -> run."""
    if isinstance(runs, Run):
        runs = [runs]
    labels = [str(label) for label in runs] if isinstance(runs, dict) else None
    runs = list(runs.values() if isinstance(runs, dict) else runs)
    write_whole(path, page_of(pictured(runs, labels), title).encode())


def load(directory):
    """A run that save() has written, or a program with --out; its results where they lie in the directory, too."""
    summary = read_json(os.path.join(directory, "summary.json"))
    try:
        program, given = summary["testbench"], summary["configuration"]["options_given"]
        written = {name: given[output["option"]] for name, output in outputs_of(program).items() if output["option"] in given}
        arguments = [f"--{name}={item}" for name, value in given.items()
                     for item in (value if isinstance(value, list) else [value])]
    except (KeyError, TypeError, AttributeError):
        raise InputProblem(f"{os.path.join(directory, 'summary.json')} does not say what was asked, expected what save() or "
                           f"--out has written") from None
    for option, name in written.items():
        if not isinstance(name, str):
            raise InputProblem(f"{os.path.join(directory, 'summary.json')} has {name!r} as {option}, expected names of files")
    files = files_in(directory)
    return Run(program, arguments, files,
               {output: names for output, names in written.items() if all(name in files for name in names.split(","))})


def files_in(directory):
    """Name -> bytes of what a run consists of."""
    files = {}
    for entry in sorted(os.scandir(directory), key=lambda entry: entry.name):
        if entry.is_file() and (entry.name.endswith((".json", ".csv", ".npy", ".mtx")) or entry.name == PRINTED):
            with open(entry.path, "rb") as file:
                files[entry.name] = file.read()
    return files
