"""Mutated summaries of real runs. The tables here say what must be refused; they are not taken from the schemas."""
import copy
import json
import os
import re
import subprocess
import sys
import warnings

import jsonschema
from tensorloom.schemas import load_schema, read_schema

from testbench_program import SOURCE, TestbenchTest, load_json

# A quick run of each kind, by the schema of its summary.
RUNS = {
    "compare_accelerators-summary": "compare_accelerators --workloads atis-tt --accelerators tpu --sweep conflicts",
    "compare_measured-summary": "compare_measured --only 4x256x256",
    "compare_devices-summary": "compare_devices --shape 6x5x7 --out-shape 4x8x3",
    "contract-summary": "contract --sizes i=6,j=9,k=5",
    "contraction_search-summary": "contraction_search --layer ucf-ttm",
    "dxt-summary": "dxt --shape 5x6x7 --mesh 2x3x4 --keep 0.5",
    "orbital-class": "orbital --class all --shape 8x7x6 --grid 2",
    "orbital-summary": "orbital --shape 4x5x6",
    "segmented-comparison": "segmented --operation segmented-scan --compare --length 40",
    "segmented-theorems": "segmented --theorems",
    "segmented-summary": "segmented --operation scan --length 40 --s 4",
    "soc-summary": "soc --large 9x8x7 --small 4x5x6 --small-runs 2 --arbitration weighted --share large.dma=50",
    "tensor_unit-summary": "tensor_unit --size 10 --m 16",
    "tensor_unit-theorems": "tensor_unit --theorems",
    "tnn_step-summary": "tnn_step --format ttm --rows 4x4 --cols 4x6 --ranks 3 --batch 12",
    "tnn_training-summary": "tnn_training --model digits-ttm --epochs 1",
    "tucker-summary": "tucker --shape 4x5x6 --ranks 2x2x2 --method hooi",
}
# Objects whose names depend on the run: names may be added and dropped.
KEYED_BY_RUN = {"options", "options_given", "energy_pJ", "energy_by_second_source_pJ", "area_um2", "area_by_pitch_um2",
                "bus", "instructions", "savings", "sizes", "layouts", "settings", "steady_power", "strategies"}
# Fields that a summary may lack: a sweep of orbital has no area, tnn_step has the phases that were asked for.
OPTIONAL = {
    "orbital-summary": {"area_um2", "area_range_um2", "energy_range_pJ", "fastest_clock_GHz", "overclocked", "area_estimated", "area_synthesized", "area_by_pitch_um2", "footprint_um2", "power_mW",
                        "power_density_W_per_mm2", "leakage_sensitivity_pJ", "warnings"},
    "tnn_step-summary": {"phases/bp", "phases/wg", "phases/update"},
    "tnn_training-summary": {"check/elements", "check/failure", "check/same_bits", "configuration/optimizer/momentum"},
}
SIGNED = {"error", "fit", "rate"}  # numbers that may be negative
# Values that a field cannot have: of a configuration, and of all other objects.
WRONG_SETTINGS = {
    "fidelity": "gates", "overlap_runs": True, "dma_width_bits": 33, "burst_bytes": 3, "clock_period_ps": 0,
    "leakage": 101, "memory": "", "memory_ports": 65, "memory_latency_cycles": 0.5, "outstanding": 0, "seed": 0.5,
    "shape": [2], "out_shape": [2], "mesh": [2, 2], "order": [1, 2, 2], "engines": 5, "psum": "f64", "bank_broadcast": "maybe",
    "sparsity": "some", "line_extent": "half", "vertical_mode": 4, "lanes": 0, "word_bits": 0, "grid": 65,
}
WRONG_VALUES = {
    "schema": "tensorloom-none-1", "testbench": "none", "version": "2", "commit": "not a commit", "sha256": "0",
    "cycles": 0.5, "macs": 0.5, "steps": 0.5, "peak_rss_bytes": 0.5, "utilisation": 1.5, "utilisation_working": 1.5,
    "energy_estimated": [1], "warnings": [1],
}
# Changes after which a summary still meets its schema.
ACCEPTED = {
    "commit": lambda s: s.update(commit=None),
    "component": lambda s: s["energy_pJ"].update(another=0.5),
    "option": lambda s: s["configuration"]["options"].update(another="x"),
    "options of a list": lambda s: s["configuration"]["options_given"].update(watch=["1,2,3"]),
    "estimates": lambda s: s.update(energy_estimated=[]),
    "nothing binds": lambda s: s["bound_by"].update(resource=None),
    "not checked": lambda s: s.update(check=dict.fromkeys(("passed", "max_abs_error", "max_rel_error", "reference"))),
}
WITH_ALL_FIELDS = "dxt-summary", "contract-summary", "segmented-summary", "tucker-summary"  # that ACCEPTED changes


def places(node, path=()):
    """(path, value) of every part of a document; of a list, of the first item."""
    yield path, node
    parts = node.items() if isinstance(node, dict) else enumerate(node[:1]) if isinstance(node, list) else ()
    for key, part in parts:
        yield from places(part, (*path, key))


def changed(document, path, change):
    """A copy after `change(holder, key)`, where the holder is the object or list that has the part."""
    document = copy.deepcopy(document)
    holder = document
    for key in path[:-1]:
        holder = holder[key]
    change(holder, path[-1])
    return document


