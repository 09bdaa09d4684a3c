"""The manifests of the testbenches, testbenches/NAME/testbench.json (schema: docs/testbench.schema.json)."""
import functools
import glob
import json
import os

# From this package: in an installation, then in the tree.
FOLDERS = ("../../testbenches", "../../../testbenches")
FILE = "testbench.json"


def read_manifests(folder):
    """Name -> manifest of every testbench below a folder, in the order of tables."""
    found = {}
    for path in glob.glob(os.path.join(glob.escape(folder), "*", FILE)):
        with open(path, encoding="utf-8") as file:
            found[os.path.basename(os.path.dirname(path))] = json.load(file)
    return dict(sorted(found.items(), key=lambda item: (item[1]["place"], item[0])))


@functools.lru_cache(maxsize=None)
def manifests():
    """Name -> manifest; {} if the package was copied without them."""
    here = os.path.dirname(os.path.realpath(__file__))
    return next(filter(None, (read_manifests(os.path.normpath(os.path.join(here, folder))) for folder in FOLDERS)), {})


def manifest_of(testbench):
    """{} for a testbench without a manifest: its runs can still be read."""
    return manifests().get(testbench, {})


def summary_of(testbench):
    """The part of the manifest about summaries."""
    return manifest_of(testbench).get("summary", {})


def outputs_of(testbench):
    """Output -> its entry in the manifest: the arrays that a run writes; the first is the result of the run."""
    return {output["name"]: output for output in manifest_of(testbench).get("python", {}).get("outputs", ())}


def owner_of(picture):
    """The command line of runs that have this picture of one testbench: "tensor_unit --theorems"."""
    return next((f"{name} {manifest['pictures'][picture]}".rstrip() for name, manifest in manifests().items()
                 if picture in manifest["pictures"]), "no testbench")
