"""The manifests of the testbenches, testbenches/NAME/testbench.json (schema: docs/testbench.schema.json)."""
import functools
import glob
import json
import os

from tensorloom.places import folders_of
from tensorloom.run_directory import InputProblem

FILE = "testbench.json"
OWN = ("network_cost",)  # folders of this package with a run.json

# What this package reads of a manifest.
KINDS = {"place": int, "python": dict, "summary": dict, "pictures": dict, "report": dict}
PYTHON_KINDS = {"arguments": dict, "doc": list}


def check_kinds(part, kinds, within=""):
    for key, kind in kinds.items():
        if not isinstance(part.get(key), kind) or isinstance(part[key], bool):
            found = type(part[key]).__name__ if key in part else "no"
            raise ValueError(f"found {found} {within}{key}, expected {kind.__name__}")


def check_manifest(manifest):
    """ValueError: found .., expected .."""
    if not isinstance(manifest, dict) or manifest.get("schema") != "tensorloom-testbench-1":
        raise ValueError("found no schema of it, expected an object with schema tensorloom-testbench-1")
    check_kinds(manifest, KINDS)
    python = manifest["python"]
    check_kinds(python, PYTHON_KINDS, "python.")
    for name, option in python["arguments"].items():
        if not name.removeprefix("*").isidentifier() or not isinstance(option, str):
            raise ValueError(f"found the argument {name!r} in python.arguments, expected names of Python and of options")
    outputs = python.get("outputs", [])
    if not isinstance(outputs, list) or not all(isinstance(one, dict) and {"name", "option"} <= one.keys() for one in outputs):
        raise ValueError("found python.outputs without name or option, expected objects with both")


def read_manifests(folder):
    """Name -> manifest of every testbench below a folder, in the order of tables; name -> what is wrong with it."""
    found, wrong = {}, {}
    for path in glob.glob(os.path.join(glob.escape(folder), "*", FILE)):
        name = os.path.basename(os.path.dirname(path))
        try:
            if not name.isidentifier():
                raise ValueError(f"found a folder {name!r}, expected the name of a testbench")
            with open(path, encoding="utf-8") as file:
                manifest = json.load(file)
            check_manifest(manifest)
            found[name] = manifest
        except (OSError, ValueError, RecursionError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error).splitlines()[0] if str(error) else "nested too deeply"
            wrong[name] = f"{path} is not the manifest of a testbench: {why}"
    return dict(sorted(found.items(), key=lambda item: (item[1]["place"], item[0]))), wrong


@functools.lru_cache(maxsize=None)
def all_manifests():
    return next(filter(any, map(read_manifests, folders_of("testbenches"))), ({}, {}))


def manifests():
    """Name -> manifest; {} if the package was copied without them."""
    return all_manifests()[0]


def wrong_manifests():
    """Name -> what is wrong with the manifest of this testbench, in one line."""
    return all_manifests()[1]


def manifest_of(testbench):
    """{} for a testbench without a manifest: its runs can still be read."""
    if testbench in wrong_manifests():
        raise InputProblem(wrong_manifests()[testbench])
    return manifests().get(testbench) or manifest_of_package(testbench)


@functools.lru_cache(maxsize=None)
def manifest_of_package(name):
    """Of runs that this package itself makes of many others (network_cost): the same parts, beside their code."""
    if name not in OWN:
        return {}
    with open(os.path.join(os.path.dirname(os.path.realpath(__file__)), name, "run.json"), encoding="utf-8") as file:
        return json.load(file)


def summary_of(testbench):
    """The part of the manifest about summaries."""
    return manifest_of(testbench).get("summary", {})


def outputs_of(testbench):
    """Output -> its entry in the manifest: the arrays that a run writes; the first is the result of the run."""
    return {output["name"]: output for output in manifest_of(testbench).get("python", {}).get("outputs", ())}


def owner_of(picture):
    """The command lines of runs that have this picture: "segmented --theorems or tensor_unit --theorems"."""
    return " or ".join(f"{name} {manifest['pictures'][picture]}".rstrip() for name, manifest in manifests().items()
                       if picture in manifest["pictures"]) or "no testbench"
