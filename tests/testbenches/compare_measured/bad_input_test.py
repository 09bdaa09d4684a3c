"""What compare_measured refuses: status 2, one line that says which, what was found and expected, and nothing written."""
from compare_measured_program import COLUMNS, ROW, CompareMeasuredTest
from testbench_refusals import RefusedOptions


class BadInput(RefusedOptions, CompareMeasuredTest):
    job = "--only 16x256x256"
    abbreviated = {"--machin gemmini": "--machine"}
    repeated = ("--machine gemmini", "--seed 1")
    values = {"machine": (("tpu", "Gemmini", ""), ("gemmini",))}

    def test_a_preset_has_its_own_memory(self):
        for option in ("--memory sram", "--dram ddr4-3200", "--memory-latency 3", "--dma-width 64", "--burst 64", "--outstanding 4",
                       "--overlap-runs off"):
            self.refuses(option, option.split()[0], "--machine gemmini")

    def test_cases_that_are_not_there(self):
        self.refuses("--only 16x256x257", "--only is '16x256x257', expected one of 1x2048x1000, 4x256x256, ")

    def refused_rows(self, *rows):
        self.cases(*rows)
        return self.refuses("--cases cases.csv").err

    def test_rows_of_the_other_machines(self):
        for machine, columns, row, wrong in (
                ("tpu-v1", "name,M,K,N,TOPS", "a,4,256,256,1", (
                    (0, "", "name: found nothing"), (1, "0", "M: found '0'"), (2, "257", "K: found 257, expected a multiple of the 2 blocks"),
                    (3, "1.5", "N: found '1.5'"), (4, "0", "TOPS: found '0', expected a number from 0.001 to 1000"), (4, "nan", "TOPS: found 'nan'"),
                    (1, "5000", "accumulator entries: found 4096, expected at least 5000"))),
                ("volta", "name,N,GHz,TFLOPS", "a,256,1,1", (
                    (0, "", "name: found nothing"), (1, "300", "N: found 300, expected a multiple of 256"), (2, "0", "GHz: found '0'"),
                    (3, "1e9", "TFLOPS: found '1e9'"))),
                ("systolic-rtl", "M,cycles", "4,18", ((0, "x", "M: found 'x'"), (1, "0", "cycles: found '0'"))),
                ("ascend-910b", "name,of,over,quantity,format,length,density,ratio", "a,scan,copy,cycles,f32,64,0,1", (
                    (0, "", "name: found nothing"), (1, "skan", "skan"), (1, "gemm_tiled", "variant: found gemm_tiled"), (2, "", "variant: found nothing"),
                    (3, "time", "quantity: found 'time', expected cycles or bytes_per_cycle"), (4, "c128", "format: found 'c128'"),
                    (4, "f16", "scan: "), (5, "0", "length: found '0'"), (6, "2", "density: found '2', expected a number from 0 to 1"),
                    (7, "-1", "ratio: found '-1'")))):
            for column, text, words in wrong:
                fields = row.split(",")
                fields[column] = text
                self.cases(row, ",".join(fields), columns=columns)
                error = self.refuses(f"--machine {machine} --cases cases.csv").err
                self.assertEqual(error.count("cases.csv:4: "), 1, error)
                self.assertIn(words, error)

    def test_rows_that_are_not_cases(self):
        for column, (text, words) in enumerate((
                ("0", "M: found '0', expected an integer from 1 to 1048576"), ("x", "K: found 'x'"), ("", "N: found ''"),
                ("5", "accumulator entries: found 5, expected at least 6"), ("703", "scratchpad entries: found 703, expected at least 704"),
                ("0", "mapped_cycles: found '0'"), ("-1", "auto_cycles: found '-1'"), ("L3[WIO] N1", "mapping: found 1 levels"))):
            fields = ROW.split(",")
            fields[column] = text
            error = self.refused_rows(ROW, ",".join(fields))
            self.assertEqual(error.count("cases.csv:4: "), 1, error)
            self.assertIn(words, error)
        self.assertIn("cases.csv:3: found 7 fields, expected 8", self.refused_rows(ROW.rsplit(",", 1)[0]))
        self.assertIn("expected 16, columns of the product", self.refused_rows(ROW.replace("K16X", "K8X")))
        self.assertIn("at most 68719476736 multiply-adds",
                      self.refused_rows("1048576,1048576,16,6,704,100,200," + ROW.split(",")[7]))

    def test_rows_that_no_platform_holds(self):
        huge = "1024,1024,1024,1,2,1,0,L3[WIO] P1024 C1024 K1024 - L2[WI] K1X - L1[O] C1X - L0[W] N1"
        self.assertIn("more than 4194304 blocks of weights", self.refused_rows(huge))
        self.assertIn("matrices of at most 134217728 elements", self.refused_rows(
            "1048576,65536,1,16,16777216,1,0,L3[WIO] P1048576 C4096 - L2[WI] K1X - L1[O] C16X - L0[W] N1"))
        self.assertIn("cases.csv:1003: found a row more, expected at most 1000 rows", self.refused_rows(*[ROW] * 1001))
        for text in (ROW + "\0", ROW + "\x1b[1m"):
            self.assertIn("expected text without control characters", self.refused_rows(text))
        self.cases("a,1,256,256,1000", columns="name,M,K,N,TOPS")
        self.assertIn("cycles measured: found less than 1", self.refuses("--machine tpu-v1 --cases cases.csv").err)
        self.cases("a,1,1,1,0.001", columns="name,M,K,N,TOPS")
        self.succeeds("--machine tpu-v1 --cases cases.csv --quiet")
        self.refuses("--cases missing.csv", "--cases: ")

    def test_files_that_have_no_cases(self):
        for text, words in (("", "found no columns"), (f"{COLUMNS}\n", "found no rows"), ("# only\n", "found no columns"),
                            ("M,K,N\n1,2,3\n", f"expected the columns {COLUMNS.replace(',', ', ')}")):
            self.save_text("cases.csv", text)
            self.assertIn(words, self.refuses("--cases cases.csv").err)
        self.refuses("--cases missing.csv", "missing.csv")
