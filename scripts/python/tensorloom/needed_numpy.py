"""The error message of an interpreter without numpy. Everything else of the package needs numpy; this file does not."""
import glob
import importlib.util
import os
import subprocess
import sys

CANDIDATES = ("/usr/bin/python3", "/usr/local/bin/python3")
PATIENCE_S = 10


class NumpyMissing(ImportError):
    """One line with the interpreter that has no numpy and one that has; not caught, it ends Python with status 2."""


def has_numpy(interpreter):
    try:
        return subprocess.run([interpreter, "-c", "import numpy"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=PATIENCE_S, check=False).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


def interpreter_with_numpy():
    """The path of a Python with numpy on this machine; None if none was found."""
    in_path = [os.path.join(folder, "python3") for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    known = [path for path in (*CANDIDATES, *in_path, *sorted(glob.glob("/usr/bin/python3.[0-9]*")))
             if os.access(path, os.X_OK) and os.path.realpath(path) != os.path.realpath(sys.executable)]
    return next(filter(has_numpy, dict.fromkeys(known)), None)


def show_in_one_line(kind, error, trace):
    """sys.excepthook until Python ends: only NumpyMissing is shown differently."""
    if not isinstance(error, NumpyMissing):
        sys.__excepthook__(kind, error, trace)
        return
    print(f"tensorloom: {error}", file=sys.stderr)
    raise SystemExit(2)


def require_numpy():
    if importlib.util.find_spec("numpy"):
        return
    other = interpreter_with_numpy()
    sys.excepthook = show_in_one_line
    raise NumpyMissing(f"{sys.executable} has no numpy, expected an interpreter that has: "
                       f"{other or 'install python3-numpy and use /usr/bin/python3'}")
