"""What tucker finds, against numpy: by every method, on every kind of device."""
import math

import numpy as np

import oracle
from tucker_program import TuckerTest

METHODS = {"hosvd": oracle.hosvd, "st-hosvd": oracle.st_hosvd, "hooi": lambda x, ranks: oracle.hooi(x, ranks, 4)}
DEVICES = ("", "--mesh 4x3x2", "--mesh 4x3x2 --double-buffer", "--mesh 8x2x16", "--sparsity dense",
           "--fidelity detailed", "--fidelity detailed --mesh 4x3x5", "--mesh 20x20x20", "--order 123",
           "--order 231 --mesh 5x5x5", "--threads 2", "--burst 64 --load-elements 1", "--dma-ports 7",
           "--look-ahead 1 --port-aligner off")
RANKS = (3, 4, 2)
REQUEST = "--ranks 3x4x2"
ENDS = "--max-iterations 4 --fit-change 0"  # of hooi


def request_of(method):
    return f"{method} {REQUEST} {ENDS if method == 'hooi' else ''}"


def noisy(shape=(9, 8, 7), ranks=RANKS, noise=0.3, seed=1):
    random = np.random.default_rng(seed)
    factors = [np.linalg.qr(random.normal(size=(n, r)))[0] for n, r in zip(shape, ranks)]
    x = oracle.times(random.normal(size=ranks), factors)
    e = random.normal(size=shape)
    return x + noise * np.linalg.norm(x) / np.linalg.norm(e) * e


class Result(TuckerTest):
    def check_form(self, x, core, factors, y, tolerance):
        for factor in factors:
            np.testing.assert_allclose(factor.T @ factor, np.eye(factor.shape[1]), atol=1e-13)
        self.assert_near(core, oracle.times(x, oracle.transposed(factors)), tolerance)
        self.assert_near(y, oracle.times(core, factors), tolerance)

    def test_every_method_on_every_device(self):
        x = noisy()
        self.save("x.npy", x)
        for method, reference in METHODS.items():
            expected = oracle.error(x, reference(x, RANKS))
            for device in DEVICES:
                with self.subTest(method=method, device=device):
                    found, core, factors, y = self.decomposed(f"--input x.npy --method {request_of(method)} {device}")
                    self.check_form(x, core, factors, y, 1e-14)
                    self.assertAlmostEqual(found["decomposition"]["error"], expected, delta=1e-10)
                    self.assertAlmostEqual(found["iterations"][-1]["fit"], 1 - expected, delta=1e-10)
                    self.assertAlmostEqual(np.linalg.norm(x - y) / np.linalg.norm(x), expected, delta=1e-10)
                    self.assertIs(found["check"]["passed"], True)

    def test_single_precision_agrees_to_rounding(self):
        x = noisy()
        self.save("x.npy", x)
        for method, reference in METHODS.items():
            expected = oracle.error(x, reference(x, RANKS))
            for device in ("", "--mesh 4x3x2"):
                found, core, factors, y = self.decomposed(
                    f"--input x.npy --format f32 --method {request_of(method)} {device}")
                self.check_form(x, core, factors, y, 1e-6)
                self.assertAlmostEqual(found["decomposition"]["fit"], 1 - expected, delta=1e-6)
                self.assertGreater(np.linalg.norm(core - oracle.times(x, oracle.transposed(factors))), 0)

    def test_signs_are_fixed(self):
        x = noisy()
        self.save("x.npy", x)
        self.save("minus.npy", -x)
        factors = self.decomposed(f"--input x.npy {REQUEST}")[2]
        for factor in factors:
            for column in factor.T:
                self.assertGreater(column[np.argmax(np.abs(column))], 0)
        for one, other in zip(factors, self.decomposed(f"--input minus.npy {REQUEST}")[2]):
            np.testing.assert_allclose(one, other, atol=1e-12)

    def test_truncated_energies(self):
        x = noisy()
        self.save("x.npy", x)
        energy = np.linalg.norm(x)**2
        found = self.decomposed(f"--input x.npy --method hosvd {REQUEST}")[0]["decomposition"]
        cut = [oracle.tails(oracle.unfold(x, mode))[rank] for mode, rank in enumerate(RANKS)]
        np.testing.assert_allclose(found["truncated_energies"], cut, atol=1e-12 * energy)
        for mode, values in enumerate(found["singular_values"]):
            expected = np.linalg.svd(oracle.unfold(x, mode), compute_uv=False)
            np.testing.assert_allclose(values, expected, rtol=0, atol=1e-13 * np.sqrt(energy))
        self.assertLessEqual(found["error"]**2 * energy, sum(cut))
        found = self.decomposed(f"--input x.npy {REQUEST}")[0]["decomposition"]
        self.assertAlmostEqual(found["error"]**2 * energy, sum(found["truncated_energies"]), delta=1e-12 * energy)
        for values, rank, cut in zip(found["singular_values"], RANKS, found["truncated_energies"]):
            self.assertAlmostEqual(math.fsum(value**2 for value in values[rank:]), cut, delta=1e-12 * energy)

    def test_same_bits_whatever_the_device(self):
        self.save("x.npy", noisy())
        bits = {tuple(array.tobytes() for array in (core, *factors, y))
                for _, core, factors, y in (self.decomposed(f"--input x.npy --method {request_of('hooi')} {device}")
                                            for device in DEVICES if "--order" not in device)}
        self.assertEqual(len(bits), 1)

    def test_files_of_other_types_and_order(self):
        volume = (100 * noisy()).astype("i2")
        self.save("x.npy", np.asfortranarray(volume))
        y = self.decomposed(f"--input x.npy {REQUEST}")[3]
        self.assert_near(y, oracle.times(volume.astype(float), [u @ u.T for u in oracle.st_hosvd(volume, RANKS)]), 1e-12)


