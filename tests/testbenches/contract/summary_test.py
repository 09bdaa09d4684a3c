"""summary.json and the tables: their schema, and that they tell what happened."""
import numpy as np

from contract_program import CAUSES, LAYOUTS, MAPPINGS, ContractTest
from testbench_summary import SummaryContent, DeviceSummarySchema, SummaryTables

SMALL = "--sizes i=20,j=24,k=12"

# FETTA, Table III: mW at 1 GHz. Its printed total omits the last.
TABLE = {"engines": 58.22, "distribution_network": 1.37, "reduction_network": 4.88, "unified_memory": 22.34,
         "accumulation_unit": 7.33, "vector_unit": 8.45, "others": 2.70}
AREA = {"engines": 26685.70, "distribution_network": 1283.16, "reduction_network": 7756.40, "unified_memory": 113942.40,
        "accumulation_unit": 25820.96, "vector_unit": 13904.87, "others": 2461.57}


def stationary_cycles(tiles, steps):
    """Spec 5.2: 16 engines of 4 x 4."""
    return (tiles - 1) * max(steps, 4) + steps + 4 + 0 + 3 + 4 + 1


def output_stationary_cycles(tiles, steps):
    return (tiles - 1) * max(steps, 4) + steps + 3 + 0 + 4 + 4 + 1


class Schema(DeviceSummarySchema, ContractTest):
    small_job = SMALL
    open_objects = ("/energy_pJ", "/options", "/steady_power", "/sizes", "/area_um2", "/area_by_pitch_um2")
    spoils = (lambda s: s["plan"].pop("tcu_cycles"), lambda s: s["memory"].update(extra=1),
              lambda s: s["events"].pop("mac"), lambda s: s["steady_power"]["engines"].pop("share"))

    def every_kind(self):
        self.save("a.npy", np.ones((3, 5)))
        self.save("b.npy", np.ones((5, 4)))
        self.save_text("p.asm", "halt\n")
        lines = [f"{SMALL} --layout {layout}" for layout in LAYOUTS] + [f"{SMALL} --mapping {m}" for m in MAPPINGS]
        lines += ["--einsum 'i,i->' --sizes i=9", "--input a.npy,b.npy", f"{SMALL} --memory sram --no-overlap",
                  f"{SMALL} --fidelity detailed --technology 45nm --clock 0.7 --allow-overclock --vcd wave", f"{SMALL} --psum bf16 --store bf16",
                  f"{SMALL} --engines 4 --side 8 --bank-bytes 65536 --leakage 2 --distributed 128 --memory-rows 32",
                  f"{SMALL} --operand f32", f"{SMALL} --objective edp --flatten contiguous --split 1,2,4,2"]
        return lines



