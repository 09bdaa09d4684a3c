#!/usr/bin/env python3
"""What the manifests of testbenches say is there, the tables of pages come from them, and a new testbench needs no other file."""
import copy
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import jsonschema

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "support"))
sys.path.insert(0, os.path.join(ROOT, "scripts", "python"))
from testbench_manifests import MANIFESTS, TEST_JOBS  # noqa: E402: found through the path above
from tensorloom.answers import FIELD, PART, RATIO  # noqa: E402
from tensorloom.schemas import load_schema  # noqa: E402

TABLES = "scripts/documentation/testbench_tables.py"
# Page -> the row of a testbench called example.
PAGES = {
    "README.md": r"^\| What .* \| \[example\]\(docs/example.md\) \|$",
    "docs/index.md": r"^\| \[example\]\(example.md\) \| an example \|$",
    "docs/python.md": r"^\| `example\(x\)` \(\[page\]\(example.md\)\) \| .* \|$",
    "docs/runs.md": r"^\| \[example\]\(example.md\) \| `example --shape .*` \|$",
}


def path_of(*parts):
    return os.path.join(ROOT, *parts)


def names_of(path):
    """The names and places of a path of tensorloom/answers.py, without conditions and counts."""
    parts = (part["dotted"] or part["name"] for part in PART.finditer(path))
    return tuple("0" if part.lstrip("-").isdigit() else part for part in parts if part and part != "#")


def paths_of(report):
    """Of all fields of the answers and the numbers."""
    for answer in report["answers"]:
        entry = () if isinstance(answer, str) else (*names_of(answer["each"]), "0")
        for field in FIELD.finditer(answer if isinstance(answer, str) else answer["text"]):
            yield from (entry + names_of(path) for path in field[1].split(RATIO))
    for field in report.get("numbers", {}).values():
        yield from (names_of(path) for path in field.partition(":")[0].split(RATIO))


def describes(schema, path):
    """Whether one of the alternatives of a schema has this path."""
    if not path:
        return True
    for one in (schema, *schema.get("oneOf", ()), *schema.get("anyOf", ())):
        within = [one.get("properties", {}).get(path[0]), one.get("items") if path[0] == "0" else None,
                  one.get("additionalProperties"), *one.get("patternProperties", {}).values()]
        if any(isinstance(part, dict) and describes(part, path[1:]) for part in within):
            return True
    return False


def text_of(*parts):
    with open(path_of(*parts), encoding="utf-8") as file:
        return file.read()


def devices_of(manifest):
    """By name; none where a testbench is for all."""
    return [] if manifest["devices"] == "all" else manifest["devices"]


