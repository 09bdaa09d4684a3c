"""Files that dxt refuses: status 2, one line that says which, what was found and expected, and nothing written."""
import os
import re

import numpy as np

from dxt_program import SOURCE, DxtTest

BOX = (2, 3, 4)


class BadTensorFile(DxtTest):
    """One file whose bytes are refused, as input and as start; the others where they are: workloads/npy_header_test."""

    def refuses_array(self, array, *words):
        self.refuses(f"--input {self.save('bad.npy', array)}", "bad.npy", *words)

    def test_bytes_that_are_no_tensor(self):
        self.save("good.npy", np.zeros(BOX))
        size = os.path.getsize(self.path("good.npy"))
        self.save_bytes("cut.npy", self.read_bytes("good.npy")[:-1])
        os.mkfifo(self.path("pipe.npy"))  # is not waited for
        for name, words in (("cut.npy", (str(size - 1), str(size))), ("pipe.npy", ("expected",)),
                            ("nowhere.npy", ("expected",))):
            self.refuses(f"--input {name}", name, *words)
            self.refuses(f"--input good.npy --initial {name}", name, *words)

    def test_shape(self):
        for shape in ((), (24,), (4, 6), (1, 2, 3, 4), (1,) * 32):
            self.refuses_array(np.zeros(shape), str(len(shape)), "expected")
        for mode in range(3):
            shape = tuple(0 if m == mode else size for m, size in enumerate(BOX))
            self.refuses_array(np.zeros(shape), f"mode {mode + 1}", "empty", "expected")

    def test_initial_of_another_shape(self):
        self.save("x.npy", np.zeros(BOX))
        for shape in ((4, 3, 2), (2, 3, 5), (1, 3, 4)):
            self.save("y0.npy", np.zeros(shape))
            self.refuses("--input x.npy --initial y0.npy", "--initial", "x".join(map(str, shape)), "expected 2x3x4")

    def test_initial_of_the_shape_of_the_input_not_of_the_result(self):
        self.save("x.npy", np.zeros(BOX))
        self.refuses("--input x.npy --initial x.npy --out-shape 2x3x5", "--initial", "2x3x4", "expected 2x3x5")

    def test_larger_than_an_actuator(self):
        self.save("x.npy", np.zeros((1, 1025, 1), np.int8))
        self.refuses("--input x.npy", "1025 x 1025", "1048576", "expected")

    def test_complex_data_in_a_real_format(self):
        self.save("real.npy", np.zeros(BOX))
        self.save("complex.npy", np.zeros(BOX, complex))
        for real_format in ("f64", "f32"):
            self.refuses(f"--input complex.npy --format {real_format}", "--format", real_format, "complex", "expected")
            self.refuses(f"--input real.npy --initial complex.npy --format {real_format}", "--format", real_format,
                         "expected")


class BadMatrixFile(DxtTest):
    def refuses_matrix(self, array_or_name, *words, options=""):
        name = array_or_name if isinstance(array_or_name, str) else self.save("c.npy", array_or_name)
        self.refuses(f"--shape 3x3x3 --transform file:{name} {options}", name, *words)

    def test_bytes_that_are_no_matrix(self):
        self.refuses_matrix("nowhere.npy", "expected")
        self.save("whole.npy", np.eye(3))
        size = os.path.getsize(self.path("whole.npy"))
        self.refuses_matrix(self.save_bytes("cut.npy", self.read_bytes("whole.npy")[:-4]), str(size - 4), str(size))

    def test_wrong_shape(self):
        for shape in ((3, 4), (4, 3), (4, 4), (9,), (3, 3, 3), (), (0, 0)):
            with self.subTest(shape=shape):
                self.refuses_matrix(np.ones(shape), "expected")

    def test_size_of_another_mode(self):
        self.save("c.npy", np.eye(4))
        self.refuses("--shape 3x4x3 --transform dct,file:c.npy,file:c.npy", "c.npy", "expected")

    def test_complex_in_a_real_format(self):
        self.save("c.npy", np.eye(3, dtype=complex))
        self.refuses("--shape 3x3x3 --transform file:c.npy --format f64", "--format", "f64", "expected")

    def test_without_an_inverse(self):
        holed = np.eye(3)
        for matrix in (np.ones((3, 3)), np.zeros((3, 3)), np.arange(9.0).reshape(3, 3)):
            self.refuses_matrix(matrix, "singular", options="--inverse")
        for holed[1, 1] in (np.nan, np.inf):
            self.refuses_matrix(holed, "finite", options="--inverse")


class BadTechnology(DxtTest):
    def setUp(self):
        super().setUp()
        with open(os.path.join(SOURCE, "models/costs/technologies/45nm.yaml"), encoding="utf-8") as file:
            self.text = file.read()

    def refuses_text(self, text, *words):
        self.assertNotEqual(text, self.text)
        self.save_text("tech.yaml", text)
        self.refuses("--shape 2x2x2 --technology tech.yaml", "tech.yaml", *words)

    def test_the_file_to_start_from_is_good(self):
        self.save_text("tech.yaml", self.text)
        self.succeeds("--shape 2x2x2 --technology tech.yaml")

    def test_unknown_or_abbreviated_name(self):
        for name in ("46nm", "45", "45NM", "45nm ", "nowhere.yaml"):
            self.refuses(f"--shape 2x2x2 --technology '{name}'", "technology", f"'{name}'", "45nm, 40nm, 7nm")

    def test_missing_number(self):
        # A number that the run needs, of each section.
        for section, name, key in (("mac", "f64", "energy.cell.mac.f64"), ("die", "sram", "leakage.die.sram")):
            pattern = rf"(\n *{section}:\n(?:(?!\n\S).)*?)\n *{name}: [^\n]*"
            text = re.sub(pattern, r"\1", self.text, count=1, flags=re.S)
            with self.subTest(key=key):
                self.refuses_text(text, key)

    def test_bad_numbers(self):
        key, good = "energy.cell.mac.f64", "{value: 20.0, unit: pJ,"
        for missing, line in (("wire.on_chip", r"\n *on_chip: [^\n]*"), ("area.nand2", r"\n *nand2: [^\n]*"),
                              ("gate.delay", r"\ngate:\n *delay: [^\n]*")):
            self.refuses_text(re.sub(line, "", self.text), missing)
        for bad, words in (("{unit: pJ,", ("value",)), ("{value: -20.0, unit: pJ,", ("-20",)),
                           ("{value: 20.0, unit: fJ,", ("fJ", "pJ")),
                           *((f"{{value: {value}, unit: pJ,", ()) for value in
                             (".nan", ".inf", "-.inf", "nan", "many", "1e400", "[1]"))):
            with self.subTest(bad=bad):
                self.refuses_text(self.text.replace(good, bad), key, *words)

    def test_what_is_no_technology(self):
        for text, word in (("a: [1, 2\nb: }", "YAML"), ("", "expected"), ("just words", "expected")):
            self.refuses_text(text, word)
        os.remove(self.path("tech.yaml"))
        os.mkdir(self.path("tech.yaml"))
        self.refuses("--shape 2x2x2 --technology tech.yaml", "tech.yaml")
