"""The testbenches by their manifests (testbenches/NAME/testbench.json), and their jobs for tests of all of them
(tests/testbenches/NAME/jobs.json)."""
import glob
import json
import os

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def read_all(folder, name):
    """Folder -> content of its file of this name, in alphabetical order."""
    found = {}
    for path in sorted(glob.glob(os.path.join(glob.escape(ROOT), folder, "*", name))):
        with open(path, encoding="utf-8") as file:
            found[os.path.basename(os.path.dirname(path))] = json.load(file)
    assert found, folder
    return found


MANIFESTS = read_all("testbenches", "testbench.json")
# runs           name of a run -> its job, and its pictures of those in the manifest
# command_lines  jobs that random options are added to
# without_trace  jobs that refuse --address-trace, and what the refusal names
# own_platform   true: the memory and the DMA are those of a preset, and options that describe others are refused
# replay         jobs in which `5?` stands for a number from 1 to 5, jobs of options that stand with other words only
#                (options -> job), options that are not drawn, and values of options where they are other ones than of
#                other testbenches
TEST_JOBS = read_all("tests/testbenches", "jobs.json")

QUICK_JOBS = {name: manifest["jobs"][0] for name, manifest in MANIFESTS.items()}
SIMULATED = [name for name, manifest in MANIFESTS.items() if manifest["simulates"]]
WITH_TOTALS = [name for name, manifest in MANIFESTS.items() if manifest["summary"]["totals"]]
ON_FETTA = [name for name, manifest in MANIFESTS.items() if manifest["devices"] == ["fetta"]]


def result_option(name):
    """The option for the first array that a run writes, or None."""
    outputs = MANIFESTS[name]["python"].get("outputs")
    return f"--{outputs[0]['option']}" if outputs else None
