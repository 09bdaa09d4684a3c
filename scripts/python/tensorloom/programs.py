"""The testbenches' programs: their paths, their options (from --help-json) and their error messages."""
import functools
import glob
import json
import os
import shutil
import subprocess
from dataclasses import dataclass, replace

from tensorloom.manifests import manifests
from tensorloom.run_directory import InputProblem, TensorLoomError, one_line

VARIABLE = "TENSORLOOM_BIN"
BESIDE = "../../../build"  # from this package; an installation writes its folder of programs here
BUILDS = ("release", "*")  # presets below build, in the order in which they are taken
SCHEMA = "tensorloom-options-1"


class ProgramFailed(TensorLoomError):
    """A program ended with a status other than 0: 1 wrong result, 2 bad input, otherwise an internal failure; below 0 a
    signal. `text`: its output."""

    def __init__(self, program, status, line, text=""):
        super().__init__(line)
        self.program = program
        self.status = status
        self.text = text

    def __reduce__(self):
        return ProgramFailed, (self.program, self.status, str(self), self.text)


@dataclass(frozen=True)
class Option:
    """An option, as in docs/options.schema.json."""
    name: str
    group: str
    type: str
    unit: str
    choices: tuple
    form: str
    default: str
    repeatable: bool
    help: str
    synonym: str = None  # another name; the table has the option under both
    computes: bool = True  # False: what is shown, or written where


@dataclass(frozen=True)
class OptionTable:
    program: str
    path: str       # of the program
    purpose: str
    options: dict   # name -> Option, in the order of --help; after them the synonyms

    def name_of(self, name):
        """The name in --help of an option or its synonym; of what is no option, itself."""
        synonym = self.options[name].synonym if name in self.options else None
        return next(known for known in self.options if known in (name, synonym)) if synonym else name


def folders_beside():
    """Directories of the programs that belong to this package: its installation or the build tree."""
    beside = os.path.normpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), BESIDE))
    if os.path.basename(BESIDE) != "build":
        return [beside]
    found = [folder for build in BUILDS for folder in sorted(glob.glob(os.path.join(glob.escape(beside), build, "bin")))]
    return list(dict.fromkeys(found))


def is_program(path):
    return os.path.isfile(path) and os.access(path, os.X_OK)


def find_program(name):
    """The path of a testbench's program: in the folder that TENSORLOOM_BIN names, if set; else beside this package;
    else, for a testbench of this package, in PATH. InputProblem if there is none."""
    folder = os.environ.get(VARIABLE)
    if folder:
        path = os.path.join(os.path.abspath(folder), name)
        if not is_program(path):
            raise InputProblem(f"{VARIABLE} is '{folder}', expected a folder with the program '{name}'")
        return path
    beside = folders_beside()
    for folder in beside:
        if is_program(os.path.join(folder, name)):
            return os.path.join(folder, name)
    ours = name in manifests()  # any other program in PATH may do anything
    path = shutil.which(name) if ours else None
    if not path:
        raise InputProblem(f"no program '{name}' in {', '.join(beside) or 'a build tree'}{' or PATH' if ours else ''}, expected a "
                           f"build, an installation, or its folder in {VARIABLE}")
    return os.path.abspath(path)


def option_table(name):
    """The program's options from --help-json, cached until the program file changes."""
    path = find_program(name)
    made = os.stat(path)
    return table_of_program(name, path, (made.st_mtime_ns, made.st_size))


@functools.lru_cache(maxsize=64)
def table_of_program(name, path, _made):
    try:
        done = subprocess.run([path, "--help-json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              encoding="utf-8", errors="replace", check=False)
    except OSError as error:
        raise InputProblem(f"{path} cannot be run: {error.strerror}") from None
    if done.returncode:
        raise ProgramFailed(name, done.returncode, last_line(done.stderr) or f"{name}: --help-json: status {done.returncode}")
    try:
        told = json.loads(done.stdout)
        if told["schema"] != SCHEMA:
            raise InputProblem(f"{path} reports its options as '{told['schema']}', expected '{SCHEMA}'")
        options = [Option(row["name"], row["group"], row["type"], row["unit"], tuple(row["choices"] or ()), row["form"],
                          row["default"], row["repeatable"], row["help"], row["synonym"], row["computes"]) for row in told["options"]]
        options += [replace(option, name=option.synonym, synonym=option.name) for option in options if option.synonym]
        return OptionTable(name, path, told["purpose"], {option.name: option for option in options})
    except (ValueError, KeyError, TypeError) as error:
        raise InputProblem(f"{path} does not report its options as JSON: {one_line(error)}") from None


def last_line(text):
    """The last line of a failed program's output: its error message. Progress may precede it."""
    lines = [line.strip() for line in text.replace("\r", "\n").split("\n")]
    return next((line for line in reversed(lines) if line), "")