class Manifests(unittest.TestCase):
    def setUp(self):
        schema = json.loads(text_of("docs/testbench.schema.json"))
        jsonschema.Draft201909Validator.check_schema(schema)
        self.validator = jsonschema.Draft201909Validator(schema)

    def test_are_what_the_schema_describes(self):
        for name, manifest in MANIFESTS.items():
            self.assertEqual([error.message for error in self.validator.iter_errors(manifest)], [], name)

    def test_of_other_keys_or_values_are_refused(self):
        for change in (lambda m: m.update(colour="red"), lambda m: m["summary"].update(column="x"), lambda m: m.pop("title"),
                       lambda m: m["python"].update(argument={}), lambda m: m["questions"][0].pop("paper"),
                       lambda m: m.update(programs=[]), lambda m: m.update(jobs=["shape 2x2x2"]),
                       lambda m: m["questions"][0].update(question="the cost of transforms"), lambda m: m.update(place="first")):
            manifest = copy.deepcopy(MANIFESTS["dxt"])
            change(manifest)
            self.assertFalse(self.validator.is_valid(manifest))

    def test_damaged_ones_are_told_in_one_line_and_leave_the_others(self):
        copy_of = tempfile.TemporaryDirectory()
        self.addCleanup(copy_of.cleanup)
        package, folder = os.path.join(copy_of.name, "python", "tensorloom"), os.path.join(copy_of.name, "testbenches")
        shutil.copytree(path_of("scripts", "python", "tensorloom"), package)
        for name, manifest in MANIFESTS.items():
            os.makedirs(os.path.join(folder, name))
        script = ("import tensorloom as tl\n"
                  "from tensorloom.manifests import manifest_of, manifests\n"
                  "try:\n    tl.orbital\nexcept AttributeError as error:\n    print(error)\n"
                  "try:\n    manifest_of('orbital')\nexcept tl.InputProblem as error:\n    print(error)\n"
                  "print(len(manifests()), tl.dxt.program)")
        for damage, words in ((lambda m: m.pop("place"), "found no place, expected int"),
                              (lambda m: m.update(python=3), "found int python, expected dict"),
                              (lambda m: m["python"].pop("doc"), "found no python.doc, expected list"),
                              (lambda m: m["python"].update(arguments={"x y": "input"}), "the argument 'x y'"),
                              (lambda m: m["python"].update(outputs=[{"name": "z"}]), "python.outputs without name or option"),
                              (lambda m: m.update(schema="tensorloom-testbench-2"), "expected an object with schema"),
                              (None, "Expecting value")):
            for name, manifest in MANIFESTS.items():
                told = copy.deepcopy(manifest)
                if name == "orbital" and damage:
                    damage(told)
                with open(os.path.join(folder, name, "testbench.json"), "w", encoding="utf-8") as file:
                    file.write("not JSON" if name == "orbital" and damage is None else json.dumps(told))
            done = subprocess.run([sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": os.path.dirname(package)},
                                  capture_output=True, text=True, check=True)
            attribute, problem, rest = done.stdout.splitlines()
            self.assertIn("orbital/testbench.json is not the manifest of a testbench: ", problem)
            self.assertIn(words, problem)
            self.assertTrue(attribute.endswith(problem), attribute)
            self.assertEqual(rest, f"{len(MANIFESTS) - 1} dxt")

    def test_every_folder_of_testbenches_has_one(self):
        folders = {entry.name for entry in os.scandir(path_of("testbenches")) if entry.is_dir()}
        self.assertEqual(folders - {"platform"}, set(MANIFESTS))
        self.assertEqual(set(TEST_JOBS), set(MANIFESTS))

    def test_what_they_name_is_there(self):
        places = {manifest["place"]: name for name, manifest in MANIFESTS.items()}
        self.assertEqual(len(places), len(MANIFESTS))
        for name, manifest in MANIFESTS.items():
            with self.subTest(name):
                self.assertTrue(text_of(manifest["page"]).startswith(f"# {name}"))
                declared = re.findall(r"^tensorloom_testbench\((\w+)", text_of("testbenches", name, "CMakeLists.txt"), re.M)
                self.assertEqual(declared, manifest["programs"])
                devices = devices_of(manifest)
                for question in manifest["questions"]:
                    self.assertLessEqual(set(question.get("devices", ())), set(devices))
                for device in devices:
                    self.assertTrue(os.path.exists(path_of("models", device, "device.h")), device)
                for path in (f"docs/{name}-summary.schema.json", f"tests/testbenches/{name}/CMakeLists.txt"):
                    self.assertTrue(os.path.exists(path_of(path)), path)
                pictures = {picture for run in TEST_JOBS[name]["runs"].values() for picture in run["pictures"]}
                self.assertLessEqual(pictures, set(manifest["pictures"]))

    def test_figures_of_their_findings_are_on_a_page(self):
        number = r"\b[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?(?: %| times| mm| steps)?"  # with its unit
        claims = text_of("docs/claims.md") + text_of("docs/reproduce.md")
        for name, manifest in MANIFESTS.items():
            for question in manifest["questions"]:
                told = set(re.findall(number, claims + text_of(manifest["page"])))
                with self.subTest(name, measured=question["measured"]):
                    self.assertEqual(sorted(set(re.findall(number, question["measured"])) - told), [])

    def test_fields_of_answers_are_in_a_schema_of_their_testbench(self):
        for name, manifest in MANIFESTS.items():
            schemas = [load_schema(os.path.basename(path)[:-len(".schema.json")])
                       for path in glob.glob(path_of("docs", f"{name}-*.schema.json"))]
            of_a_run = ("runs", "0") if manifest["summary"].get("cases") == "device_runs" else ()  # a device is a run of its own
            for path in paths_of(manifest["report"]):
                with self.subTest(name, path=path):
                    self.assertTrue(any(describes(schema, of_a_run + path) for schema in schemas))

    def test_jobs_of_tests_have_known_parts(self):
        for name, jobs in TEST_JOBS.items():
            self.assertLessEqual(set(jobs), {"runs", "command_lines", "without_trace", "own_platform", "replay"}, name)
            self.assertLessEqual(set(jobs["replay"]), {"jobs", "job_of", "not_drawn", "values"}, name)
            for job in (run["job"] for run in jobs["runs"].values()):
                self.assertTrue(job.startswith("--"), name)


class Tables(unittest.TestCase):
    """Of a tree of pages and manifests alone."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = scratch.name
        devices = {f"docs/{device}.md" for manifest in MANIFESTS.values() for device in devices_of(manifest)}
        for path in (TABLES, *PAGES, *devices, *glob.glob("testbenches/*/testbench.json", root_dir=ROOT)):
            os.makedirs(os.path.dirname(os.path.join(self.root, path)), exist_ok=True)
            shutil.copy(path_of(path), os.path.join(self.root, path))

    def tables(self, *arguments):
        return subprocess.run([sys.executable, os.path.join(self.root, TABLES), *arguments], capture_output=True, text=True,
                              check=False)

    def text(self, path):
        with open(os.path.join(self.root, path), encoding="utf-8") as file:
            return file.read()

    def write(self, path, text):
        os.makedirs(os.path.dirname(os.path.join(self.root, path)), exist_ok=True)
        with open(os.path.join(self.root, path), "w", encoding="utf-8") as file:
            file.write(text)

    def test_of_this_tree_are_up_to_date(self):
        done = self.tables("--check")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_out_of_date_are_named_and_kept_by_check_and_written_otherwise(self):
        for page in PAGES:
            kept = self.text(page)
            spoilt = re.sub(r"\n\|[^\n]*\n\n<!-- end of generated -->", "\n\n<!-- end of generated -->", kept)
            self.assertNotEqual(spoilt, kept)
            self.write(page, spoilt)
            check = self.tables("--check")
            self.assertEqual((check.returncode, check.stdout), (1, ""))
            self.assertIn(page, check.stderr)
            self.assertEqual(self.text(page), spoilt)
            self.assertEqual(self.tables().stdout, page + "\n")
            self.assertEqual(self.text(page), kept)

    def test_have_a_new_testbench_by_its_folder_alone(self):
        manifest = {**MANIFESTS["dxt"], "place": max(m["place"] for m in MANIFESTS.values()) + 1, "title": "an example",
                    "page": "docs/example.md", "programs": ["example"]}
        self.write("testbenches/example/testbench.json", json.dumps(manifest))
        self.assertEqual(self.tables().stdout.split(), list(PAGES))
        for page, row in PAGES.items():
            rows = re.findall(row, self.text(page), re.M)
            self.assertEqual(len(rows), 1, page)
            self.assertIn(rows[0] + "\n\n<!-- end of generated -->", self.text(page))  # the last one

    def test_of_what_cannot_be_are_refused_in_one_line(self):
        self.write("docs/index.md", "# Nothing\n")
        done = self.tables()
        self.assertEqual((done.returncode, done.stdout), (2, "README.md\n" if done.stdout else ""))
        self.assertRegex(done.stderr, r"\Atestbench_tables: docs/index.md has no section [^\n]+\n\Z")
        self.assertEqual(self.tables("--all").returncode, 2)
        self.write("testbenches/dxt/testbench.json", json.dumps({**MANIFESTS["dxt"], "devices": ["nothing"]}))
        self.assertRegex(self.tables().stderr, r"\Atestbench_tables: docs/nothing.md cannot be read: [^\n]+\n\Z")


if __name__ == "__main__":
    unittest.main()
