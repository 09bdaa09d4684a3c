"""summary.json and the tables of a testbench: the checks that are the same for every testbench."""
import json
import math
import os

import jsonschema
from tensorloom.schemas import load_schema

from testbench_program import load_json


def described_objects(schema, path=""):
    """The parts of a JSON schema that describe objects, each with its path."""
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield path, schema
        for key, value in schema.items():
            yield from described_objects(value, path + "/" + key)
    elif isinstance(schema, list):
        for index, value in enumerate(schema):
            yield from described_objects(value, f"{path}/{index}")


def expect_closed_schema(test, schema, open_objects):
    """It is a JSON schema, and names every field of its objects, except of those whose path ends in `open_objects`."""
    jsonschema.Draft201909Validator.check_schema(schema)
    for path, node in described_objects(schema):
        test.assertEqual(node["additionalProperties"] is not False, path.endswith(open_objects), path)


class SummarySchema:
    """Beside a TestbenchTest: what the schema in docs/ describes, and that it describes every run.

    `small_job`: options of a quick run; `spoils`: changes to its summary besides those of every testbench after which
    it does not meet the schema; `open_objects`: ends of the paths of objects whose names the schema does not give.
    """

    small_job = ""
    spoils = ()
    open_objects = ("/energy_pJ", "/options", "/area_um2", "/area_by_pitch_um2")

    @classmethod
    def schema(cls):
        return load_schema(f"{cls.program}-summary")

    def every_kind(self):
        """Command lines for every kind of run; all pass their check."""
        return (self.small_job,)

    def is_open(self, path, _node):
        return path.endswith((*self.open_objects, "/options_given", "/energy_by_second_source_pJ/oneOf/1", "/savings",
                              "/bus"))

    def meets(self, line):
        found = self.summary(line)
        jsonschema.Draft201909Validator(self.schema()).validate(found)
        return found

    def test_is_a_schema(self):
        jsonschema.Draft201909Validator.check_schema(self.schema())

    def test_leaves_no_object_open(self):
        for path, node in described_objects(self.schema()):
            self.assertEqual(node["additionalProperties"] is not False, self.is_open(path, node), path)

    def test_an_unknown_missing_or_wrong_field_does_not_meet_it(self):
        good, schema = self.meets(self.small_job), self.schema()
        for index, spoil in enumerate((
                lambda s: s.update(extra=1), lambda s: s.pop("cycles"), lambda s: s.update(cycles=-1),
                lambda s: s["check"].update(extra=1), lambda s: s["check"].pop("passed"),
                lambda s: s["configuration"].update(extra=1), lambda s: s["energy_pJ"].pop("total"),
                lambda s: s["cycles_by_cause"].update(luck=1), lambda s: s["simulation"].update(wall_s=None),
                lambda s: s.update(utilisation=1.5), *self.spoils)):
            bad = json.loads(json.dumps(good))
            spoil(bad)
            self.assertFalse(jsonschema.Draft201909Validator(schema).is_valid(bad), index)

    def test_every_kind_of_run_meets_it(self):
        for line in self.every_kind():
            with self.subTest(line=line):
                self.assertIs(self.meets(line)["check"]["passed"], None if "--no-check" in line else True)

    def test_no_check(self):
        found = self.meets(f"{self.small_job} --no-check")
        self.assertEqual(set(found["check"].values()), {None})
        self.assertIn("not done", self.succeeds(f"{self.small_job} --no-check").out)


class DeviceSummarySchema(SummarySchema):
    """Schema of a run on a device."""

    def test_utilisation_is_end_to_end_and_what_binds_saves_most(self):
        found = self.meets(self.small_job)
        self.assertLessEqual(found["utilisation"], found["utilisation_working"])
        bound = found["bound_by"]
        single = dict(bound["savings"])
        transfers = single.pop("transfers")  # as a whole only if that saves much more than any one of their parts
        self.assertGreater(bound["savings"][bound["resource"]], 0)
        self.assertEqual(bound["resource"], "transfers" if transfers > 2 * max(single.values()) else max(single, key=single.get))
        self.assertLessEqual(found["utilisation"], bound["utilisation_ceiling"])
        self.assertLessEqual(bound["bus_bytes_per_cycle"], bound["peak_bus_bytes_per_cycle"] * (1 + 1e-12))
        self.assertAlmostEqual(sum(bound["bus"].values()), 1, delta=1e-12)


class SummaryContent:
    """Beside a TestbenchTest: `lines_of_both_fidelities` give the same summaries in both."""

    lines_of_both_fidelities = ()

    def assert_sums(self, found):
        """Cycles of causes, energies of components, and time at 1 GHz."""
        self.assertEqual(sum(found["cycles_by_cause"].values()), found["cycles"])
        self.assertEqual(found["simulated_time_ns"], found["cycles"])
        self.assert_total(found["energy_pJ"])

    def assert_total(self, parts):
        parts = dict(parts)
        total = parts.pop("total")
        self.assertAlmostEqual(math.fsum(parts.values()), total, delta=1e-12 * total)

    def test_fidelities_agree(self):
        for line in self.lines_of_both_fidelities:
            fast, detailed = (self.summary(f"{line} --fidelity {fidelity}") for fidelity in ("fast", "detailed"))
            for found in (fast, detailed):
                found.pop("simulation")
                found["configuration"].pop("fidelity")
                found["configuration"]["options"].pop("fidelity")
                found["configuration"]["options_given"].pop("fidelity")
            self.assertEqual(fast, detailed, line)


