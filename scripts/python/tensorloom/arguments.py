"""Python values as a program's command line, by its table of options: names with underscores, numbers, tuples, arrays."""
import difflib
import json
import math
import numbers
import os
import re

import numpy as np

from tensorloom.run_directory import InputProblem, one_line

# Options that the package sets itself -> the alternative for callers.
OWN = {"out": "save(directory) of the run writes its files", "quiet": "nothing is printed",
       "dry-run": "a sweep checks all options first", "serve": "use tensorloom.ContractServer",
       "help": "use help() or the program itself", "help-json": "use tensorloom.options()",
       "version": "the summary of a run has it"}
WORDS = {"norm": {"ortho": "orthonormal"}}  # as numpy and scipy call them
SIZES = re.compile(r"^[A-Z]1(x[A-Z]\d)+$")


class Place:
    """The folder in which a program runs, and its input files there. Without a folder values are only checked and
    nothing is written."""

    def __init__(self, folder=None, working=None):
        self.folder = folder    # of the program's input and output files
        self.working = working  # where the program runs

    def name(self, file):
        """The path for the program: only the name if the program runs in the folder, so that a saved run can be
        repeated anywhere."""
        return file if self.folder == self.working else os.path.join(self.folder, file)

    def free_stem(self, stem):
        """A new name with the first number, from 1, that no file has."""
        number = 1
        while self.folder and os.path.exists(os.path.join(self.folder, f"{stem}{number}.npy")):
            number += 1
        return f"{stem}{number}"

    def store(self, stem, value, what):
        """An array as a .npy file."""
        array = array_of(value, what)
        if array.dtype.kind not in "biufc":
            raise InputProblem(f"{what} is an array of {array.dtype}, expected numbers")
        kind = np.dtype(np.float32) if array.dtype == np.float16 else array.dtype.newbyteorder("=")  # nothing is lost
        if self.folder:
            np.save(os.path.join(self.folder, stem + ".npy"), array.astype(kind, copy=False))
        return self.name(stem + ".npy")

    def store_archive(self, stem, arrays, what):
        """Named arrays as a .npz file."""
        for name in arrays:
            if not isinstance(name, str) or name in ("", "file") or "/" in name or "\0" in name:  # numpy's own is file
                raise InputProblem(f"{what} has the name {name!r}, expected names of arrays")
        found = {name: array_of(value, f"{what}: {name}") for name, value in arrays.items()}
        for name, array in found.items():
            if array.dtype.kind not in "biuf":
                raise InputProblem(f"{what}: {name} is an array of {array.dtype}, expected real numbers")
        if self.folder:
            with open(os.path.join(self.folder, stem + ".npz"), "wb") as file:
                np.savez(file, **{name: array.astype(array.dtype.newbyteorder("="), copy=False) for name, array in found.items()})
        return self.name(stem + ".npz")

    def store_json(self, stem, value, what):
        """A JSON file; numpy numbers and arrays become numbers and lists."""
        def plain(inner):
            if isinstance(inner, (np.generic, np.ndarray)):
                return inner.tolist()
            raise InputProblem(f"{what} has {inner!r}, expected texts, numbers, lists and dicts")

        try:
            text = json.dumps(value, default=plain)
        except (TypeError, ValueError) as error:
            raise InputProblem(f"{what} cannot be written as JSON: {one_line(error)}") from None
        return self.store_text(stem + ".json", text)

    def store_matrix(self, stem, value, what):
        """A matrix as a MatrixMarket file of its non-zero elements."""
        matrix = array_of(value.toarray() if hasattr(value, "toarray") else value, what)
        if matrix.ndim != 2 or matrix.dtype.kind not in "biuf":
            raise InputProblem(f"{what} has {matrix.ndim} modes of {matrix.dtype}, expected a matrix of real numbers")
        rows, columns = np.nonzero(matrix)
        field, kind = ("real", float) if matrix.dtype.kind == "f" else ("integer", int)
        lines = [f"%%MatrixMarket matrix coordinate {field} general", f"{matrix.shape[0]} {matrix.shape[1]} {len(rows)}"]
        lines += [f"{row + 1} {column + 1} {kind(matrix[row, column])!r}" for row, column in zip(rows, columns)]
        return self.store_text(stem + ".mtx", "\n".join(lines) + "\n")

    def store_text(self, file, text):
        if self.folder:
            with open(os.path.join(self.folder, file), "w", encoding="utf-8") as written:
                written.write(text)
        return self.name(file)


