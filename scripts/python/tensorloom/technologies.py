"""Technology files and their bases, as far as a command needs them that writes another one."""
import hashlib
import os

from tensorloom.option_keys import map_of
from tensorloom.run_directory import InputProblem, open_text

NOMINAL = {"45nm": 0.9, "40nm": 0.9, "7nm": 0.7, "fetta-7nm": 0.7}  # those that ship with the project, with their nominal voltage
LARGEST = 1 << 20  # characters of a file


def map_in(path, called, most, expected):
    """The map in a YAML file of at most `most` characters, in which each key stands once."""
    try:
        with open_text(path) as file:
            text = file.read(most + 1)
    except OSError as error:
        raise InputProblem(f"{called} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputProblem(f"{called} is not UTF-8 text, expected YAML") from None
    if len(text) > most:
        raise InputProblem(f"{called} is larger than {most >> 20} MiB, expected {expected}")
    return map_of(text, path, each_key_once=True)


def chain_of(name):
    """(path, content) of a technology that is a file, then of its base, and so on; last the name of what is no file, or None."""
    files = {}
    while isinstance(name, str) and name not in NOMINAL and "\0" not in name and os.path.isfile(name):
        place = os.path.realpath(name)
        if place in [os.path.realpath(file) for file in files]:
            raise InputProblem(f"technology {name} is based on itself, expected a base that is another file")
        files[name] = map_in(name, f"technology {name}", LARGEST, "a YAML file of numbers")
        base = files[name].get("base")
        # relative to the file, but a technology that ships with the project has no path
        name = base if not isinstance(base, str) or base in NOMINAL else os.path.normpath(os.path.join(os.path.dirname(name), base))
    return files, name


def files_of(name):
    """The paths of a technology that is a file, and of its bases."""
    return list(chain_of(name)[0])


def nominal_voltage(name):
    """None if it cannot be known."""
    files, last = chain_of(name)
    for content in files.values():
        number = content.get("voltage")
        for key in ("nominal", "value"):
            number = number.get(key) if isinstance(number, dict) else None
        try:
            if isinstance(number, str):
                return float(number)
        except ValueError:
            return None
    return NOMINAL.get(last) if isinstance(last, str) else None


def has_changed(name, inputs):
    """Whether a file of a technology is not the one that a run has read; `inputs`: of its summary."""
    wanted = {entry["name"]: entry.get("sha256") for entry in (inputs if isinstance(inputs, list) else ())
              if isinstance(entry, dict) and entry.get("option") == "--technology" and isinstance(entry.get("name"), str)}
    for path in files_of(name):
        with open(path, "rb") as file:
            if path in wanted and wanted[path] != hashlib.sha256(file.read()).hexdigest():
                return True
    return False