class Tolerance(TuckerTest):
    def test_is_kept_with_the_fewest_vectors_of_the_rule(self):
        x = noisy(noise=0.01)
        self.save("x.npy", x)
        for tolerance in (0.9, 0.3, 0.1, 0.01, 1e-6):
            may_lose = tolerance**2 * np.linalg.norm(x)**2 / 3
            ranks = [int(np.argmax(oracle.tails(oracle.unfold(x, mode)) <= may_lose)) for mode in range(3)]
            for method in METHODS:
                found, _, _, y = self.decomposed(f"--input x.npy --tolerance {tolerance} --method {method}")
                self.assertLessEqual(np.linalg.norm(x - y), tolerance * np.linalg.norm(x))
                self.assertIs(found["check"]["tolerance_kept"], True)
                if method == "hosvd":
                    self.assertEqual(found["decomposition"]["ranks"], [max(rank, 1) for rank in ranks])
                else:
                    self.assertLessEqual(found["decomposition"]["ranks"], ranks)

    def test_of_single_precision(self):
        self.save("x.npy", noisy(noise=0.01))
        for method in METHODS:
            found = self.decomposed(f"--input x.npy --tolerance 0.05 --format f32 --method {method}")[0]
            self.assertIs(found["check"]["tolerance_kept"], True)

    def test_that_the_format_cannot_resolve_is_not_called_kept(self):
        line = "--shape 6x6x6 --tolerance 1e-12 --method hosvd --format f32"
        found = self.summary(line)
        self.assertGreater(found["decomposition"]["error"], 1e-12)
        self.assertIs(found["check"]["tolerance_kept"], False)
        self.assertEqual(found["check"]["tolerance_slack"], 8 * 2.0**-23 * 18)
        self.assertIs(found["check"]["passed"], True)
        out = self.succeeds(line).out
        self.assertRegex(out, r"tolerance +1e-12 exceeded by no more than the rounding of f32")
        self.assertNotIn("kept", out)


class KnownRank(TuckerTest):
    FILL = "--shape 14x11x9 --fill known-rank --fill-ranks 4x3x2"

    def test_is_recovered_to_rounding(self):
        for method in METHODS:
            for seed in (1, 2):
                found = self.decomposed(f"{self.FILL} --seed {seed} --tolerance 1e-9 --method {method}")[0]
                self.assertEqual(found["decomposition"]["ranks"], [4, 3, 2])
                self.assertLess(found["decomposition"]["error"], 1e-14)
                found = self.decomposed(f"{self.FILL} --seed {seed} --ranks 4x3x2 --method {method}")[0]
                self.assertLess(found["decomposition"]["error"], 1e-14)

    def test_noise_is_what_is_left(self):
        found = self.decomposed(f"{self.FILL} --noise 0.1 --ranks 4x3x2 --method hooi")[0]
        self.assertTrue(0.05 < found["decomposition"]["error"] < 0.1)

    def test_full_ranks_are_exact(self):
        for method in METHODS:
            found = self.decomposed(f"--shape 4x5x6 --ranks 4x5x6 --method {method}")[0]
            self.assertLess(found["decomposition"]["error"], 1e-14)

    def test_the_smallest_of_all(self):
        for method in METHODS:
            found, core, factors, y = self.decomposed(f"--shape 1x1x1 --ranks 1x1x1 --method {method}")
            self.assertEqual([u.tolist() for u in factors], [[[1]]] * 3)
            self.assert_equal(core, y)
            self.assertEqual(found["decomposition"]["error"], 0)


