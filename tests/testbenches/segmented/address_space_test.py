"""A limit on the address space: scratchpad and memory are reserved within it, or one line says what was tried."""
import resource

from segmented_program import BAD_INPUT, RIGHT, SegmentedTest
from testbench_program import program_path

MIB = 1 << 20


class AddressSpace(SegmentedTest):
    def setUp(self):
        super().setUp()
        with open(program_path(self.program), "rb") as program:
            if b"__asan_init" in program.read():
                self.skipTest("a sanitizer needs more address space than there is")

    def limited(self, line, mib):
        limit = mib * MIB
        return self.run_program(line, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))

    def test_runs_within_a_limit_that_leaves_room(self):
        for line in ("--length 1000 --memory sram", "--compare --length 100 --memory sram"):
            done = self.limited(f"{line} --quiet", 400)
            self.assertEqual((done.status, done.err), (RIGHT, ""), line)

    def test_says_what_it_tried_to_reserve(self):
        for line, mib in (("--length 100", 64), ("--length 100 --memory sram --scratchpad 1073741824", 400)):
            done = self.limited(line, mib)
            self.assertEqual((done.status, done.out), (BAD_INPUT, ""), line)
            self.assertRegex(done.err, r"\Asegmented: [^\n]*scratchpad[^\n]*memory, found [\d,]+ left by the limit[^\n]*\n\Z")

    def test_a_sparse_product_that_does_not_fit_is_refused_in_advance(self):
        head = "%%MatrixMarket matrix coordinate real general\n"
        for name, sizes in (("rows.mtx", "67108864 1 1"), ("columns.mtx", "1 67108864 1")):
            self.save_text(name, f"{head}{sizes}\n1 1 1\n")
            done = self.limited(f"--operation spmv --matrix {name}", 1200)
            self.assertEqual((done.status, done.out), (BAD_INPUT, ""), name)
            self.assertRegex(done.err, r"\Asegmented: the run needs about [\d.]+ GiB of memory, [^\n]*expected a smaller "
                                       r"matrix[^\n]*\n\Z")