def array_of(value, what):
    """Of a torch tensor the numbers, wherever it is; bfloat16, which numpy does not have, becomes float32."""
    try:
        if hasattr(value, "detach") and hasattr(value, "cpu"):
            value = value.detach().cpu()
            value = value.float() if str(value.dtype) == "torch.bfloat16" else value
        return np.asarray(value)
    except (TypeError, ValueError, RuntimeError) as error:
        raise InputProblem(f"{what} is not an array, expected numbers in rows of equal length: {one_line(error)}") from None


def is_array(value):
    """Whether numpy can convert the value to an array; not texts, numbers and tuples of them."""
    return isinstance(value, np.ndarray) and value.ndim > 0 or (hasattr(value, "__array__") and not np.isscalar(value)
                                                                and not isinstance(value, (np.generic, np.ndarray)))


def is_path(value):
    return isinstance(value, (str, os.PathLike))


def path_text(form, value):
    """An absolute path, because a program runs in a separate folder; the name of a shipped file is kept."""
    text = os.fspath(value)
    ships = form.startswith("NAME|") and "/" not in text and not os.path.exists(text)
    return text if ships else os.path.abspath(text)


def yaml_text(value, what):
    """A dict as YAML in one line: JSON, whose lists of integers are sizes, as the files have them: 16x16, and ranks 4,8."""
    def plain(key, inner):
        if isinstance(inner, (np.generic, np.ndarray)):
            inner = inner.tolist()
        if isinstance(inner, dict):
            return {str(name): plain(name, part) for name, part in inner.items()}
        if isinstance(inner, (list, tuple)):
            if inner and all(isinstance(part, numbers.Integral) and not isinstance(part, bool) for part in inner):
                return ("," if key == "ranks" else "x").join(map(str, inner))
            return [plain(None, part) for part in inner]
        if inner is None or isinstance(inner, float) and not math.isfinite(inner) or not isinstance(inner, (str, bool, int, float)):
            raise InputProblem(f"{what} has {inner!r} as {key}, expected texts, finite numbers, lists and dicts")
        return inner

    try:
        return json.dumps(plain(None, value))
    except RecursionError:
        raise InputProblem(f"{what} is nested too deeply, expected the keys of a model") from None


def number_text(what, value, unit):
    if isinstance(value, str):
        try:
            float(value)
        except ValueError:
            raise InputProblem(f"{what} is '{value}', expected a number{unit}") from None
        return value
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not isinstance(value, numbers.Integral) and \
            not math.isfinite(value):
        raise InputProblem(f"{what} is {value!r}, expected a number{unit}")
    return str(int(value)) if isinstance(value, numbers.Integral) else repr(float(value))


def integer_text(what, value, unit):
    if isinstance(value, str) and re.fullmatch(r"[+-]?\d+", value):
        return value
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral):
        raise InputProblem(f"{what} is {value!r}, expected an integer{unit}")
    return str(int(value))


def choice_text(what, value, choices):
    if isinstance(value, (bool, np.bool_)) and {"on", "off"} <= set(choices):
        return "on" if value else "off"
    if value in ("true", "false") and {"on", "off"} <= set(choices):
        return "on" if value == "true" else "off"
    if str(value) not in choices:
        raise InputProblem(f"{what} is '{value}', expected one of {', '.join(choices)}")
    return str(value)


def separator_of(form):
    """The separator between the parts of a value of this form; None if it has no parts."""
    if re.search(r"\dx[A-Z]", form):
        return "x"
    if "," in form:
        return ","
    if not re.search(r"[A-Za-z]", form):
        return ""
    return ":" if ":" in form and "|" not in form else None


def part_text(what, option, part, place):
    if is_array(part) and option.form.startswith("T["):  # a custom matrix among the transforms
        return "file:" + place.store(place.free_stem("matrix"), part, what)
    if ".npy" in option.form and not is_path(part):
        return place.store(place.free_stem(option.name.replace("-", "_")), part, what)
    if is_path(part):
        text = os.fspath(part)
        head, colon, path = text.partition(":")
        if head == "file" and colon:
            return "file:" + os.path.abspath(path)
        return os.path.abspath(text) if ".npy" in option.form or option.form.startswith("FILE") else text
    if isinstance(part, (bool, np.bool_)) or not isinstance(part, numbers.Real):
        raise InputProblem(f"{what} has {part!r}, expected {option.form}")
    return number_text(what, part, "")


