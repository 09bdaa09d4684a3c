"""Files that dxt refuses: status 2, one line that says which, what was found and expected, and nothing written."""
import os
import re

import numpy as np

from dxt_program import SOURCE, DxtTest

BOX = (2, 3, 4)


def npy(dictionary, data=b"", version=(1, 0), length=None):
    text = dictionary.encode() + b"\n"
    length = len(text) if length is None else length
    return b"\x93NUMPY" + bytes(version) + length.to_bytes(2 if version[0] == 1 else 4, "little") + text + data


def header(descr="'<f8'", shape=BOX, fortran="False"):
    return f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}"


class BadTensorFile(DxtTest):
    def refuses_file(self, name, *words):
        """As input and as start, where a tensor is read."""
        self.save("good.npy", np.zeros(BOX))
        self.refuses(f"--input {name}", name, *words)
        self.refuses(f"--input good.npy --initial {name}", name, *words)

    def refuses_bytes(self, data, *words):
        self.refuses_file(self.save_bytes("bad.npy", data), *words)

    def test_missing(self):
        self.refuses_file("nowhere.npy", "expected")

    def test_directory(self):
        os.mkdir(self.path("folder.npy"))
        self.refuses_file("folder.npy", "directory", "expected")

    def test_pipe_is_not_waited_for(self):
        os.mkfifo(self.path("pipe.npy"))
        self.refuses_file("pipe.npy", "expected")

    def test_empty_file(self):
        self.refuses_bytes(b"", "empty", "expected")

    def test_not_npy(self):
        self.refuses_bytes(b"1 2 3 4 5 6 7 8 9 10 11 12\n", "expected")

    def test_truncated_data(self):
        whole = npy(header(), bytes(8 * 24))
        self.refuses_bytes(whole[:-1], str(len(whole) - 1), str(len(whole)))

    def test_more_data_than_the_header_says(self):
        whole = npy(header(), bytes(8 * 24))
        self.refuses_bytes(whole + b"\0", str(len(whole) + 1), str(len(whole)))

    def test_truncated_header(self):
        whole = npy(header(), bytes(8 * 24))
        for length in (7, 9, 11, 40):
            with self.subTest(length=length):
                self.refuses_bytes(whole[:length], "expected")

    def test_huge_header(self):
        for version, length in (((1, 0), 65535), ((2, 0), 0xFFFFFFFF), ((2, 0), 0x7FFFFFFF), ((3, 0), 10**6)):
            with self.subTest(version=version, length=length):
                self.refuses_bytes(npy(header(), bytes(8 * 24), version, length), "header", "expected")

    def test_huge_header_that_is_really_there(self):
        self.refuses_bytes(npy(header() + " " * 200000, bytes(8 * 24), (2, 0)), "header", "expected")

    def test_huge_shape(self):
        for shape in ((2**40, 2**40, 2**40), (2**62, 2, 1), (2**64, 1, 1), (10**30, 1, 1), (3 * 10**9, 3 * 10**9, 1)):
            with self.subTest(shape=shape):
                self.refuses_bytes(npy(header(shape=shape), bytes(64)))

    def test_unknown_version(self):
        self.refuses_bytes(npy(header(), bytes(8 * 24), (9, 0)), "version", "expected")

    def test_big_endian(self):
        for dtype in (">f8", ">i2", ">c16"):
            with self.subTest(dtype=dtype):
                self.refuses_bytes(npy(header(f"'{dtype}'"), bytes(np.dtype(dtype).itemsize * 24)), dtype, "expected")

    def test_wrong_element_type(self):
        for dtype in ("<f2", "<f16", "<c32", "|S8", "<U4", "<M8[s]", "|V8"):
            with self.subTest(dtype=dtype):
                self.refuses_bytes(npy(header(f"'{dtype}'"), bytes(np.dtype(dtype).itemsize * 24)), dtype, "expected")

    def test_objects_and_records(self):
        self.refuses_file(self.save("objects.npy", np.full(BOX, None)), "expected")
        self.refuses_file(self.save("records.npy", np.zeros(BOX, [("re", "<f8"), ("im", "<f8")])), "expected")

    def test_broken_dictionary(self):
        for text in ("{}", "not a dictionary", "{'descr': '<f8', 'fortran_order': False}", header(fortran="maybe"),
                     header(shape="(2, -3, 4)"), header(shape="(2, 3.5, 4)"), header(shape="24")):
            with self.subTest(text=text):
                self.refuses_bytes(npy(text, bytes(8 * 24)), "header")

    def test_rank_other_than_three(self):
        for shape in ((), (24,), (4, 6), (1, 2, 3, 4), (1,) * 32):
            with self.subTest(rank=len(shape)):
                self.refuses_bytes(npy(header(shape=shape), bytes(8 * int(np.prod(shape)))), str(len(shape)),
                                   "expected")

    def test_empty_mode(self):
        for mode in range(3):
            shape = tuple(0 if m == mode else size for m, size in enumerate(BOX))
            with self.subTest(mode=mode + 1):
                self.refuses_bytes(npy(header(shape=shape)), f"mode {mode + 1}", "empty", "expected")

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

    def test_missing(self):
        self.refuses_matrix("nowhere.npy", "expected")

    def test_truncated(self):
        whole = npy(header(shape=(3, 3)), bytes(8 * 9))
        self.refuses_matrix(self.save_bytes("cut.npy", whole[:-4]), str(len(whole) - 4), str(len(whole)))

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

    def test_singular_has_no_inverse(self):
        self.refuses_matrix(np.ones((3, 3)), "singular", options="--inverse")
        self.refuses_matrix(np.zeros((3, 3)), "singular", options="--inverse")
        self.refuses_matrix(np.arange(9.0).reshape(3, 3), "singular", options="--inverse")

    def test_not_finite_has_no_inverse(self):
        for value in (np.nan, np.inf):
            matrix = np.eye(3)
            matrix[1, 1] = value
            self.refuses_matrix(matrix, "finite", options="--inverse")


