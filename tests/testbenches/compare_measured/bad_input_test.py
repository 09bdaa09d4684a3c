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

    def test_files_that_have_no_cases(self):
        for text, words in (("", "found no columns"), (f"{COLUMNS}\n", "found no rows"), ("# only\n", "found no columns"),
                            ("M,K,N\n1,2,3\n", f"expected the columns {COLUMNS.replace(',', ', ')}")):
            self.save_text("cases.csv", text)
            self.assertIn(words, self.refuses("--cases cases.csv").err)
        self.refuses("--cases missing.csv", "missing.csv")