class Content(SummaryContent, ContractTest):
    lines_of_both_fidelities = (SMALL, f"{SMALL} --layout conflicted --psum bf16 --mapping os-1",
                                f"{SMALL} --layout conflicted --mapping os-2 --mac-latency 3", f"{SMALL} --mapping is-h --mac-latency 7",
                                f"--einsum 'ij,jk->ki' {SMALL} --layout offchip")

    def test_configuration_is_that_of_the_run(self):
        found = self.summary("--einsum 'bij,jk->bik' --sizes b=2,i=5,j=6,k=7 --mapping os-2 --layout conflicted --reordering vector --flatten contiguous "
                             "--objective edp --store bf16 --operand bf16 --psum bf16 --engines 4 --side 8 --bank-bytes 65536 "
                             "--accumulator-bytes 4096 --buffer-cycles 3 --mac-latency 5 --lanes 16 --program-prefetch 4096 --no-overlap --outstanding 3 --overlap-runs off --dma-width 128 --distributed 128 --memory-rows 32 "
                             "--table-psum bf16 --padding-share 0.5 --leakage 2 --fidelity detailed --technology 45nm "
                             "--clock 0.5 --allow-overclock --burst 64 --seed 77")["configuration"]
        options = found.pop("options")
        self.assertEqual(found.pop("options_given")["seed"], "77")
        self.assertIn("--technology", [entry["option"] for entry in found.pop("inputs")])
        self.assertEqual(found, {
            "einsum": "bij,jk->bik", "sizes": {"b": 2, "i": 5, "j": 6, "k": 7}, "source": "random", "program": None,
            "layout": "conflicted", "reordering": "vector", "flatten": "contiguous", "objective": "edp", "store": "bf16", "operand": "bf16",
            "psum": "bf16", "engines": 4, "side": 8, "bank_bytes": 65536, "accumulator_bank_bytes": 4096, "buffer_cycles": 3, "mac_latency": 5, "lanes": 16,
            "overlap": False, "bank_broadcast": "on", "program_prefetch": 4096,
            "memory": "lpddr4-3200", "memory_bandwidth_GB_per_s": 25.6, "memory_latency_cycles": None, "memory_ports": None,
            "dma_width_bits": 128, "outstanding": 3, "overlap_runs": "off", "distributed_elements": 128, "memory_rows": 32,
            "table_psum": "bf16", "padding_share": 0.5, "fidelity": "detailed", "technology": "45nm", "leakage": 2,
            "voltage_V": None, "clock_period_ps": 2000, "burst_bytes": 64, "seed": 77})
        self.assertEqual((options["mapping"], options["no-overlap"]), ("os-2", "true"))

    def test_everything_sums(self):
        for line in [f"{SMALL} --layout {layout}{more}" for layout in LAYOUTS for more in ("", " --no-overlap")] + [
                "--einsum 'abc,cd->abd' --sizes a=5,b=6,c=70,d=9 --bank-bytes 4096 --accumulator-bytes 1024",
                "--sizes i=200,j=150,k=90 --memory sram"]:
            with self.subTest(line=line):
                found = self.summary(line)
                by_cause = found["cycles_by_cause"]
                self.assert_sums(found)
                self.assert_total(found["area_um2"])
                self.assertLessEqual(set(CAUSES), set(by_cause))
                self.assertEqual(found["memory"]["cycles"], sum(by_cause[c] for c in ("load", "store", "fetch", "wait")))
                events = found["events"]
                self.assertEqual(found["tcu_cycles"], sum(events[f"{c}_cycle"] for c in ("compute", "fill", "reload", "psum", "conflict")))
                self.assertEqual(found["macs"], found["result"]["macs"])
                self.assertAlmostEqual(found["utilisation"], found["macs"] / found["cycles"] / 256)
                self.assertAlmostEqual(found["utilisation_working"], found["macs"] / found["tcu_cycles"] / 256)

    def test_without_overlap_causes_are_what_the_engines_count(self):
        for mapping in MAPPINGS:
            for layout in ("ideal", "conflicted"):
                found = self.summary(f"{SMALL} --mapping {mapping} --layout {layout} --no-overlap")
                for cause in ("compute", "fill", "reload", "conflict", "psum"):
                    self.assertEqual(found["cycles_by_cause"][cause], found["events"][f"{cause}_cycle"], (mapping, cause))

    def test_engines_work_as_long_as_the_formula_says(self):
        for mapping in MAPPINGS:
            for layout in ("ideal", "offchip"):
                found = self.summary(f"{SMALL} --mapping {mapping} --layout {layout} --no-overlap --split 1,2,2,4")
                ia, ib = (20, 12) if mapping in ("ws-v", "ws-h", "os-1") else (12, 20)
                up = lambda x, y: -(-x // y)
                if mapping.startswith("os"):
                    expected = output_stationary_cycles(up(ia, 8) * up(ib, 16), up(24, 2))
                else:
                    expected = stationary_cycles(up(24, 8) * up(ib, 16), up(ia, 2))
                self.assertEqual((found["tcu_cycles"], found["plan"]["tcu_cycles"]), (expected, expected), mapping)

    def test_conflicts_come_with_linear_operands_alone(self):
        for layout in LAYOUTS:
            found = self.summary(f"--einsum 'bik,kj->bij' --sizes b=3,i=20,k=37,j=18 --layout {layout}")
            self.assertEqual(found["events"]["conflict_cycle"] > 0, layout == "conflicted", layout)
            self.assertEqual(found["tcu_cycles"] - found["events"]["conflict_cycle"], found["plan"]["tcu_cycles"])

    def test_reordering_is_told_apart(self):
        ideal, offchip = (self.summary(f"--einsum 'ij,jk->ki' {SMALL} --layout {layout}") for layout in ("ideal", "offchip"))
        self.assertEqual(set(ideal["memory"]["reordering"].values()), {0})
        reordering = offchip["memory"]["reordering"]
        self.assertGreaterEqual(reordering["read_bytes"], 2 * min(20 * 24, 24 * 12))
        self.assertGreater(reordering["cycles"], 0)
        self.assertLess(reordering["cycles"], offchip["cycles"])
        self.assertLess(reordering["read_bytes"], offchip["memory"]["read_bytes"])
        self.assertIn("\n    reordering ", self.succeeds(f"--einsum 'ij,jk->ki' {SMALL} --layout offchip").out)

    def test_traffic_is_operands_result_and_programs(self):
        found = self.summary("--sizes i=64,j=64,k=64")["memory"]
        self.assertEqual(found["read_bytes"], 2 * 2 * 64 * 64 + found["program_bytes"])
        self.assertEqual(found["written_bytes"], 4 * 64 * 64)
        self.assertEqual(found["peak_bytes_per_cycle"], 25.6)
        self.assertIsNone(self.summary(f"{SMALL} --memory sram")["memory"]["peak_bytes_per_cycle"])
        self.assertAlmostEqual(self.summary(f"{SMALL} --clock 2 --allow-overclock")["memory"]["peak_bytes_per_cycle"], 12.8)

    def test_a_dram_is_charged_for_what_it_did(self):
        found = self.summary("--sizes i=64,j=64,k=64")
        reads = sum(int(row["platform.memory.read_burst"]) for row in self.rows("files/latency.csv"))
        self.assertGreaterEqual(reads * 32, found["memory"]["read_bytes"])
        self.assertGreater(found["energy_pJ"]["dram"], 0)
        self.assertNotIn("memory", found["energy_pJ"])
        self.assertIn("memory", self.summary(f"{SMALL} --memory sram")["energy_pJ"])

    def test_table_three(self):
        found = self.summary("--sizes i=128,j=128,k=128 --technology fetta-7nm")
        self.assertAlmostEqual(sum(block["table_mW"] for block in found["steady_power"].values()), 105.29, places=9)
        leaks = {block: AREA[block] * (9.75e-6 if block in ("unified_memory", "accumulation_unit") else 3.72e-6)  # mW per um2
                 for block in TABLE if block != "others"}
        self.assertAlmostEqual(found["steady_power"]["leakage"]["table_mW"], sum(leaks.values()), places=9)
        for block, mw in TABLE.items():
            switching = mw - leaks.get(block, 0)
            self.assertAlmostEqual(found["steady_power"][block]["table_mW"], switching, places=9, msg=block)
            self.assertAlmostEqual(found["area_um2"][block], AREA[block], places=6, msg=block)
        self.assertAlmostEqual(found["area_um2"]["total"] - found["area_um2"]["buffers"] - found["area_um2"]["dma"], 191855.06, places=6)
        power, events, cycles = found["steady_power"], found["events"], found["tcu_cycles"]
        self.assertAlmostEqual(power["engines"]["share"], (events["mac"] + events["padding_mac"]) / 256 / cycles)
        self.assertAlmostEqual(power["distribution_network"]["share"], (events["ia_element"] + events["ib_element"]) / 64 / cycles)
        self.assertAlmostEqual(power["reduction_network"]["share"], events["reduction_element"] / 64 / cycles)
        self.assertAlmostEqual(power["accumulation_unit"]["share"], events["accumulator_psum"] / 64 / cycles)
        rows = sum(events[name] for name in ("ia_row_read", "ib_row_read", "result_row_write"))
        self.assertAlmostEqual(power["unified_memory"]["share"], rows / 16 / cycles)
        self.assertEqual((power["others"]["share"], power["vector_unit"]["mW"]), (1, 0))

    def test_buffers_are_charged_where_operands_are_gathered(self):
        ideal, linear = (self.summary(f"--sizes i=64,j=64,k=64 --layout {layout}") for layout in ("ideal", "conflicted"))
        self.assertEqual((ideal["events"]["buffer_word"], ideal["energy_pJ"]["buffers"]), (0, 0))
        rows, words = (linear["events"][name] for name in ("buffer_row", "buffer_word"))
        self.assertEqual(rows, sum(linear["events"][name] for name in ("ia_row_read", "ib_row_read", "result_row_write")))
        self.assertGreaterEqual(words, 4 * 64 * 64)  # both operands, and a result of float32
        word_pj = 16 * 320 * 4 * 0.048e-3 * 60e-3  # bits, switches past which it goes, mm of a switch, pJ per bit and mm
        self.assertAlmostEqual(linear["energy_pJ"]["buffers"], rows * 2 * 0.0426375 + words * word_pj, places=6)
        line = "--sizes i=64,j=64,k=64 --layout conflicted --mapping ws-v --split 1,4,2,2"
        linear, slow = (self.summary(line + more) for more in ("", " --buffer-cycles 5"))
        self.assertEqual(slow["cycles_by_cause"]["fill"], linear["cycles_by_cause"]["fill"] + 2 * 5 * linear["events"]["contract"])
        self.assertEqual(self.summary("--sizes i=64,j=64,k=64 --buffer-cycles 5")["cycles"], ideal["cycles"])

    def test_sums_pass_rows_or_return_in_the_cycles_of_a_multiply_add(self):
        for mapping in MAPPINGS:
            with self.subTest(mapping=mapping):
                line = f"--sizes i=64,j=64,k=64 --mapping {mapping} --split 1,4,2,2 --no-overlap"
                one, four = (self.summary(line + more) for more in ("", " --mac-latency 4"))
                causes = one["cycles_by_cause"]
                added = {cause: cycles - causes[cause] for cause, cycles in four["cycles_by_cause"].items()}
                changed = {cause: cycles for cause, cycles in added.items() if cycles and cause not in ("fetch", "load", "store")}
                if mapping.startswith("os"):  # 64 tiles of 16 steps, of 3 cycles more each
                    self.assertEqual(changed, {"fill": 3, "psum": 3 * 64 * 16 - 3})
                else:  # 4 rows
                    self.assertEqual(changed, {"fill": 4 * 3})
                self.assertEqual(four["events"]["compute_cycle"], one["events"]["compute_cycle"])
                self.assertGreater(four["energy_pJ"]["engines"], one["energy_pJ"]["engines"])
        # Of all mappings the search takes one that does not wait for sums.
        self.assertNotIn("os", self.summary("--sizes i=64,j=64,k=64 --mac-latency 4")["plan"]["mapping"])

    def test_two_runs_are_identical(self):
        texts = []
        for _ in range(2):
            found = self.summary(f"{SMALL} --output c.npy")
            found.pop("simulation")
            texts.append((found, *(self.read_bytes(name) for name in
                                   ("c.npy", "files/latency.csv", "files/energy.csv", "files/events.csv", "files/trace.json"))))
        self.assertEqual(*texts)

    def test_no_mapping_of_the_search_is_beaten(self):
        line = "--einsum 'bik,kj->bij' --sizes b=3,i=20,k=37,j=18"
        best = self.summary(line)["plan"]["tcu_cycles"]
        self.assertEqual(best, min(self.summary(f"{line} --mapping {m}")["plan"]["tcu_cycles"] for m in MAPPINGS))

    def test_options_from_a_file(self):
        self.save_text("job.yaml", "einsum: ij,jk->ik\nsizes: i=20,j=24,k=12\nmapping: is-h\nno-overlap: true\n")
        found = self.summary("--config job.yaml --mapping ws-h")
        self.assertEqual((found["plan"]["mapping"], found["configuration"]["overlap"]), ("ws-h", False))
        self.save_text("bad.yaml", "einsun: ij,jk->ik\n")
        self.refuses("--config bad.yaml", "bad.yaml", "einsun")


class Tables(SummaryTables, ContractTest):
    lines_of_tables = (f"--einsum 'ij,jk->ki' {SMALL} --layout offchip",
                       "--sizes i=70,j=90,k=50 --bank-bytes 4096")
    lines_of_banks = ((f"{SMALL} --no-overlap", False),
                      ("--einsum 'bik,kj->bij' --sizes b=3,i=13,k=27,j=19 --layout conflicted --no-overlap", True),
                      ("--sizes i=24,j=40,k=32 --layout conflicted --mapping os-1 --store f32 --no-overlap", True))

    def check_accesses(self, found, rows):
        counted = sum(int(row["accesses"]) for row in rows if row["memory"] == "unified_memory")
        self.assertEqual(counted, sum(found["events"][what] for what in ("ia_row_read", "ib_row_read", "result_row_write")))

    def test_quiet_is_quiet_and_a_pipe_gets_the_table_alone(self):
        self.assertEqual(self.succeeds(f"{SMALL} --quiet").out, "")
        run = self.succeeds(SMALL)
        self.assertTrue(run.out.startswith("contract: ij,jk->ik, i=20,j=24,k=12, bf16"))
        self.assertNotIn("\r", run.out)