class BadTechnology(DxtTest):
    def setUp(self):
        super().setUp()
        with open(os.path.join(SOURCE, "models/arch/costs/technologies/45nm.yaml"), encoding="utf-8") as file:
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
            self.refuses(f"--shape 2x2x2 --technology '{name}'", "technology", f"'{name}'", "45nm, 7nm")

    def test_missing_number(self):
        # A number that the run needs, of each section.
        for section, key in (("mac", "energy.cell.mac.f64"), ("cell_pitch", "cell_pitch.f64"),
                             ("cell", "leakage.cell.f64")):
            pattern = rf"(\n *{section}:\n(?:(?!\n\S).)*?)\n *f64: [^\n]*"
            at = self.text.index("\nleakage:") if key.startswith("leakage") else 0
            text = self.text[:at] + re.sub(pattern, r"\1", self.text[at:], count=1, flags=re.S)
            with self.subTest(key=key):
                self.refuses_text(text, key)

    def test_missing_wire(self):
        self.refuses_text(re.sub(r"\n *on_chip: [^\n]*", "", self.text), "wire.on_chip")

    def test_missing_value_of_a_number(self):
        self.refuses_text(self.text.replace("{value: 20.0, unit: pJ,", "{unit: pJ,"), "energy.cell.mac.f64", "value")

    def test_negative_number(self):
        self.refuses_text(self.text.replace("{value: 20.0,", "{value: -20.0,"), "energy.cell.mac.f64", "-20")

    def test_number_that_is_none(self):
        for value in (".nan", ".inf", "-.inf", "nan", "many", "1e400", "[1]"):
            with self.subTest(value=value):
                self.refuses_text(self.text.replace("{value: 20.0,", f"{{value: {value},"), "energy.cell.mac.f64")

    def test_wrong_unit(self):
        self.refuses_text(self.text.replace("{value: 20.0, unit: pJ,", "{value: 20.0, unit: fJ,"),
                          "energy.cell.mac.f64", "fJ", "pJ")

    def test_not_yaml(self):
        self.refuses_text("a: [1, 2\nb: }", "YAML")
        self.refuses_text("", "expected")
        self.refuses_text("just words", "expected")

    def test_directory(self):
        os.mkdir(self.path("tech.yaml"))
        self.refuses("--shape 2x2x2 --technology tech.yaml", "tech.yaml")