class TallUnfolding(TuckerTest):
    """Modes of far more elements than the others have together: nothing of their size squared, 0.5 GB and more, is made."""

    def test_takes_no_time_and_no_memory(self):
        for shape in ("8000x2x2", "65535x1x1", "2x65535x1", "1x2x65535"):
            for method in METHODS:
                found = self.summary(f"--shape {shape} --ranks 1x1x1 --method {method}")
                self.assertIs(found["check"]["passed"], True)
                self.assertLess(found["simulation"]["peak_rss_bytes"], 500e6)  # most of it the log


class Hooi(TuckerTest):
    def test_ends_when_the_fit_stays(self):
        line = "--shape 9x8x7 --ranks 3x3x3 --method hooi --max-iterations 200"
        found = self.summary(f"{line} --fit-change 1e-5")
        fits = [entry["fit"] for entry in found["iterations"]]
        self.assertTrue(3 < len(fits) < 200)
        rises = np.diff(fits)
        self.assertTrue((rises[:-1] > 1e-5).all() and rises[-1] <= 1e-5)
        self.assertIs(found["decomposition"]["converged"], True)
        self.assertEqual(found["decomposition"]["iterations"], len(fits) - 1)
        self.assertIn("yes", self.succeeds(f"{line} --fit-change 1e-5").out)

    def test_tells_when_it_does_not(self):
        line = "--shape 9x8x7 --ranks 3x3x3 --method hooi --max-iterations 2 --fit-change 0"
        self.assertIs(self.summary(line)["decomposition"]["converged"], False)
        self.assertIn("no, --max-iterations 2 reached", self.succeeds(line).out)

    def test_raises_the_fit_of_noise(self):
        fits = [entry["fit"] for entry in self.summary("--shape 9x8x7 --ranks 3x3x3 --method hooi")["iterations"]]
        self.assertGreater(fits[-1], fits[0] + 1e-4)
        self.assertTrue((np.diff(fits) > -1e-12).all())


    def test_fits_of_single_precision_are_those_of_its_factors(self):
        for seed in (1, 4):
            line = ("--shape 20x18x16 --ranks 4x4x4 --fill known-rank --fill-ranks 4x4x4 --noise 0.0001 --method hooi "
                    f"--fit-change 1e-7 --seed {seed}")
            single, double = (self.summary(f"{line} --format {name}") for name in ("f32", "f64"))
            self.assertGreater(double["decomposition"]["error"], 5e-5)
            for one, other in zip(single["iterations"], double["iterations"]):
                self.assertAlmostEqual(one["fit"], other["fit"], delta=1e-8)
            self.assertEqual(len(single["iterations"]), len(double["iterations"]))
            self.assertAlmostEqual(single["iterations"][-1]["fit"], single["decomposition"]["fit"], delta=1e-8)


class ZeroThreshold(TuckerTest):
    def test_with_a_bound_beyond_every_number_passes(self):
        for method in METHODS:
            check = self.summary(f"--shape 5x5x5 --ranks 2x2x2 --method {method} --zero-threshold 1e308")["check"]
            self.assertIs(check["passed"], True)
            self.assertEqual(check["bound"], np.finfo(float).max)

    def test_may_drop_everything(self):
        for request in ("--ranks 2x2x2", "--ranks 2x2x2 --method hooi", "--tolerance 0.1"):
            found = self.summary(f"--shape 8x8x8 {request} --zero-threshold 1e9")
            self.assertIs(found["check"]["passed"], True)
            self.assertEqual(found["check"]["missed_energy"], 0)
            self.assertEqual(found["decomposition"]["error"], 1)

    def test_its_error_is_in_the_fit_and_within_the_bound(self):
        x = noisy()
        self.save("x.npy", x)
        threshold = 0.5 * np.abs(x).mean()
        found = self.summary(f"--input x.npy {REQUEST} --zero-threshold {threshold}")
        self.assertIs(found["check"]["passed"], True)
        self.assertGreater(found["check"]["max_abs_error"], 1e-6)
        self.assertGreater(found["decomposition"]["error"], self.summary(f"--input x.npy {REQUEST}")["decomposition"]["error"])