class RtlTables:
    """Beside a TestbenchTest: runs in the fidelity rtl write what those in detailed write, byte for byte, apart from the
    speed of the simulation."""

    lines_of_rtl = ()

    def is_built(self):
        return "scripts/setup --rtl" not in self.run_program("--fidelity rtl --dry-run").err

    def test_rtl_is_detailed(self):
        if not self.is_built():
            self.skipTest("no Verilator: scripts/setup --rtl installs it")
        for line in self.lines_of_rtl:
            detailed, rtl = (self.summary(f"{line} --fidelity {fidelity}", fidelity) for fidelity in ("detailed", "rtl"))
            for found in (detailed, rtl):
                found.pop("simulation")
                found["configuration"].pop("fidelity")
                for options in ("options", "options_given"):
                    found["configuration"][options].pop("fidelity")
                    found["configuration"][options].pop("out")
            self.assertEqual(detailed, rtl, line)
            tables = sorted(os.listdir(self.path("detailed")))
            self.assertEqual(tables, sorted(os.listdir(self.path("rtl"))))
            for table in tables:
                if table != "summary.json":
                    self.assertTrue(self.read_bytes(f"detailed/{table}") == self.read_bytes(f"rtl/{table}"), f"{line}: {table}")


class SummaryTables:
    """Beside a TestbenchTest: a row and a job per program; the first of `lines_of_tables` takes several programs."""

    lines_of_tables = ()

    def test_rows_sum_to_the_summary(self):
        for line in self.lines_of_tables:
            found = self.summary(line)
            self.assertGreater(found["programs"], 1 if line == self.lines_of_tables[0] else 0, line)
            latency, energy = self.rows("files/latency.csv"), self.rows("files/energy.csv")
            self.assertEqual({row["run"] for row in latency}, {str(i) for i in range(found["programs"])})
            self.assertEqual(sum(int(row["cycles"]) for row in latency), found["cycles"])
            for event, count in found["events"].items():
                self.assertEqual(sum(int(row[event]) for row in latency), count, event)
            for component, pj in found["energy_pJ"].items():
                total = math.fsum(float(row[component + "_pJ"]) for row in energy)
                self.assertAlmostEqual(total, pj, delta=1e-11 * found["energy_pJ"]["total"])
            slices = [event["name"] for event in load_json(self.path("files/trace.json"))["traceEvents"]
                      if event["ph"] == "B" and event["name"].startswith("job")]
            jobs = list(dict.fromkeys((row["run"], row["job"]) for row in latency))
            self.assertEqual(list(dict.fromkeys((row["run"], row["job"]) for row in energy)), jobs)
            self.assertEqual(slices, [f"job {run}: {job}" if len(jobs) > 1 else f"job {job}" for run, job in jobs])
            self.assertIn(jobs[0][1], self.job_of(found))

    def job_of(self, found):
        """The job as a summary describes it."""
        return str(found["configuration"])

    def test_six_files_and_nothing_else(self):
        self.summary(self.lines_of_tables[0])
        self.assertEqual(sorted(os.listdir(self.path("files"))),
                         ["banks.csv", "energy.csv", "events.csv", "latency.csv", "summary.json", "trace.json"])

    def test_banks_sum_to_the_summary_in_both_fidelities(self):
        """Without overlap every conflict cycle is one of the program."""
        for line, waits in self.lines_of_banks:
            found = self.summary(line)
            rows = self.rows("files/banks.csv")
            self.assertEqual(list(rows[0]), ["memory", "bank", "accesses", "conflict_cycles"])
            for memory in {row["memory"] for row in rows}:
                numbers = [int(row["bank"]) for row in rows if row["memory"] == memory]
                self.assertEqual(numbers, list(range(len(numbers))))
            conflicts = sum(int(row["conflict_cycles"]) for row in rows)
            self.assertEqual(conflicts, found["cycles_by_cause"].get("conflict", 0), line)
            self.assertEqual(conflicts > 0, waits, line)
            self.check_accesses(found, rows)
            self.summary(f"{line} --fidelity detailed")
            self.assertEqual(self.rows("files/banks.csv"), rows, line)

    lines_of_banks = ()  # and whether conflicts occur

    def check_accesses(self, found, rows):
        """Compares accesses of banks with events."""


class ChecksOfEachRun:
    """Beside a TestbenchTest: each of `runs`, once, and each of the class's check_* of it, with its summary."""

    runs = ()

    def trace_events(self):
        return load_json(self.path("files/trace.json"))["traceEvents"]

    def test_each_run(self):
        checks = [name for name in dir(self) if name.startswith("check_")]
        self.assertTrue(checks)
        for line in self.runs:
            found = self.summary(line)
            for name in checks:
                with self.subTest(line=line, check=name):
                    getattr(self, name)(found)
