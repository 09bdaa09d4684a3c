"""--attention: block-sparse attention matrices, against a generator written here."""
import numpy as np

from numpy_training import Mt19937_64
from segmented_program import SegmentedTest


def fixed_blocks(row, blocks):
    """Global blocks and the window of a row of blocks."""
    return set(range(blocks)) if row in (0, blocks - 1) else {0, blocks - 1, row - 1, row, row + 1}


def attention(rows, block, random_blocks, seed):
    """The matrix, dense, in f64."""
    draw = Mt19937_64.of_number(4 * seed + 3)
    blocks = rows // block
    matrix = np.zeros((rows, rows))
    for row in range(blocks):
        taken = fixed_blocks(row, blocks)
        others = sorted(set(range(blocks)) - taken)
        for k in range(random_blocks if others else 0):
            other = k + draw() % (len(others) - k)
            others[k], others[other] = others[other], others[k]
            taken = taken | {others[k]}
        for r in range(row * block, (row + 1) * block):
            for column in sorted(taken):
                for c in range(column * block, (column + 1) * block):
                    matrix[r, c] = 2 * (draw() >> 11) / 2 ** 53 - 1
    return matrix


class Attention(SegmentedTest):
    def matrix_of(self, rows, options):
        """By its products with unit vectors; elements in f64 are not 0."""
        columns = []
        for place in range(rows):
            self.save("unit.npy", np.eye(rows)[place])
            columns.append(self.computed(f"--operation spmv --length {rows} --input unit.npy --format f64 "
                                         f"--variant spmv_vcu {options}"))
        return np.array(columns).T

    def test_the_matrix_is_that_of_the_generator(self):
        for rows, block, random_blocks, seed in ((24, 3, 2, 1), (24, 3, 3, 7), (18, 2, 0, 1), (10, 2, 0, 5)):
            with self.subTest(rows=rows, block=block, random_blocks=random_blocks, seed=seed):
                found = self.matrix_of(rows, f"--attention {block},{random_blocks} --seed {seed}")
                self.assert_equal(found, attention(rows, block, random_blocks, seed))

    def test_count_of_its_elements(self):
        for rows, block, random_blocks in ((128, 8, 2), (448, 64, 2), (60, 1, 5), (60, 12, 0), (2048, 128, 3)):
            with self.subTest(rows=rows, block=block, random_blocks=random_blocks):
                found = self.summary(f"--operation spmv --length {rows} --attention {block},{random_blocks}")
                blocks = rows // block
                filled = sum(len(fixed_blocks(row, blocks)) + (random_blocks if 0 < row < blocks - 1 else 0)
                             for row in range(blocks))
                self.assertEqual(found["result"]["nonzeros"], filled * block ** 2)
                self.assertEqual(found["configuration"]["attention"], {"block": block, "random_blocks": random_blocks})
                self.assertIsNone(found["configuration"]["density"])

    def test_rows_have_their_blocks_once(self):
        found = self.matrix_of(36, "--attention 2,4 --seed 3") != 0
        blocks = found.reshape(18, 2, 18, 2).transpose(0, 2, 1, 3)
        self.assert_equal(blocks.all((2, 3)), blocks.any((2, 3)))  # blocks are full or empty
        for row, taken in enumerate(blocks.all((2, 3))):
            fixed = fixed_blocks(row, 18)
            self.assertLessEqual(fixed, set(np.flatnonzero(taken)))
            self.assertEqual(taken.sum(), len(fixed) + (4 if 0 < row < 17 else 0))

    def test_a_comparison_runs_it_at_its_own_size(self):
        found = self.summary("--operation spmv --compare --attention 4,1 --length 64 --bits 4")
        self.assertEqual(found["lengths"], [64])
        self.assertEqual(found["left_out"], [])  # no row is empty
        self.assertIs(found["check"]["passed"], True)

    def test_what_cannot_be(self):
        job = "--operation spmv"
        for values in ("64", "64,2,3", "0,1", "-1,1", "4,x", "4.5,1", "65537,1", "4,65537"):
            self.refuses(f"{job} --attention={values}", "--attention", values, "separated by a comma")
        self.refuses(f"{job} --attention 64,2", "64,2", "256 rows", "multiple of 64", "at least 448")
        self.refuses(f"{job} --length 500 --attention 64,2", "500 rows", "multiple of 64")
        self.refuses(f"{job} --length 100 --attention 1,100", "at least 105")
        self.succeeds(f"{job} --length 105 --attention 1,100")
        for other in ("--density 0.1", "--columns 256", "--fill formula"):
            self.refuses(f"{job} --attention 8,1 {other}", other.split()[0], "--attention")
        self.refuses("--operation scan --attention 8,1", "--attention", "scan", "spmv")
        self.save_text("a.mtx", "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 3\n")
        self.refuses(f"{job} --attention 8,1 --matrix a.mtx", "--attention", "--matrix")
        self.refuses(f"{job} --attention 8,1 --length 64 --bits 30", "--bits is 30", "products")
        self.save("x.npy", np.arange(63))
        self.refuses(f"{job} --attention 8,1 --length 64 --input x.npy", "x.npy has 63", "expected 64")