def text_of(what, option, value, place):
    """The text of an option of type text: parts joined with the separator of its form."""
    if isinstance(value, dict) and "=" in option.form:
        return ",".join(f"{name}={number_text(what, size, '')}" for name, size in value.items())
    if isinstance(value, str) and (option.form.startswith("T[") or option.form.startswith("FILE")):
        value = tuple(value.split(","))
    if isinstance(value, np.ndarray) and not option.form.startswith("T[") and ".npy" not in option.form:
        value = value.tolist()
    if not isinstance(value, (tuple, list)):
        return part_text(what, option, value, place)
    separator = separator_of(option.form)
    if separator is None or not value:
        raise InputProblem(f"{what} is {value!r}, expected one value: {option.form}")
    wrong_count = SIZES.match(option.form) and "one number for all" not in option.help and \
        len(value) != option.form.count("x") + 1
    if wrong_count or (separator == "x" and not all(isinstance(part, (numbers.Integral, str)) for part in value)):
        raise InputProblem(f"{what} is {value!r}, expected {option.form}")
    return separator.join(part_text(what, option, part, place) for part in value)


def file_text(what, option, value, place):
    stem = option.name.replace("-", "_")
    if ".mtx" in option.form and not is_path(value):
        return place.store_matrix(stem, value, what)
    if ".npz" in option.form and isinstance(value, dict):
        return place.store_archive(stem, value, what)
    if "{YAML}" in option.form and isinstance(value, dict):
        return yaml_text(value, what)
    if "{YAML}" in option.form and isinstance(value, str) and value.lstrip().startswith("{"):
        return value.lstrip()
    if ".json" in option.form and isinstance(value, dict):
        return place.store_json(stem, value, what)
    if ".npy" in option.form and not is_path(value):
        return place.store(stem, value, what)
    if not is_path(value):
        raise InputProblem(f"{what} is {type(value).__name__}, expected {option.form}")
    return path_text(option.form, value)


def value_text(program, option, value, place):
    what = f"{program}: --{option.name}"
    unit = f" of {option.unit}" if option.unit else ""
    if isinstance(value, str):
        value = WORDS.get(option.name, {}).get(value, value)
    if option.type == "integer":
        return integer_text(what, value, unit)
    if option.type == "number":
        return number_text(what, value, unit)
    if option.type == "choice":
        return choice_text(what, value, option.choices)
    if option.type in ("file", "directory"):
        return file_text(what, option, value, place)
    if option.type == "time" and not isinstance(value, str) and value != 0:
        raise InputProblem(f"{what} is {value!r}, expected a time with its unit, like '10ns'")
    return text_of(what, option, value, place)


def named_options(table, given):
    """name of an option -> value, from Python names: dashes are underscores, and reserved words may end in one
    (class_). Refuses options that the program does not have, before anything runs."""
    found = {}
    for key, value in given.items():
        name = key.rstrip("_").replace("_", "-")
        if name in OWN:
            raise InputProblem(f"{table.program}: --{name} is not given from Python: {OWN[name]}")
        if name not in table.options:
            near = difflib.get_close_matches(name, table.options, 1)
            hint = f"did you mean '{near[0].replace('-', '_')}'?" if near else f"see tensorloom.options('{table.program}')"
            raise InputProblem(f"{table.program}: unknown option '{key}', {hint}")
        if name in found:
            raise InputProblem(f"{table.program}: --{name} is given twice")
        synonym = table.options[name].synonym
        if value is not None and found.get(synonym) is not None:
            raise InputProblem(f"{table.program}: --{synonym} and --{name} are both given, expected one of them")
        found[name] = value
    return found


def command_arguments(table, named, place):
    """The command line of named options. None omits an option; False overrides a configuration file and is otherwise
    like None."""
    arguments = []
    for name, value in named.items():
        option = table.options[name]
        if value is None:
            continue
        if option.type == "flag":
            if not isinstance(value, (bool, np.bool_)):
                raise InputProblem(f"{table.program}: --{name} is {value!r}, expected True or False")
            if value:
                arguments.append(f"--{name}")
            elif named.get("config") is not None:
                arguments.append(f"--{name}=false")
            continue
        for item in value if option.repeatable and isinstance(value, list) else [value]:
            text = value_text(table.program, option, item, place)
            if "\0" in text:
                raise InputProblem(f"{table.program}: --{name} is {text!r}, expected a text without NUL")
            try:
                os.fsencode(text)
            except UnicodeEncodeError:
                raise InputProblem(f"{table.program}: --{name} is {text!r}, expected a text without half of a surrogate pair") from None
            arguments.append(f"--{name}={text}")
    return arguments