def put(value):
    return lambda holder, key: holder.__setitem__(key, copy.deepcopy(value))


def without(holder, key):
    del holder[key]


def with_another(holder, key):
    holder[key]["another"] = 1


def with_another_item(holder, key):
    holder[key].append({})


def changes_of(path, value, optional):
    """(name, change) of every change of this part that must be refused."""
    name, holder = path[-1], path[-2] if len(path) > 1 else None
    keyed = holder in KEYED_BY_RUN
    if isinstance(name, str) and not keyed and holder != "cycles_by_cause" and "/".join(map(str, path)) not in optional:
        yield "dropped", without
    if keyed and name == "total":
        yield "dropped", without
    if isinstance(value, dict):
        if name not in KEYED_BY_RUN:
            yield "another field", with_another
    elif isinstance(value, list):
        yield "another item", with_another_item
    elif value is not None:
        yield "object", put({})
        yield "list", put([])
        yield "other type", put("on" if isinstance(value, (bool, int, float)) else 1)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and name not in SIGNED:
            yield "negative", put(-1)
    wrong_values = WRONG_SETTINGS if holder == "configuration" else WRONG_VALUES
    if value is not None and name in wrong_values and not keyed:
        yield "wrong value", put(wrong_values[name])


def validator_of_references(name):
    """Validates with the file as it is, as other programs do: its references may lead to the shared file alone."""
    schema, shared = read_schema(f"{name}.schema.json"), read_schema("shared.schema.json")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # from jsonschema 4.18 on
        resolver = jsonschema.RefResolver(schema["$id"], schema, store={shared["$id"]: shared},
                                          handlers=dict.fromkeys(("", "file", "http", "https"), not_beside_it))
        return jsonschema.Draft201909Validator(schema, resolver=resolver)


def not_beside_it(address):
    raise AssertionError(f"a reference leads to {address}")


def shortened(document, validator):
    """Reduces lists of objects to their first item, where the document stays valid."""
    for path, value in list(places(document)):
        if isinstance(value, list) and len(value) > 1 and isinstance(value[0], dict):
            rest, value[1:] = value[1:], []
            if not validator.is_valid(document):
                value.extend(rest)
    return document


class Schemas(TestbenchTest):
    program = "testbenches"

    def summary_of(self, name):
        program, line = RUNS[name].split(" ", 1)
        self.succeeds(f"{line} --quiet --out files", program=program)
        return load_json(self.path("files/summary.json"))

    def test_there_is_a_run_for_every_schema_of_a_summary(self):
        ending = ".schema.json"
        files = os.listdir(os.path.join(SOURCE, "docs"))
        names = {name.removesuffix(ending) for name in files if name.endswith(ending)}
        others = {"network_cost-summary"}  # of runs from Python: tests/scripts/network_cost_test.py
        self.assertEqual(names, {*RUNS, *others, "options", "shared", "testbench"})

    def test_what_must_be_refused_is_refused(self):
        """By the loaded schema; every 20th change also by the file with its references, which takes longer."""
        for name in RUNS:
            with self.subTest(name=name):
                loaded, referring = jsonschema.Draft201909Validator(load_schema(name)), validator_of_references(name)
                document = shortened(self.summary_of(name), loaded)
                loaded.validate(document)
                referring.validate(document)
                for validator in (loaded, referring):
                    self.assertFalse(validator.is_valid({**document, "another": 1}))
                optional, count = OPTIONAL.get(name, ()), 0
                for path, value in places(document):
                    if not path or "settings" in path[:-1]:
                        continue
                    for what, change in changes_of(path, value, optional):
                        count += 1
                        wrong = changed(document, path, change)
                        self.assertFalse(loaded.is_valid(wrong), f"{path}: {what}")
                        if count % 20 == 0:
                            self.assertFalse(referring.is_valid(wrong), f"{path}: {what}")
                self.assertGreater(count, 150)

    def test_what_is_right_is_accepted(self):
        for name in WITH_ALL_FIELDS:
            document = self.summary_of(name)
            for what, change in ACCEPTED.items():
                good = copy.deepcopy(document)
                change(good)
                jsonschema.Draft201909Validator(load_schema(name)).validate(good)
                validator_of_references(name).validate(good)
                self.assertNotEqual(good, document, what)

    def test_page_validates(self):
        """docs/runs.md: its Python code and its command accept the summary and refuse negative cycles."""
        with open(os.path.join(SOURCE, "docs", "runs.md"), encoding="utf-8") as file:
            section = file.read().split("\n## Validating a summary\n")[1].split("\n## ")[0]
        code = re.search(r"```python\n(.*?)```", section, re.S)[1]
        command = re.search(r"^    python3 -m (jsonschema .*)$", section, re.M)[1]
        document = self.summary_of("dxt-summary")
        os.symlink(os.path.join(SOURCE, "docs"), self.path("docs"))
        os.mkdir(self.path("first"))
        for cycles, status in ((document["cycles"], 0), (-1, 1)):
            with open(self.path("first/summary.json"), "w", encoding="utf-8") as file:
                json.dump({**document, "cycles": cycles}, file)
            for line in ([sys.executable, "-c", code], ["sh", "-c", f'"{sys.executable}" -m {command}']):
                done = subprocess.run(line, cwd=self.directory, capture_output=True, check=False)
                self.assertEqual(done.returncode, status, f"{line} {done.stderr}")
