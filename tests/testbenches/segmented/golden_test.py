"""Rows of mmv_ram_counts.json, run through the program: every count of the model and the checksum of the result.

The sizes between small and largest are left to the tests of the workloads."""
import os

from segmented_program import SOURCE, VARIANTS, SegmentedTest, load_json

GOLDEN = load_json(os.path.join(SOURCE, "tests/data/mmv_ram_counts.json"))
COUNTS = ("mmu_steps", "vcu_steps", "scalar_steps", "mmu_rows", "mmu_macs", "weight_loads", "mmu_cycles", "vcu_elems",
          "vcu_circuit")

# Variants that the file has no rows of, and one that computes the same.
VALUES_OF = {"compress_vcu": "compress", "scd_diff_mmu": "scd", "scd_vcu": "scd", "ewmul_vcu": "ewmul",
             "matprod_vcu": "matprod", "gemm_vcu": "gemm_tiled", "spmv_segscan": "spmv", "spmv_vcu": "spmv",
             "spmv_scan_vcu": "spmv", "spmv_tree_vcu": "spmv", "scan_tree_vcu": "scan", "scd_tree_vcu": "scd",
             "sscr_vcu": "sscr", "sscr_tree_vcu": "sscr", "scan_hybrid": "scan", "segscan_hybrid": "segscan",
             "segscan_loop": "segscan"}


def checksum(values):
    return sum((i + 1) * z for i, z in enumerate(values)) % (2 ** 31 - 1)


class Golden(SegmentedTest):
    def agrees(self, row, options=""):
        line = (f"--variant {row['algorithm']} --length {row['n']} --s {row['s']} --word-bits {row['B']} "
                f"--fill formula {options}")
        if row.get("op_bits") is not None:
            line += f" --bits {row['op_bits']}"
        found = self.summary(line)
        self.assertIs(found["check"]["passed"], True, line)
        self.assertEqual({name: found["model"][name] for name in COUNTS}, {name: row[name] for name in COUNTS}, line)
        self.assertEqual(found["result"], {"elements": row["out_len"], "nonzeros": row.get("nnz"),
                                           "checksum": row["checksum"]}, line)

    def rows(self, *algorithms):
        rows = [row for row in GOLDEN["rows"] if row["algorithm"] in algorithms and (row["n"] <= 64 or row["n"] == 4096)]
        self.assertGreater(len(rows), 0)
        for row in rows:
            with self.subTest(algorithm=row["algorithm"], n=row["n"], s=row["s"]):
                yield row

    def test_every_row(self):
        for name in ("scan", "scan_vcu", "scan_tile", "compress", "diff_mmu", "diff_vcu", "scd", "sscr", "sscr_shared",
                     "segscan", "segscan_ks", "segscan_vcu", "ewmul", "ewmul_seg", "matprod", "gemm_tiled", "spmv"):
            for row in self.rows(name):
                self.agrees(row)

    def test_variants_without_rows_give_the_values_of_those_that_have(self):
        for variant, other in VALUES_OF.items():
            rows = [row for row in GOLDEN["rows"] if row["algorithm"] == other and row["s"] == 4 and row["n"] <= 64]
            for row in rows[-2:]:
                with self.subTest(variant=variant, n=row["n"]):
                    bits = f"--bits {row['op_bits']}" if row.get("op_bits") is not None else ""
                    found = self.summary(f"--variant {variant} --length {row['n']} --s 4 --fill formula {bits}")
                    self.assertIs(found["check"]["as_closed_form"] and found["check"]["passed"], True)
                    self.assertEqual(found["result"], {"elements": row["out_len"], "nonzeros": row.get("nnz"),
                                                       "checksum": row["checksum"]})
                    self.assertEqual(found["model"]["mmu_steps"] == 0, variant.endswith("_vcu"))

    def test_products_by_the_multiplier(self):
        n = 40
        z = [((7919 * i + 13) % 23 - 11) * ((7919 * (i + 5) + 13) % 23 - 11) for i in range(n)]
        found = self.summary(f"--variant mul --length {n} --fill formula")
        self.assertEqual(found["result"]["checksum"], checksum(z))
        self.assertEqual((found["model"]["steps"], found["model"]["vcu_elems"]), (1, n))

    def test_a_copy_takes_no_step(self):
        n = 40
        found = self.summary(f"--operation copy --length {n} --fill formula")
        self.assertEqual(found["result"]["checksum"], checksum([(7919 * i + 13) % 23 - 11 for i in range(n)]))
        self.assertEqual({found["model"][name] for name in COUNTS}, {0})

    def test_the_printed_spmv_gives_the_rows_that_are_not_empty(self):
        rows = 20
        z = []
        for r in range(rows):
            elements = [((13 * r + 7 * k) % 40, 1 + (r + 3 * k) % 15) for k in range((r * r + r // 2) % 6)]
            if elements:
                z.append(sum(value * ((40503 * column + 977 * 3 + 5) % 16) for column, value in elements))
        self.assertLess(len(z), rows)
        found = self.summary(f"--variant spmv_scd --length {rows} --s 4 --fill formula --no-check")
        self.assertEqual((found["result"]["elements"], found["result"]["checksum"]), (len(z), checksum(z)))
        self.assertEqual(found["model"], found["model_closed_form"])

    def test_every_variant_is_here(self):
        here = {row["algorithm"] for row in GOLDEN["rows"]} | set(VALUES_OF) | {"mul", "spmv_scd", "copy"}
        self.assertEqual(here, {name for names in VARIANTS.values() for name in names})

    def test_some_rows_on_the_detailed_array(self):
        for row in [r for r in GOLDEN["rows"] if r["n"] in (65, 64, 33, 8) and r["s"] == 4]:
            self.agrees(row, "--fidelity detailed")
