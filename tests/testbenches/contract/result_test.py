"""What contract computes, against numpy.einsum."""
import numpy as np

from contract_program import LAYOUTS, MAPPINGS, WRONG, ContractTest, rounded

EXPRESSIONS = (("ij,jk->ik", {"i": 9, "j": 21, "k": 14}), ("bik,kj->bij", {"b": 3, "i": 7, "k": 10, "j": 6}),
               ("abc,cd->abd", {"a": 4, "b": 5, "c": 9, "d": 6}), ("i,i->", {"i": 37}), ("i,j->ij", {"i": 9, "j": 7}),
               ("ij,ji->", {"i": 6, "j": 7}), ("bi,bi->b", {"b": 5, "i": 11}), ("bi,bi->bi", {"b": 5, "i": 3}),
               ("ab,ba->ab", {"a": 4, "b": 3}), (",a->a", {"a": 5}), (",->", {}),
               ("abcd,dbe->aec", {"a": 3, "b": 2, "c": 5, "d": 7, "e": 4}),
               ("aBc,cBd->dBa", {"a": 5, "B": 3, "c": 4, "d": 6}),
               ("abcdefgh,hgfe->dcba", {letter: 2 for letter in "abcdefgh"}))


class Result(ContractTest):
    def test_every_kind_of_contraction_in_every_layout(self):
        for expression, sizes in EXPRESSIONS:
            a, b = self.save_operands(expression, sizes)
            for layout in LAYOUTS:
                with self.subTest(expression=expression, layout=layout):
                    found = self.computed(f"--einsum '{expression}' --input a.npy,b.npy --layout {layout}")
                    self.assert_contraction(found, expression, a, b)

    def test_every_mapping_is_exact_on_whole_numbers(self):
        for expression, sizes in EXPRESSIONS[:3]:
            a, b = self.save_operands(expression, sizes, whole=True)
            for mapping in MAPPINGS:
                for layout in LAYOUTS:
                    with self.subTest(expression=expression, mapping=mapping, layout=layout):
                        found = self.computed(
                            f"--einsum '{expression}' --input a.npy,b.npy --mapping {mapping} --layout {layout}")
                        self.assert_equal(found, np.einsum(expression, a, b))

    def test_a_users_split_changes_rounding_at_most(self):
        a, b = self.save_operands("ij,jk->ik", {"i": 20, "j": 50, "k": 20})
        for split in ("1,16,1,1", "1,1,16,1", "1,1,1,16", "16,1,1,1", "1,2,4,2"):
            found = self.computed(f"--input a.npy,b.npy --mapping ws-v --split {split}")
            self.assert_contraction(found, "ij,jk->ik", a, b)

    def test_other_devices_flattening_and_objectives(self):
        for expression, sizes in (EXPRESSIONS[1], EXPRESSIONS[11], EXPRESSIONS[12]):
            a, b = self.save_operands(expression, sizes)
            for options in ("--flatten contiguous", "--flatten contiguous --layout offchip", "--objective energy --layout conflicted",
                            "--objective edp --no-overlap", "--engines 4 --side 8", "--engines 64 --side 2 --layout conflicted",
                            "--bank-bytes 4096 --accumulator-bytes 1024", "--memory sram --outstanding 1 --burst 64"):
                with self.subTest(expression=expression, options=options):
                    found = self.computed(f"--einsum '{expression}' --input a.npy,b.npy {options}")
                    self.assert_contraction(found, expression, a, b)

    def test_tensors_larger_than_the_memory_on_chip(self):
        a, b = self.save_operands("ij,jk->ik", {"i": 70, "j": 300, "k": 60})
        for layout in LAYOUTS:
            for options in ("", " --mapping os-1 --psum bf16 --fidelity detailed"):
                found = self.computed(f"--input a.npy,b.npy --layout {layout} --bank-bytes 4096 --accumulator-bytes 1024{options}")
                self.assert_contraction(found, "ij,jk->ik", a, b, psum="bf16" if options else "f32")

    def test_what_the_formats_cannot_hold_becomes_zero_or_infinite(self):
        for formats in ("", "--store bf16", "--psum bf16"):
            for value, result in ((1e-25, 0), (1e25, np.inf)):
                with self.subTest(formats=formats, value=value):
                    self.save("a.npy", np.full(3, value))
                    self.save("b.npy", np.full(3, -value))
                    self.assert_equal(self.computed(f"--einsum 'a,a->a' --input a.npy,b.npy {formats}"), np.full(3, -result))
        done = self.succeeds("--einsum 'a,a->a' --input a.npy,b.npy")
        self.assertIn("passed, 3 elements not finite", done.out)

    def test_partial_sums_that_overflow_in_a_sum_in_range_fail_the_check(self):
        self.save("a.npy", np.array([1e38] * 4 + [-1e38] * 4))
        self.save("b.npy", np.ones(8))
        run = self.run_program("--einsum 'a,a->' --input a.npy,b.npy --mapping ws-v --split 1,1,1,16 --quiet")
        self.assertEqual((run.status, run.err.count("\n")), (WRONG, 1))

    def test_sums_and_results_in_other_formats(self):
        a, b = self.save_operands("ij,jk->ik", {"i": 12, "j": 70, "k": 13})
        for operand, psum, store in (("bf16", "bf16", "f32"), ("bf16", "bf16", "bf16"), ("bf16", "f32", "bf16"),
                                     ("f32", "f32", "f32"), ("f32", "f32", "bf16")):
            with self.subTest(operand=operand, psum=psum, store=store):
                found = self.computed(f"--input a.npy,b.npy --operand {operand} --psum {psum} --store {store}")
                self.assert_contraction(found, "ij,jk->ik", a, b, operand, psum, store)
                if store == "bf16" or psum == "bf16":
                    self.assert_equal(found, rounded(found, "bf16"))

    def test_the_result_in_bf16_is_the_other_one_rounded(self):
        self.save_operands("ij,jk->ik", {"i": 12, "j": 70, "k": 13})
        wide, narrow = (self.computed(f"--input a.npy,b.npy --store {store}") for store in ("f32", "bf16"))
        self.assert_equal(narrow, rounded(wide, "bf16"))

    def test_operands_of_other_types_and_orders(self):
        a, b = self.save_operands("ij,jk->ik", {"i": 6, "j": 7, "k": 5}, whole=True)
        expected = a @ b
        for first, second in ((a.astype(np.float32), b.astype(np.int8)), (np.asfortranarray(a), b.astype(np.int64)),
                              (a.astype(np.int16), np.asfortranarray(b.astype(np.float32)))):
            self.save("a.npy", first)
            self.save("b.npy", second)
            self.assert_equal(self.computed("--input a.npy,b.npy"), expected)

    def test_a_scalar_has_no_dimensions(self):
        self.save("a.npy", np.arange(5.0))
        self.save("b.npy", np.ones(5))
        found = self.computed("--einsum 'i,i->' --input a.npy,b.npy")
        self.assertEqual((found.shape, float(found)), ((), 10.0))

    def test_fidelities_give_the_same_bytes(self):
        for line in ("--einsum 'abc,cd->abd' --sizes a=3,b=7,c=13,d=9 --layout conflicted", "--sizes i=17,j=19,k=23 --psum bf16",
                     "--einsum 'bij,bjk->bki' --sizes b=3,i=9,j=11,k=6 --mapping os-2 --layout offchip --store bf16"):
            results = []
            for fidelity in ("fast", "detailed"):
                self.computed(f"{line} --fidelity {fidelity}")
                results.append(self.read_bytes("c.npy"))
            self.assertEqual(*results)

    def test_generated_operands_are_those_of_the_seed(self):
        one, again, other = (self.computed(f"--sizes i=5,j=6,k=7 --seed {seed}") for seed in (3, 3, 4))
        self.assert_equal(one, again)
        self.assertFalse(np.array_equal(one, other))

    def test_numbers_that_are_none_go_through(self):
        a = np.ones((3, 4))
        a[1, 2], a[2, 0] = np.nan, np.inf
        self.save("a.npy", a)
        self.save("b.npy", np.ones((4, 5)))
        self.refuses("--input a.npy,b.npy", "--input: a.npy: element (1,2) is nan", "expected finite", "--allow-nonfinite")
        found = self.computed("--input a.npy,b.npy --allow-nonfinite")
        self.assertTrue(np.all(np.isnan(found[1])) and np.all(np.isposinf(found[2])) and np.all(found[0] == 4))
